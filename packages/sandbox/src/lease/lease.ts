import { GyreError } from '@gyre/protocol';
import { transition, type SessionState } from './state.js';

/** The result is usually a promise, which may reject. */
export type CallListener = (method: string, args: readonly unknown[], result: unknown) => void;

/** Ends when released, when unused for too long, or with its machine. */
export class Lease {
  readonly #ttlMs: number;
  readonly #ttl: NodeJS.Timeout;
  readonly #giveBack: (whole: boolean) => Promise<void>;
  /** Resolves with the reason if the lease ends without being released. */
  readonly broken: Promise<GyreError>;
  #broken: (reason: GyreError) => void = () => undefined;
  #state: SessionState = 'leased';
  #reason: GyreError | undefined;
  #ended: Promise<void> | undefined;

  /** @param giveBack called once. */
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

  renew(): void {
    this.check();
    this.#ttl.refresh();
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.renew();
    try {
      return await work();
    } finally {
      this.#ttl.refresh();
    }
  }

  /**
   * Wraps an object: its methods renew the lease, and throw `infra` once it has ended.
   *
   * @param instead overrides methods.
   */
  surface<Surface extends object>(
    inner: Surface,
    { instead = {}, heard }: { instead?: Partial<Surface>; heard?: CallListener } = {},
  ): Surface {
    return new Proxy(inner, {
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

  /** Later calls throw `reason`. */
  break(reason: GyreError): void {
    if (this.#state !== 'leased') return;
    this.#state = transition(this.#state, 'broken');
    this.#reason = reason;
    clearTimeout(this.#ttl);
    this.#broken(reason);
    this.#ended = this.#giveBack(false);
    // `release` reports the error.
    this.#ended.catch(() => undefined);
  }

  /** Ends the lease and waits until the machine is taken back. Idempotent. */
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
        fix: 'use or renew the session more often, or raise ttlMs',
      }),
    );
  }
}
