import { OpenenvEnvironment, type OpenenvEnvironmentOptions } from './environment.js';
import { Failure } from './failure.js';

export interface Seat {
  readonly environment: OpenenvEnvironment;
  /** Runs work after earlier work; the client is not idle meanwhile. */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Frees the seat after the work in progress. Idempotent. */
  leave(): Promise<void>;
}

export class Seats {
  readonly #environment: OpenenvEnvironmentOptions;
  readonly #maxClients: number;
  readonly #idleMs: number;
  readonly #taken = new Set<Seat>();

  /** @param idleMs disconnects clients idle for this long. */
  constructor({
    environment,
    maxClients,
    idleMs,
  }: {
    environment: OpenenvEnvironmentOptions;
    maxClients: number;
    idleMs: number;
  }) {
    this.#environment = environment;
    this.#maxClients = maxClients;
    this.#idleMs = idleMs;
  }

  get count(): number {
    return this.#taken.size;
  }

  has(seat: Seat): boolean {
    return this.#taken.has(seat);
  }

  /** @throws Failure `CAPACITY_REACHED`. */
  take(onIdle: () => void = () => undefined): Seat {
    const [active, max] = [this.#taken.size, this.#maxClients];
    if (active >= max) {
      const numbers = { active_sessions: active, max_sessions: max };
      throw new Failure('CAPACITY_REACHED', `all ${max} sessions are in use`, numbers);
    }
    const environment = new OpenenvEnvironment(this.#environment);
    let turn: Promise<unknown> = Promise.resolve();
    let working = 0;
    const idle = setTimeout(() => {
      if (working > 0) return void idle.refresh();
      onIdle();
      void seat.leave();
    }, this.#idleMs).unref();
    const seat: Seat = {
      environment,
      use: async (work) => {
        working += 1;
        const result = turn.then(work);
        turn = result.catch(() => undefined);
        try {
          return await result;
        } finally {
          working -= 1;
          if (this.#taken.has(seat)) idle.refresh();
        }
      },
      leave: async () => {
        clearTimeout(idle);
        await turn;
        try {
          await environment.close();
        } finally {
          this.#taken.delete(seat);
        }
      },
    };
    this.#taken.add(seat);
    return seat;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#taken].map((seat) => seat.leave()));
  }
}
