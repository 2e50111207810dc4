import { OpenenvEnvironment, type OpenenvEnvironmentOptions } from './environment.js';
import { Failure } from './failure.js';

/** A client's place, with its environment. */
export interface Seat {
  readonly environment: OpenenvEnvironment;
  /** Runs work after all earlier work; the client is not idle meanwhile. Throws what the work throws. */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Frees the place, once the work in progress is done. A second call does nothing. */
  leave(): Promise<void>;
}

/** The places of a server: one environment for each client. */
export class Seats {
  readonly #environment: OpenenvEnvironmentOptions;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #taken = new Set<Seat>();

  /** @param idleMs disconnects clients that are idle for this long. */
  constructor({ environment, most, idleMs }: { environment: OpenenvEnvironmentOptions; most: number; idleMs: number }) {
    this.#environment = environment;
    this.#most = most;
    this.#idleMs = idleMs;
  }

  get count(): number {
    return this.#taken.size;
  }

  has(seat: Seat): boolean {
    return this.#taken.has(seat);
  }

  /**
   * Takes a place.
   *
   * @param onIdle is called when the client was idle for too long; its place is then freed.
   * @throws Failure `CAPACITY_REACHED` where all are taken.
   */
  take(onIdle: () => void = () => undefined): Seat {
    const [active, most] = [this.#taken.size, this.#most];
    if (active >= most) {
      const numbers = { active_sessions: active, max_sessions: most };
      throw new Failure('CAPACITY_REACHED', `all ${most} sessions are taken`, numbers);
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
