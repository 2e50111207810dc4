import type { AgentAction, OracleTurn, Task, Verdict } from '@gyre/protocol';

/**
 * Judges a task that has been set up in a session, out of the agent's reach. All of its methods may throw `infra`, and throw `bad_input` in
 * a state that no honest play leads to.
 */
export interface Verifier<Action extends AgentAction = AgentAction> {
  /** The task, with the instruction of the set-up where that writes it. */
  readonly task: Task;
  /**
   * Returns the reward since the last call, and whether the task is over. Called once after the actions of each step.
   *
   * @param finished the agent's `finished` action of this step, with its answer.
   */
  step(finished?: { readonly answer?: string | undefined }): Promise<{ reward: number; done: boolean }>;
  /** Judges the state as it is now. */
  verdict(): Promise<Verdict>;
  /** Returns the scripted solution's next turn. Throws `bad_input` where there is none. */
  oracle(): Promise<OracleTurn<Action>>;
}
