import type { Action } from '@gyre/protocol';

/**
 * Holds a task's state in the isolated world. Counts trusted events only; the screen is drawn from the state, never the
 * reverse.
 */
export interface PageVerifier {
  read(): TaskState;
  /** Returns the oracle's next turn; no actions once the task is over. */
  solve(): Action[] | SolvedTurn;
  /** Returns the instruction if `TaskInstance.instructs` is set. */
  instruction?(): string;
  /** Handles the agent's finish. Absent: ignored. */
  finish?(answer: string | undefined): void;
}

/** An oracle turn with a short reason. */
export interface SolvedTurn {
  readonly thought?: string;
  readonly actions: Action[];
}

export interface TaskState {
  readonly done: boolean;
  readonly success: boolean;
  /** 0..1. */
  readonly score: number;
  /** Sum of rewards so far. */
  readonly reward: number;
  readonly evidence: Record<string, unknown>;
}

/** Expressions for `Session.evaluate`. */
export const readState = 'gyreTask.read()';
export const readInstruction = 'gyreTask.instruction()';
export const solveTurn = 'gyreTask.solve()';
export const finishTask = (answer: string | undefined) =>
  `gyreTask.finish?.(${answer === undefined ? '' : JSON.stringify(answer)})`;

/** Marks the task's document, to detect later pages. */
export const markTask = (mark: string) => `void (globalThis.gyreMark = ${JSON.stringify(mark)})`;
/** Evaluates an expression in the marked document; null in any other. */
export const inMarkedDocument = (mark: string, expression: string) =>
  `globalThis.gyreMark === ${JSON.stringify(mark)} ? ${expression} : null`;
