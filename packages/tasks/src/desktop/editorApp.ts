import type { AgentAction } from '@gyre/protocol';
import type { SandboxSession } from '@gyre/sandbox';
import type { Launch } from '../family/machine/setUp.js';
import { mousepad } from '../family/machine/requirement.js';
import type { ScriptedTurn, Template } from '../family/machine/template.js';
import { hotkey, inFront, once, turn, type, wait } from '../family/machine/turns.js';

/** A text editor, mousepad, as tasks find it: with files open. */

/** What all templates of the editor share. */
export const editorTemplate = {
  kind: 'desktop',
  surfaces: ['screen'],
  screen: { width: 640, height: 480 },
  needs: [mousepad],
} as const satisfies Partial<Template>;

/** The editor with files in tabs, the last in front; with none it shows an empty text. */
export const editing = (...files: readonly string[]): Launch[] => [
  { program: 'mousepad', args: files, window: files.at(-1) ?? 'Mousepad' },
];

/** The editor shows a file, or anything. */
export const editorReady = inFront('Mousepad');

/** Goes to the beginning of a line, counted from 0. */
export const toLine = (line: number): AgentAction[] => [
  hotkey('ctrl home'),
  ...Array.from({ length: line }, () => hotkey('arrowdown')),
];

/** Marks what is written on the line that the cursor is at the beginning of. */
export const markLine: readonly AgentAction[] = [hotkey('home'), hotkey('shift end')];

/** A turn that replaces a line by another. */
export const rewriting = (thought: string, line: number, text: string): ScriptedTurn =>
  once(editorReady, turn(thought, ...toLine(line), ...markLine, type(text)));

export const saving: readonly ScriptedTurn[] = [
  turn('Save the file.', hotkey('ctrl s'), wait(0.2)),
  turn('Saving takes a moment.', wait(0.7)),
];

/** The turns that answer the dialog in which a file gets its name: below the home. */
export function naming(file: string): ScriptedTurn[] {
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

/** Lines as a file, with a line break at the end. */
export const fileOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** The lines of a text, without white space at their ends and without empty ones at its end. */
export function linesOf(text: string | undefined): string[] | undefined {
  return text
    ?.trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
}

/** Whether a text has these lines and no others. */
export const hasLines = (text: string | undefined, lines: readonly string[]): boolean =>
  JSON.stringify(linesOf(text)) === JSON.stringify(linesOf(lines.join('\n')));
