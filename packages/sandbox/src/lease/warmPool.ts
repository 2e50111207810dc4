import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { transition, type MachineState } from './state.js';

/** A machine of a warm pool. */
export interface Warm {
  /** Resolves with the reason when it has ended by itself. */
  readonly broken: Promise<GyreError>;
  /** Throws where it is no longer of use. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

/** Listens to a warm pool. */
export interface WarmPoolListener {
  /** One more is ready, and now there are so many. */
  refilled?(ready: number): void;
  /** One that nobody had leased is gone. */
  died?(reason: GyreError): void;
  /** One did not start; it is tried again later. */
  failed?(reason: GyreError): void;
}

export interface WarmPoolStats {
  readonly ready: number;
  /** Machines that were leased, and that died before their lease. */
  readonly taken: number;
  readonly died: number;
  /** Starts that came to nothing. */
  readonly failed: number;
}

interface Member<Machine> {
  readonly machine: Machine;
  state: MachineState;
}

/** How long a machine may take to answer before its lease, in ms. */
const answerMs = 1_000;

/** First and longest pause after a failed start, in ms. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** Machines that are ready before anybody asks. One that is taken or gone is replaced in the background; none is taken back. */
export class WarmPool<Machine extends Warm> {
  readonly #size: number;
  readonly #start: () => Promise<Machine>;
  readonly #listener: WarmPoolListener;
  readonly #ready: Member<Machine>[] = [];
  /** Ends and questions that are under way. */
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

  /** Resolves when as many as there should be are ready. Throws what the first that does not start throws; then nothing is left. */
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

  /** One that answers, the oldest first; undefined where none is ready. It is the caller's to close. */
  async take(): Promise<Machine | undefined> {
    for (let member = this.#ready.shift(); member !== undefined; member = this.#ready.shift()) {
      const whole = await this.#pend(answering(member.machine));
      // It may have ended while it was asked, and then it was counted already.
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

  /** Ends all that are ready; resolves when nothing is left of them. */
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

  /** One that nobody has leased is of no more use. */
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
    // Whoever waits for it goes on first, and may leave more to be done.
    void work.then(() => setImmediate(() => this.#pending.delete(work)));
    return work;
  }

  /** Starts what is missing, one after another, unless that is being done already. */
  #refill(): void {
    this.#refilling ??= this.#untilFull().finally(() => (this.#refilling = undefined));
  }

  async #untilFull(): Promise<void> {
    const { signal } = this.#closing;
    // Who has taken one comes first.
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
