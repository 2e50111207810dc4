import type { AgentAction, Frame, OfferedTool, OracleTurn, Sample, Task, Turn } from '@gyre/protocol';

/**
 * What the agent is told of a task. The seed, split, family and id stay behind: whoever knows them can build the task
 * again, answer included.
 */
export interface Assignment extends Pick<Task, 'instruction' | 'surfaces' | 'screen' | 'stepBudget'> {
  /** Of the session's MCP servers, as they were when the episode began; where the task has the surface `tools`. */
  readonly tools?: readonly OfferedTool[];
}

/** A turn as the agent may remember it: without the reward, which is the trainer's. */
export type PastTurn = Omit<Turn, 'reward'>;

/** All that a policy gets before it decides on a turn. */
export interface Context {
  readonly task: Assignment;
  /** The last screenshots, at most `screenshots` of the episode's options, newest last; never empty. */
  readonly screenshots: readonly Frame[];
  /** All past turns, oldest first: text and actions are kept in full while old screenshots are dropped. */
  readonly turns: readonly PastTurn[];
  /** Uniform in [0, 1), seeded per episode: the only randomness a repeatable policy uses. */
  readonly random: () => number;
  readonly episodeId: string;
  /** Aborted when nobody waits for the decision any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What a policy does in one turn. */
export interface Decision {
  /** Carried out in order: on the screen, or by the SDK. `finished` and `call_user` end the episode. */
  readonly actions: readonly AgentAction[];
  readonly thought?: string;
  /** What the policy printed, where it prints text. */
  readonly text?: string;
  /** The tokens that were sampled, where the policy samples tokens. */
  readonly sample?: Sample;
  /** What the text was taken for where it strays from its format: the next observation says so. */
  readonly notices?: readonly string[];
  /** What was wrong with what the policy printed, where it was no turn: the next observation says so. */
  readonly refused?: string;
}

/**
 * Anything that maps the screen and its own past to the next turn. One object serves many episodes at once. After a
 * `GyreError` 'infra' it is asked again in the same state; if it keeps failing, the episode ends as `infra_error` and its task is given up. So
 * it does at once after any other `GyreError` of the part `model_server`: a refusal. Any other error ends the run.
 */
export interface Policy {
  /** Written to every episode: `random`, `nano`, ... */
  readonly name: string;
  decide(context: Context): Promise<Decision>;
  /**
   * Told that an episode is over, and how, with its last screen: for a policy that remembers what it did. Not told of one that was cut or
   * lost to the infrastructure; and of no reward or verdict.
   */
  conclude?(context: Context, end: 'finished' | 'out_of_budget' | 'stuck' | 'agent_fault'): Promise<void>;
}

/** The scripted solution of a task. Only an `Oracle` ever gets one. */
export interface Solution {
  /** Returns the solution's next turn from the state that the task is in now. */
  oracle(): Promise<OracleTurn>;
}

/**
 * Acts by the task's own scripted solution. It is no `Policy`, so that nothing that is written as a policy, and
 * nothing that learns, can be handed the solution.
 */
export interface Oracle {
  readonly name: string;
  solve(solution: Solution, context: Context): Promise<Decision>;
}
