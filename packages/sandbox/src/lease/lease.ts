import { GyreError } from '@gyre/protocol';
import { transition, type SessionState } from './state.js';

/** Hears of a call of a surface, and of what it gave: mostly a promise, which may fail. */
export type CallListener = (method: string, args: readonly unknown[], result: unknown) => void;

/**
 * How long a session is whose. It holds while it is used, and ends when it is given back, when it is not used for too long, or when
 * what is behind it is gone.
 */
export class Lease {
  readonly #ttlMs: number;
  readonly #ttl: NodeJS.Timeout;
  readonly #giveBack: (whole: boolean) => Promise<void>;
  /** Resolves with the reason when the lease ends otherwise than by being given back. */
  readonly broken: Promise<GyreError>;
  #broken: (reason: GyreError) => void = () => undefined;
  #state: SessionState = 'leased';
  #reason: GyreError | undefined;
  #ended: Promise<void> | undefined;

  /**
   * @param ttlMs how long it may be unused.
   * @param giveBack takes back what was leased, whole or broken. Called once.
   */
  constructor(ttlMs: number, giveBack: (whole: boolean) => Promise<void>) {
    this.#ttlMs = ttlMs;
    this.#giveBack = giveBack;
    this.broken = new Promise((resolve) => (this.#broken = resolve));
    this.#ttl = setTimeout(() => this.#expire(), ttlMs);
    this.#ttl.unref();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Throws `infra` once the lease has ended. */
  check(): void {
    if (this.#state === 'leased') return;
    throw (
      this.#reason ??
      new GyreError('infra', 'the session was released', { part: 'lease', fix: 'lease another session' })
    );
  }

  /** Begins to count anew. Throws `infra` once the lease has ended. */
  renew(): void {
    this.check();
    this.#ttl.refresh();
  }

  /** Does a work that renews the lease, at its start and at its end. Throws what the work throws, and `infra`. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.renew();
    try {
      return await work();
    } finally {
      this.#ttl.refresh();
    }
  }

  /**
   * The same object, each of whose methods renews the lease, and throws `infra` once it has ended.
   *
   * @param instead methods to take in place of its own.
   * @param heard is told of every call, once it was made.
   */
  surface<Surface extends object>(
    of: Surface,
    { instead = {}, heard }: { instead?: Partial<Surface>; heard?: CallListener } = {},
  ): Surface {
    return new Proxy(of, {
      get: (target, name) => {
        const value: unknown = Reflect.get(Object.hasOwn(instead, name) ? instead : target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          this.renew();
          const result: unknown = Reflect.apply(value, target, args);
          if (typeof name === 'string') heard?.(name, args, result);
          return result instanceof Promise ? result.finally(() => this.#ttl.refresh()) : result;
        };
      },
    });
  }

  /** Ends it because what is behind it is gone. Whoever uses it from now on is told why. */
  break(reason: GyreError): void {
    if (this.#state !== 'leased') return;
    this.#state = transition(this.#state, 'broken');
    this.#reason = reason;
    clearTimeout(this.#ttl);
    this.#broken(reason);
    this.#ended = this.#giveBack(false);
    // Who releases it hears of it.
    this.#ended.catch(() => undefined);
  }

  /** Ends it, and resolves when what was leased has been taken back. Twice is once. */
  async release(): Promise<void> {
    if (this.#state !== 'released') {
      const whole = this.#state === 'leased';
      this.#state = transition(this.#state, 'released');
      clearTimeout(this.#ttl);
      if (whole) this.#ended = this.#giveBack(true);
    }
    await this.#ended;
  }

  #expire(): void {
    this.break(
      new GyreError('infra', `the lease of ${this.#ttlMs} ms was not renewed`, {
        part: 'lease',
        field: 'ttlMs',
        fix: 'call the session more often, or lease it for longer',
      }),
    );
  }
}
