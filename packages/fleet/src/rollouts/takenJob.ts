import type { JsMsg } from '@nats-io/jetstream';
import type { JobResult, RolloutJob } from '@gyre/protocol';
import type { RolloutTimes } from './rolloutTimes.js';

export interface DeadLetter {
  readonly data: Uint8Array;
  readonly reason: string;
  readonly deliveries: number;
}

/** Records results and dead letters; see `RolloutQueue`. */
interface Ledger {
  /** The first result of a job counts. */
  readonly record: (id: string, result: JobResult) => Promise<void>;
  readonly bury: (letter: DeadLetter) => Promise<void>;
}

/** A job that this worker holds: while it does, JetStream hears from it and gives the job to no other. */
export class TakenJob {
  readonly #message: JsMsg;
  readonly #ledger: Ledger;
  readonly #times: RolloutTimes;
  readonly #beat: NodeJS.Timeout;
  #isOver = false;

  constructor(
    readonly id: string,
    readonly job: RolloutJob,
    message: JsMsg,
    ledger: Ledger,
    times: RolloutTimes,
  ) {
    this.#message = message;
    this.#ledger = ledger;
    this.#times = times;
    this.#beat = setInterval(() => message.working(), times.ackWaitMs / 3);
  }

  /** From 1. Each may be the work of another worker. */
  get deliveries(): number {
    return this.#message.info.deliveryCount;
  }

  /** Announces that the episode is durable, then acknowledges. Throws `infra`, after which the job is delivered again. */
  async stored(worker: string): Promise<void> {
    await this.#end(async () => {
      await this.#ledger.record(this.id, { state: 'stored', worker });
      await this.#message.ackAck();
    });
  }

  /** Acknowledges a job that has a result. */
  async skip(): Promise<void> {
    await this.#end(async () => {
      await this.#message.ackAck();
    });
  }

  /** Gives an infrastructure fault another delivery, or a dead letter after the last. Returns whether it was the last. */
  async failed(reason: string): Promise<boolean> {
    if (this.deliveries >= this.#times.maxDeliver) {
      await this.giveUp(reason);
      return true;
    }
    await this.#end(() => {
      // An outage may outlast the first deliveries.
      this.#message.nak(this.#times.retryMs * 2 ** (this.deliveries - 1));
    });
    return false;
  }

  /** Writes a dead letter: another delivery would end the same way. */
  async giveUp(reason: string): Promise<void> {
    await this.#end(async () => {
      const { data } = this.#message;
      await this.#ledger.bury({ data, reason, deliveries: this.deliveries });
      await this.#ledger.record(this.id, { state: 'given_up', message: reason.slice(0, 2_000) });
      this.#message.term();
    });
  }

  /** Hands the job back at once, for another worker. */
  async release(): Promise<void> {
    await this.#end(() => {
      this.#message.nak();
    });
  }

  /** Leaves it to a newer delivery of the same job. */
  drop(): void {
    this.#isOver = true;
    clearInterval(this.#beat);
  }

  async #end(act: () => Promise<void> | void): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      await act();
    } catch (error) {
      // It may still be handed back.
      this.#isOver = false;
      throw error;
    } finally {
      clearInterval(this.#beat);
    }
  }
}
