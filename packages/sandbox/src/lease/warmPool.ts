import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { transition, type MachineState } from './state.js';

export interface Warm {
  /** Resolves with the reason if it ends by itself. */
  readonly broken: Promise<GyreError>;
  /** Throws if it is unusable. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

export interface WarmPoolListener {
  refilled?(ready: number): void;
  died?(reason: GyreError): void;
  failed?(reason: GyreError): void;
}

export interface WarmPoolStats {
  readonly ready: number;
  readonly taken: number;
  readonly died: number;
  readonly failed: number;
}

interface Member<Machine> {
  readonly machine: Machine;
  state: MachineState;
}

const answerMs = 1_000;

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** Has machines ready in advance, and replaces taken and dead ones in the background. None is taken back. */
export class WarmPool<Machine extends Warm> {
  readonly #size: number;
  readonly #start: () => Promise<Machine>;
  readonly #listener: WarmPoolListener;
  readonly #ready: Member<Machine>[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #refilling: Promise<void> | undefined;
  #taken = 0;
  #died = 0;
  #failed = 0;

  private constructor(size: number, start: () => Promise<Machine>, listener: WarmPoolListener) {
    this.#size = size;
    this.#start = start;
    this.#listener = listener;
  }

  /** Resolves once the pool is full. Throws a failed start's error, and closes the others. */
  static async fill<Machine extends Warm>(
    size: number,
    start: () => Promise<Machine>,
    listener: WarmPoolListener = {},
  ): Promise<WarmPool<Machine>> {
    const pool = new WarmPool(size, start, listener);
    try {
      while (pool.#ready.length < size) await pool.#add();
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  get stats(): WarmPoolStats {
    return { ready: this.#ready.length, taken: this.#taken, died: this.#died, failed: this.#failed };
  }

  /** Returns the oldest machine that answers; the caller must close it. */
  async take(): Promise<Machine | undefined> {
    for (let member = this.#ready.shift(); member !== undefined; member = this.#ready.shift()) {
      const whole = await this.#pend(answering(member.machine));
      // It may have ended meanwhile, and is then already counted.
      if (whole && member.state === 'warm' && !this.#closing.signal.aborted) {
        member.state = transition(member.state, 'leased');
        this.#taken += 1;
        this.#refill();
        return member.machine;
      }
      this.#lose(
        member,
        new GyreError('infra', 'a warm machine did not answer', { part: 'machine', fix: 'another is started' }),
      );
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const member of this.#ready.splice(0)) {
      member.state = transition(member.state, 'released');
      this.#leave(member.machine);
    }
    await this.#refilling;
    for (; this.#pending.size > 0; await new Promise(setImmediate)) await Promise.all(this.#pending);
  }

  async #add(): Promise<void> {
    const machine = await this.#start();
    const member: Member<Machine> = { machine, state: 'starting' };
    if (this.#closing.signal.aborted) {
      member.state = transition(member.state, 'released');
      return machine.close();
    }
    member.state = transition(member.state, 'warm');
    this.#ready.push(member);
    void machine.broken.then((reason) => this.#lose(member, reason));
    this.#listener.refilled?.(this.#ready.length);
  }

  /** Discards a machine that was not leased. */
  #lose(member: Member<Machine>, reason: GyreError): void {
    if (member.state !== 'warm') return;
    member.state = transition(member.state, 'broken');
    const index = this.#ready.indexOf(member);
    if (index >= 0) this.#ready.splice(index, 1);
    this.#died += 1;
    this.#leave(member.machine);
    this.#listener.died?.(reason);
    this.#refill();
  }

  #leave(machine: Machine): void {
    void this.#pend(machine.close().catch(() => undefined));
  }

  #pend<Result>(work: Promise<Result>): Promise<Result> {
    this.#pending.add(work);
    // The awaiter runs first, and may add work.
    void work.then(() => setImmediate(() => this.#pending.delete(work)));
    return work;
  }

  #refill(): void {
    this.#refilling ??= this.#untilFull().finally(() => (this.#refilling = undefined));
  }

  async #untilFull(): Promise<void> {
    const { signal } = this.#closing;
    // Lets the taker continue first.
    await new Promise(setImmediate);
    for (let pauseMs = firstPauseMs; this.#ready.length < this.#size && !signal.aborted;) {
      try {
        await this.#add();
        pauseMs = firstPauseMs;
      } catch (error) {
        this.#failed += 1;
        this.#listener.failed?.(
          error instanceof GyreError ? error : new GyreError('infra', String(error), { part: 'machine', cause: error }),
        );
        await pause(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
  }
}

async function answering(machine: Warm): Promise<boolean> {
  const late = new AbortController();
  const answer = machine.answers().then(
    () => true,
    () => false,
  );
  const never = pause(answerMs, false, { ref: false, signal: late.signal }).catch(() => false);
  const whole = await Promise.race([answer, never]);
  late.abort();
  return whole;
}
