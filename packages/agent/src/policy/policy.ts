import type { AgentAction, Sample, Task, Turn } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import type { OfferedTool } from '../tools/mcpTool.js';
import type { Solution } from '../loop/taskRun.js';

/** A task as the agent knows it. Seed, split, family and id are left out: from them the task, answer included, can be built again. */
export interface Assignment extends Pick<Task, 'instruction' | 'surfaces' | 'screen' | 'stepBudget'> {
  /** Of the session's MCP servers when the episode started, if the task has the surface `tools`. */
  readonly tools?: readonly OfferedTool[];
}

/** A turn as the agent may remember it: without the reward. */
export type PastTurn = Omit<Turn, 'reward'>;

/** Everything that a policy decides from. */
export interface Context {
  readonly task: Assignment;
  /** Newest last, never empty; at most `screenshots` of the episode's options. */
  readonly screenshots: readonly Frame[];
  /** Oldest first. Text and actions are kept in full; old screenshots are dropped. */
  readonly turns: readonly PastTurn[];
  /** Uniform in [0, 1), seeded per episode: a repeatable policy uses no other randomness. */
  readonly random: () => number;
  readonly episodeId: string;
  /** Aborted when the decision is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

export interface Decision {
  /** Carried out in order, on the screen or by the SDK. `finished` and `call_user` end the episode. */
  readonly actions: readonly AgentAction[];
  readonly thought?: string;
  /** Text that the policy printed. */
  readonly text?: string;
  /** Tokens that the policy sampled. */
  readonly sample?: Sample;
  /** How text that strays from its format was read, for the next observation. */
  readonly notices?: readonly string[];
  /** Why text was no turn, for the next observation. */
  readonly refused?: string;
}

/**
 * Maps the screen and the past to the next turn. One object serves concurrent episodes. It is asked again after a `GyreError` 'infra'; if
 * it keeps failing, the episode ends as `infra_error` and its task is given up, as it is at once after any other `GyreError` of the part
 * `model_server`. Any other error ends the run.
 */
export interface Policy {
  /** Written to every episode: `random`, `nano`, ... */
  readonly name: string;
  decide(context: Context): Promise<Decision>;
  /**
   * Called at the end of an episode, with its last screen and without reward or verdict, for a policy that remembers. Not called for one
   * that was cut or lost to the infrastructure.
   */
  conclude?(context: Context, end: 'finished' | 'out_of_budget' | 'stuck' | 'agent_fault'): Promise<void>;
}

/** Acts by the task's scripted solution. It is no `Policy`: no policy, and nothing that trains, can be given the solution. */
export interface Oracle {
  readonly name: string;
  solve(solution: Solution, context: Context): Promise<Decision>;
}
