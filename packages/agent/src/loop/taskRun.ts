import type { AgentAction, Verdict } from '@gyre/protocol';

/** The scripted solution of a task. Only an `Oracle` is ever handed one. */
export interface Solution {
  /** The solution's next turn from the state that the task is in now, with the thought behind it where the task gives one. */
  oracle(): Promise<{ readonly actions: readonly AgentAction[]; readonly thought?: string }>;
}

/**
 * A task that has been started in a session, as the loop sees it. Whoever defines tasks supplies it; the loop owns none
 * of its code. All three may throw `GyreError` 'infra'.
 */
export interface TaskRun extends Solution {
  /** What the agent is told, where only the set-up has found it; else the task says it. */
  readonly instruction?: string;
  /**
   * Called once after the actions of each turn: the reward of that turn, and whether the task is over. `finished` is there where
   * the agent said so in this turn, with the answer that it gave.
   */
  step(finished?: { readonly answer?: string }): Promise<{ reward: number; done: boolean }>;
  /** Called once, when the episode is over; undefined where nothing tells whether it was done. */
  verdict(): Promise<Verdict | undefined>;
}
