import type { AgentAction, Frame, OfferedTool, OracleTurn, Sample, Task, Turn } from '@gyre/protocol';

/** The part of a task that the agent gets. Seed, split, family and id are left out: with them the task can be drawn again, answer included. */
export interface Assignment extends Pick<Task, 'instruction' | 'surfaces' | 'screen' | 'stepBudget'> {
  /** The environment's MCP tools when the episode began, where the task has the surface `tools`. */
  readonly tools?: readonly OfferedTool[];
}

/** A turn without its reward, which is the trainer's. */
export type PastTurn = Omit<Turn, 'reward'>;

/** The input of a decision. */
export interface Context {
  readonly task: Assignment;
  /** The last screenshots, newest last, at most as many as the episode's option `screenshots`; never empty. */
  readonly screenshots: readonly Frame[];
  /** All past turns, oldest first. Only old screenshots are dropped. */
  readonly turns: readonly PastTurn[];
  /** Uniform in [0, 1), seeded per episode: the only randomness a repeatable policy uses. */
  readonly random: () => number;
  readonly episodeId: string;
  /** Aborted when the decision is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** A policy's output for one turn. */
export interface Decision {
  /** Carried out in order, on the screen or by the SDK. `finished` and `call_user` end the episode. */
  readonly actions: readonly AgentAction[];
  readonly thought?: string;
  /** The text that the policy printed. */
  readonly text?: string;
  /** The tokens that the policy sampled. */
  readonly sample?: Sample;
  /** How text that strays from its format was read. The next observation says so. */
  readonly notices?: readonly string[];
  /** Why the text is no turn. The next observation says so. */
  readonly refused?: string;
}

/**
 * Maps the screen and its own past to the next turn. One object serves many concurrent episodes. After `infra` it is asked again in the same
 * state; if it keeps failing, the episode ends as `infra_error` and its task is given up. Any other `GyreError` of the part `model_server` is
 * a refusal, with the same end at once. Any other error ends the run.
 */
export interface Policy {
  /** Stored in every episode: `random`, `nano`, ... */
  readonly name: string;
  decide(context: Context): Promise<Decision>;
  /**
   * Receives the end of an episode with its last screen, for policies with a memory; no reward and no verdict. Episodes that were cut or lost
   * to the infrastructure are left out.
   */
  conclude?(context: Context, end: 'finished' | 'out_of_budget' | 'stuck' | 'agent_fault'): Promise<void>;
}

/** The scripted solution of a task. Only an `Oracle` ever gets one. */
export interface Solution {
  /** Returns the solution's next turn from the state that the task is in now. */
  oracle(): Promise<OracleTurn>;
}

/** Acts by the task's scripted solution. It is no `Policy`, so that nothing that learns can get the solution. */
export interface Oracle {
  readonly name: string;
  solve(solution: Solution, context: Context): Promise<Decision>;
}
