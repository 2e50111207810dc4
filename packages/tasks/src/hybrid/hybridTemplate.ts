import type { AgentAction, Point } from '@gyre/protocol';
import { browserOf, type SandboxSession } from '@gyre/sandbox';
import type { Evidence } from '../family/machine/evidence.js';
import type { ScriptedTurn, Template } from '../family/machine/template.js';
import { click, hotkey, type, isFileWritten } from '../family/machine/turns.js';
import type { BoardState } from './board.js';

export const hybridTemplate = {
  kind: 'browser',
  surfaces: ['screen', 'shell', 'files'],
  screen: { width: 640, height: 480 },
  needs: [],
} as const satisfies Partial<Template>;

/** Returns the initial state if the agent has left the page. */
export const boardState = async (evidence: Evidence): Promise<BoardState> =>
  (await evidence.page<BoardState>('gyreTask.state()')) ?? { pressed: [], requests: 0 };

/** Locates an element of the page. */
const place = (machine: SandboxSession, name: string): Promise<Point> =>
  browserOf(machine).evaluate(`gyreTask.point(${JSON.stringify(name)})`);

export const pressTurn = (thought: string, ...names: readonly string[]): ScriptedTurn => ({
  thought,
  actions: async (machine) => {
    const actions: AgentAction[] = [];
    for (const name of names) actions.push(click(await place(machine, name)));
    return actions;
  },
});

/** Fills fields of the page and submits the form. */
export const fillFormTurn = (
  thought: string,
  texts: Readonly<Record<string, string>>,
  submit: string,
): ScriptedTurn => ({
  thought,
  actions: async (machine) => {
    const actions: AgentAction[] = [];
    for (const [name, text] of Object.entries(texts)) {
      actions.push(click(await place(machine, name)), hotkey('ctrl a'), type(text));
    }
    return [...actions, click(await place(machine, submit))];
  },
});

export const commandTurn = (thought: string, command: string, when?: ScriptedTurn['when']): ScriptedTurn => ({
  thought,
  actions: [{ type: 'execute_bash', command }],
  when,
});

export const isDownloaded = (name: string) => isFileWritten(`Downloads/${name}`);

/** Compares an answer, ignoring surrounding spaces and case. */
export const isSameAnswer = (said: string | undefined, wanted: string): boolean =>
  said?.trim().toLowerCase() === wanted.toLowerCase();

export const arePressed = (state: BoardState, names: readonly string[]): boolean =>
  JSON.stringify(state.pressed) === JSON.stringify([...names].sort());
