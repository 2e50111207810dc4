import type { Action, Point } from '@gyre/protocol';

/**
 * What a page's watching script keeps in the isolated world. The page's own world cannot reach it, and it counts trusted
 * events only. What the screen shows is drawn from it, never the other way round.
 */
export interface Watch {
  /** The state now. */
  read(): TaskState;
  /** The actions of the scripted solution's next turn, with the thought behind them where there is one; none when it is done. */
  solve(): Action[] | SolvedTurn;
  /** What the agent is told, where `TaskInstance.instructs` says that the page knows it. */
  instruction?(): string;
  /** The agent says that it is done, with an answer where it gave one. Absent: saying so changes nothing. */
  finish?(answer: string | undefined): void;
}

/** A turn of the scripted solution with a short reason for people and for training. */
export interface SolvedTurn {
  readonly thought?: string;
  readonly actions: Action[];
}

export interface TaskState {
  readonly done: boolean;
  readonly success: boolean;
  /** 0..1. */
  readonly score: number;
  /** Sum of the rewards so far. */
  readonly reward: number;
  /** What the verdict rests on. */
  readonly evidence: Record<string, unknown>;
}

/** What a watching script is given, because it can import nothing. */
export interface WatchTools {
  /** The point in the middle of an element. */
  centre(element: Element): Point;
}

function centre(element: Element): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: (left + width / 2) / window.innerWidth, y: (top + height / 2) / window.innerHeight };
}

/** Source of the function that a page runs in the isolated world. `watch` must not refer to anything outside itself. */
export function scriptOf<T>(watch: (argument: T, tools: WatchTools) => Watch): string {
  return `(argument) => { globalThis.gyreTask = (${watch})(argument, { centre: ${centre} }); }`;
}

/** Expressions for `Session.evaluate`. */
export const readState = 'gyreTask.read()';
export const readInstruction = 'gyreTask.instruction()';
export const solveTurn = 'gyreTask.solve()';
export const finishTask = (answer: string | undefined) =>
  `gyreTask.finish?.(${answer === undefined ? '' : JSON.stringify(answer)})`;

/** Marks the document of a task, which a page that is opened after it does not have. */
export const markTask = (mark: string) => `void (globalThis.gyreMark = ${JSON.stringify(mark)})`;
/** An expression's value in the document that was marked; null in any other. */
export const unlessLeft = (mark: string, expression: string) =>
  `globalThis.gyreMark === ${JSON.stringify(mark)} ? ${expression} : null`;
