import { GyreError } from '@gyre/protocol';
import type { SandboxKind } from './kind.js';

/** Most leases at once; a missing limit is unlimited. */
export interface QuotaLimits {
  readonly sessions?: number;
  readonly kinds?: Readonly<Partial<Record<SandboxKind, number>>>;
  /** Limits per owner. Leases without an owner do not count. */
  readonly perOwner?: number;
  /** Bytes of all leases together; leases that claim none do not count. */
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

/** A lease's share of the bytes. */
export interface Bytes {
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** A device, which one lease at a time may have. */
export interface LentDevice {
  /** The field of the lease that names it. */
  readonly field: string;
  readonly name: string;
}

/** A lease as the quotas count it. */
export interface Claim {
  readonly kind: SandboxKind;
  readonly owner?: string | undefined;
  readonly device?: LentDevice | undefined;
  /** Default: nothing. */
  readonly takes?: Bytes | undefined;
}

export interface WaitOptions {
  /** How long to wait for a place. Default 0. */
  readonly waitMs?: number | undefined;
  /** Ends the wait, and the start of the machine. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Thrown where no place is free. `limit` is the limit that was reached: `sessions`, `perOwner`, `kinds.` and a kind, `memoryBytes`,
 * `diskBytes`, or the field of the lease that names a leased device.
 */
export class QuotaReached extends GyreError {
  constructor(
    readonly limit: string,
    most: number,
    { waitMs = 0, device, spent }: { waitMs?: number; device?: LentDevice | undefined; spent?: Spent | undefined } = {},
  ) {
    const waited =
      waitMs > 0 ? `, and ${device ? 'it' : 'none'} was ${device ? 'not ' : ''}given back within ${waitMs} ms` : '';
    const reached = device
      ? `${device.name} is leased`
      : spent
        ? `${spent.taken} of ${most} bytes of ${limit} are spent, and ${spent.wanted} do not fit`
        : `${most} are leased, as many as ${limit} allows`;
    const fits = spent ? `; ${Math.max(0, most - spent.taken)} bytes would fit: ask for smaller limits` : '';
    super('infra', `${reached}${waited}`, {
      part: 'lease',
      field: limit,
      fix: `release one, or wait by waitMs${fits}`,
    });
  }
}

/** Bytes that are taken, and those that a lease needs. */
interface Spent {
  readonly taken: number;
  readonly wanted: number;
}

interface Waiting {
  readonly claim: Claim;
  readonly admit: () => void;
  readonly refuse: (reason: GyreError) => void;
}

/** Longest wait that a timer takes, in ms. */
const longestWaitMs = 2 ** 31 - 1;

/** Counts leases and admits waiting ones in order. */
export class Quotas {
  readonly #limits: QuotaLimits;
  readonly #taken = new Set<Claim>();
  readonly #waiting: Waiting[] = [];
  /** Bytes that are never given back. */
  readonly #reserved = { memoryBytes: 0, diskBytes: 0 };
  #closed: GyreError | undefined;

  /** Throws `bad_input` for limits that are no whole numbers. */
  constructor(limits: QuotaLimits = {}) {
    const { sessions, perOwner, kinds = {}, memoryBytes, diskBytes } = limits;
    const named = Object.entries(kinds).map(([kind, most]) => [`kinds.${kind}`, most] as const);
    for (const [field, most] of [
      ['sessions', sessions],
      ['perOwner', perOwner],
      ['memoryBytes', memoryBytes],
      ['diskBytes', diskBytes],
      ...named,
    ] as const) {
      if (most === undefined || (Number.isInteger(most) && most >= 0)) continue;
      throw new GyreError('bad_input', `${field} is ${most}`, { field, fix: 'give a whole number' });
    }
    this.#limits = limits;
  }

  /** Number of leases. */
  get taken(): number {
    return this.#taken.size;
  }

