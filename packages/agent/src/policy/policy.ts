import type { AgentAction, Frame, OfferedTool, OracleTurn, Sample, Task, Turn } from '@gyre/protocol';

/**
 * The agent's view of a task. Excludes seed, split, family and id, from which the task and its answer could be redrawn.
 */
export interface Assignment extends Pick<Task, 'instruction' | 'surfaces' | 'screen' | 'stepBudget'> {
  /** The initial MCP tools, for tasks with the surface `tools`. */
  readonly tools?: readonly OfferedTool[];
}

/** Excludes the reward, which only the trainer sees. */
export type PastTurn = Omit<Turn, 'reward'>;

/** The input of a decision. */
export interface Context {
  readonly task: Assignment;
  /** The latest screenshots, newest last: at least one, at most the episode's `screenshots`. */
  readonly screenshots: readonly Frame[];
  /** All past turns, oldest first. */
  readonly turns: readonly PastTurn[];
  /** Uniform in [0, 1), seeded per episode: a reproducible policy's only randomness. */
  readonly random: () => number;
  readonly episodeId: string;
  /** Aborted when the decision is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** A policy's output for one turn. */
export interface Decision {
  /** Performed in order. `finished` and `call_user` end the episode. */
  readonly actions: readonly AgentAction[];
  readonly thought?: string;
  /** The printed text. */
  readonly text?: string;
  /** The sampled tokens. */
  readonly sample?: Sample;
  /** How deviations from the format were read; reported in the next observation. */
  readonly notices?: readonly string[];
  /** Why the text is malformed; reported in the next observation. */
  readonly refused?: string;
}

/**
 * Decides turns from the screen and its own past. Serves many concurrent episodes. After `infra` it is asked again in
 * the same state; repeated failure ends the episode as `infra_error`. Other `GyreError`s of `model_server` are refusals
 * and end it at once. Any other error ends the run.
 */
export interface Policy {
  /** Stored in every episode: `random`, `nano`, ... */
  readonly name: string;
  decide(context: Context): Promise<Decision>;
  /**
   * Called at an episode's end with its last screen, for policies with a memory. Without reward and verdict; not for
   * cut or failed episodes.
   */
  conclude?(context: Context, end: 'finished' | 'out_of_budget' | 'stuck' | 'agent_fault'): Promise<void>;
}

/** A scripted solution, available to an `Oracle` only. */
export interface Solution {
  /** Returns the solution's next turn from the current state. */
  oracle(): Promise<OracleTurn>;
}

/** Plays a scripted solution. Not a `Policy`, so that learning policies cannot access it. */
export interface Oracle {
  readonly name: string;
  solve(solution: Solution, context: Context): Promise<Decision>;
}
