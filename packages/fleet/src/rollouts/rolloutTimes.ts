/** Tests shorten the times. */
export interface RolloutTimes {
  /** Silence of a worker, in ms, after which its job goes to another one. */
  readonly ackWaitMs: number;
  /** Before a job with an infrastructure fault is delivered again, in ms. Doubles with each delivery. */
  readonly retryMs: number;
  /** Deliveries after which a job is a dead letter. */
  readonly maxDeliver: number;
}

export const defaultRolloutTimes: RolloutTimes = { ackWaitMs: 30_000, retryMs: 2_000, maxDeliver: 5 };