  /**
   * Takes a place. Resolves with the function that gives it back (twice is once). Throws `QuotaReached` where none is free in time, and
   * `infra` where the wait is aborted.
   */
  async take(claim: Claim, { waitMs = 0, signal }: WaitOptions = {}): Promise<() => void> {
    if (!(waitMs >= 0 && waitMs <= longestWaitMs)) {
      throw new GyreError('bad_input', `waitMs is ${waitMs}`, {
        field: 'waitMs',
        fix: `give a number from 0 to ${longestWaitMs}`,
      });
    }
    if (this.#closed) throw this.#closed;
    const counted = { ...claim };
    const reached = this.#reached(counted);
    if (reached === undefined) this.#taken.add(counted);
    else if (waitMs === 0) throw reached;
    else await this.#wait(counted, waitMs, signal);
    return () => this.#giveBack(counted);
  }

  /** Takes bytes for good. Throws `QuotaReached`. */
  reserve(bytes: Bytes): void {
    const reached = this.#spent(bytes);
    if (reached) throw reached;
    for (const field of byteFields) this.#reserved[field] += bytes[field];
  }

  /** Refuses all waiting and later leases. */
  close(reason: GyreError): void {
    this.#closed ??= reason;
    for (const { refuse } of this.#waiting.splice(0)) refuse(reason);
  }

  #wait(claim: Claim, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const waiting: Waiting = {
        claim,
        admit: () => {
          end();
          resolve();
        },
        refuse: (reason) => {
          end();
          reject(reason);
        },
      };
      const quit = (reason: GyreError) => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        waiting.refuse(reason);
      };
      const leave = () =>
        quit(new GyreError('infra', 'who waited for a lease has gone', { part: 'lease', field: 'signal' }));
      const timer = setTimeout(() => quit(this.#reached(claim, waitMs) ?? late), waitMs);
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', leave);
      if (signal?.aborted) leave();
    });
  }

  #giveBack(claim: Claim): void {
    if (!this.#taken.delete(claim)) return;
    // The first that fits: a lease that waits for a desktop does not block one that waits for a browser.
    for (const waiting of [...this.#waiting]) {
      if (this.#reached(waiting.claim)) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      this.#taken.add(waiting.claim);
      waiting.admit();
    }
  }

  /** Returns the error of the first limit that is reached. */
  #reached({ kind, owner, device, takes }: Claim, waitMs = 0): QuotaReached | undefined {
    const { sessions, kinds = {}, perOwner } = this.#limits;
    const taken = [...this.#taken];
    // First, as a lease of a device waits for that device alone.
    if (device && taken.some((claim) => claim.device?.field === device.field && claim.device.name === device.name)) {
      return new QuotaReached(device.field, 1, { waitMs, device });
    }
    const bounds: [string, number | undefined, number][] = [
      ['sessions', sessions, taken.length],
      [`kinds.${kind}`, kinds[kind], taken.filter((claim) => claim.kind === kind).length],
      ['perOwner', owner === undefined ? undefined : perOwner, taken.filter((claim) => claim.owner === owner).length],
    ];
    const [limit, most] = bounds.find(([, most, now]) => most !== undefined && now >= most) ?? [];
    if (limit !== undefined) return new QuotaReached(limit, most ?? 0, { waitMs });
    return takes && this.#spent(takes, waitMs);
  }

  /** Returns the error of the first kind of bytes that does not suffice. */
  #spent(takes: Bytes, waitMs = 0): QuotaReached | undefined {
    for (const field of byteFields) {
      const most = this.#limits[field];
      if (most === undefined || takes[field] === 0) continue;
      const taken = [...this.#taken].reduce((sum, claim) => sum + (claim.takes?.[field] ?? 0), this.#reserved[field]);
      if (taken + takes[field] > most) {
        return new QuotaReached(field, most, { waitMs, spent: { taken, wanted: takes[field] } });
      }
    }
    return undefined;
  }
}

const byteFields = ['memoryBytes', 'diskBytes'] as const;

const late = new GyreError('infra', 'the wait for a lease is over', {
  part: 'lease',
  field: 'waitMs',
  fix: 'wait for longer',
});
