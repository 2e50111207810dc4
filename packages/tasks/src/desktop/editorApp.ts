import type { AgentAction } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';
import type { Launch } from '../family/machine/setUp.js';
import { mousepad } from '../family/machine/requirement.js';
import type { ScriptedTurn, Template } from '../family/machine/template.js';
import { hotkey, isWindowInFront, turnWhen, turn, type, wait } from '../family/machine/turns.js';

export const editorTemplate = {
  kind: 'desktop',
  surfaces: ['screen'],
  screen: { width: 640, height: 480 },
  needs: [mousepad],
} as const satisfies Partial<Template>;

/** The last file is in front; without files, the text is empty. */
export const launchEditor = (...files: readonly string[]): Launch[] => [
  { program: 'mousepad', args: files, window: files.at(-1) ?? 'Mousepad' },
];

export const editorReady = isWindowInFront('Mousepad');

/** Goes to the start of a line, counted from 0. */
export const goToLine = (line: number): AgentAction[] => [
  hotkey('ctrl home'),
  ...Array.from({ length: line }, () => hotkey('arrowdown')),
];

/** Selects the line at whose start the cursor is. */
export const selectLine: readonly AgentAction[] = [hotkey('home'), hotkey('shift end')];

export const rewriteLineTurn = (thought: string, line: number, text: string): ScriptedTurn =>
  turnWhen(editorReady, turn(thought, ...goToLine(line), ...selectLine, type(text)));

export const saveTurns: readonly ScriptedTurn[] = [
  turn('Save the file.', hotkey('ctrl s'), wait(0.2)),
  turn('Saving takes a moment.', wait(0.7)),
];

/** Answers the save dialog with a file in the home. */
export function saveAsTurns(file: string): ScriptedTurn[] {
  const asks = async ({ desktop }: SandboxSession) =>
    ((await desktop?.windows()) ?? []).some(({ title, focused }) => focused && title.includes('Save'));
  const confirming = (thought: string): ScriptedTurn => ({
    thought,
    actions: async (machine) => ((await asks(machine)) ? [hotkey('enter'), wait(0.7)] : [wait(0.7)]),
  });
  return [
    {
      thought: 'Give it its name.',
      when: asks,
      actions: ({ home }) => Promise.resolve([hotkey('ctrl a'), type(`${home}/${file}`), wait(0.5)]),
    },
    confirming('Save it under that name.'),
    confirming('The dialog may not have heard it.'),
  ];
}

export const fileOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** Splits into lines, without trailing white space and empty lines at the end. */
export function linesOf(text: string | undefined): string[] | undefined {
  return text
    ?.trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
}

export const hasLines = (text: string | undefined, lines: readonly string[]): boolean =>
  JSON.stringify(linesOf(text)) === JSON.stringify(linesOf(lines.join('\n')));
