import type { AgentAction, OracleTurn, Task, Verdict } from '@gyre/protocol';

/**
 * Judges a task out of the agent's reach. Methods may throw `infra`, or `bad_input` in a state that honest play cannot
 * reach.
 */
export interface Verifier<Action extends AgentAction = AgentAction> {
  /** Has any instruction that the set-up wrote. */
  readonly task: Task;
  /**
   * Returns the reward since the last call; called once per step.
   *
   * @param finished the agent's `finished` action.
   */
  step(finished?: { readonly answer?: string | undefined }): Promise<{ reward: number; done: boolean }>;
  verdict(): Promise<Verdict>;
  /** Throws `bad_input` if there is no scripted solution. */
  oracle(): Promise<OracleTurn<Action>>;
}
