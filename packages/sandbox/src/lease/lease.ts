import { GyreError } from '@gyre/protocol';
import { transition, type SessionState } from './state.js';

/** Called with each call of a surface and its result: usually a promise, which may reject. */
export type CallListener = (method: string, args: readonly unknown[], result: unknown) => void;

/** A lease of a session. It ends when it is released, when it is not used for too long, or when its machine is gone. */
export class Lease {
  readonly #ttlMs: number;
  readonly #ttl: NodeJS.Timeout;
  readonly #giveBack: (whole: boolean) => Promise<void>;
  /** Resolves with the reason when the lease ends without being released. */
  readonly broken: Promise<GyreError>;
  #broken: (reason: GyreError) => void = () => undefined;
  #state: SessionState = 'leased';
  #reason: GyreError | undefined;
  #ended: Promise<void> | undefined;

  /**
   * @param ttlMs how long it may be unused.
   * @param giveBack takes the machine back, whole or broken. Called once.
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

  /** Restarts the time to live. Throws `infra` once the lease has ended. */
  renew(): void {
    this.check();
    this.#ttl.refresh();
  }

  /** Runs `work`, which renews the lease at its start and its end. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.renew();
    try {
      return await work();
    } finally {
      this.#ttl.refresh();
    }
  }

  /**
   * Returns the same object with methods that renew the lease, and throw `infra` once it has ended.
   *
   * @param instead methods that replace its own.
   * @param heard called after each call.
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

  /** Ends the lease because its machine is gone. Later calls throw `reason`. */
  break(reason: GyreError): void {
    if (this.#state !== 'leased') return;
    this.#state = transition(this.#state, 'broken');
    this.#reason = reason;
    clearTimeout(this.#ttl);
    this.#broken(reason);
    this.#ended = this.#giveBack(false);
    // `release` throws it.
    this.#ended.catch(() => undefined);
  }

  /** Ends the lease, and resolves when the machine has been taken back. Twice is once. */
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
