import type { AgentAction, Point } from '@gyre/protocol';
import { browserOf, type SandboxSession } from '@gyre/sandbox';
import type { Evidence } from '../family/machine/evidence.js';
import type { ScriptedTurn, Template } from '../family/machine/template.js';
import { click, hotkey, type, written } from '../family/machine/turns.js';
import type { BoardState } from './board.js';

/** What all templates share that have a page on one side and a shell on the other. */
export const hybridTemplate = {
  kind: 'browser',
  surfaces: ['screen', 'shell', 'files'],
  screen: { width: 640, height: 480 },
  needs: [],
} as const satisfies Partial<Template>;

/** What was done on the page; nothing, where the agent has left it. */
export const boardState = async (evidence: Evidence): Promise<BoardState> =>
  (await evidence.page<BoardState>('gyreTask.state()')) ?? { pressed: [], requests: 0 };

/** Where a thing on the page is. */
const place = (machine: SandboxSession, name: string): Promise<Point> =>
  browserOf(machine).evaluate(`gyreTask.point(${JSON.stringify(name)})`);

/** A turn that presses things on the page, one after another. */
export const pressing = (thought: string, ...names: readonly string[]): ScriptedTurn => ({
  thought,
  actions: async (machine) => {
    const actions: AgentAction[] = [];
    for (const name of names) actions.push(click(await place(machine, name)));
    return actions;
  },
});

/** A turn that writes into fields of the page and presses the button of the form. */
export const filling = (thought: string, texts: Readonly<Record<string, string>>, submit: string): ScriptedTurn => ({
  thought,
  actions: async (machine) => {
    const actions: AgentAction[] = [];
    for (const [name, text] of Object.entries(texts)) {
      actions.push(click(await place(machine, name)), hotkey('ctrl a'), type(text));
    }
    return [...actions, click(await place(machine, submit))];
  },
});

/** A turn that calls the shell. */
export const calling = (thought: string, command: string, when?: ScriptedTurn['when']): ScriptedTurn => ({
  thought,
  actions: [{ type: 'execute_bash', command }],
  when,
});

/** A download has arrived. */
export const downloaded = (name: string) => written(`Downloads/${name}`);

/** An answer in a field, without regard to spaces around it and to capitals. */
export const isText = (said: string | undefined, wanted: string): boolean =>
  said?.trim().toLowerCase() === wanted.toLowerCase();

/** Whether exactly these are pressed. */
export const isPressed = (state: BoardState, names: readonly string[]): boolean =>
  JSON.stringify(state.pressed) === JSON.stringify([...names].sort());
