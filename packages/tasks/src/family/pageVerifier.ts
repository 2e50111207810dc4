import type { Action } from '@gyre/protocol';

/**
 * Keeps a task's state in the page's isolated world, which the page cannot reach. Counts trusted events only; the screen is
 * drawn from the state, never the reverse.
 */
export interface PageVerifier {
  read(): TaskState;
  /** Returns the scripted solution's next turn: no actions once the task is over. */
  solve(): Action[] | SolvedTurn;
  /** Returns the instruction, where `TaskInstance.instructs` says that only the page knows it. */
  instruction?(): string;
  /** Records that the agent says it is done. Absent: saying so changes nothing. */
  finish?(answer: string | undefined): void;
}

/** A turn of the scripted solution with a short reason, for people and for training. */
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
  /** Facts behind the verdict. */
  readonly evidence: Record<string, unknown>;
}

/** Expressions for `Session.evaluate`. */
export const readState = 'gyreTask.read()';
export const readInstruction = 'gyreTask.instruction()';
export const solveTurn = 'gyreTask.solve()';
export const finishTask = (answer: string | undefined) =>
  `gyreTask.finish?.(${answer === undefined ? '' : JSON.stringify(answer)})`;

/** Marks the task's document, so that a page opened after it can be told apart. */
export const markTask = (mark: string) => `void (globalThis.gyreMark = ${JSON.stringify(mark)})`;
/** Evaluates an expression in the marked document; null in any other. */
export const unlessLeft = (mark: string, expression: string) =>
  `globalThis.gyreMark === ${JSON.stringify(mark)} ? ${expression} : null`;
