import { GyreError } from '@gyre/protocol';
import type { SandboxKind } from './kind.js';
import { checkWait, WaitingLine, type WaitOptions } from './waitingLine.js';

/** Most concurrent leases; undefined is unlimited. */
export interface QuotaLimits {
  readonly sessions?: number;
  readonly kinds?: Readonly<Partial<Record<SandboxKind, number>>>;
  readonly perOwner?: number;
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export interface Bytes {
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** A device, leased to one session at a time. */
export interface LeasedDevice {
  /** The lease's field that names it. */
  readonly field: string;
  readonly name: string;
}

export interface Claim {
  readonly kind: SandboxKind;
  readonly owner?: string | undefined;
  readonly device?: LeasedDevice | undefined;
  readonly takes?: Bytes | undefined;
}

/**
 * `limit` is `sessions`, `perOwner`, `kinds.KIND`, `memoryBytes`, `diskBytes`, or the field that names a leased device.
 */
export class QuotaReached extends GyreError {
  constructor(
    readonly limit: string,
    bound: number,
    {
      waitMs = 0,
      device,
      spent,
    }: { waitMs?: number; device?: LeasedDevice | undefined; spent?: Spent | undefined } = {},
  ) {
    const waited =
      waitMs > 0 ? `, and ${device ? 'it' : 'none'} was ${device ? 'not ' : ''}released within ${waitMs} ms` : '';
    const reached = device
      ? `${device.name} is leased`
      : spent
        ? `${spent.taken} of ${bound} bytes of ${limit} are in use, and the lease needs ${spent.needed}`
        : `${bound} are leased, the maximum of ${limit}`;
    const fits = spent ? `; ${Math.max(0, bound - spent.taken)} bytes are free: ask for smaller limits` : '';
    super('infra', `${reached}${waited}`, {
      part: 'lease',
      field: limit,
      fix: `release one, or wait with waitMs${fits}`,
    });
  }
}

interface Spent {
  readonly taken: number;
  readonly needed: number;
}

/** Counts leases and admits waiting ones; owners take turns. */
export class Quotas {
  readonly #limits: QuotaLimits;
  readonly #taken = new Set<Claim>();
  readonly #line = new WaitingLine<Claim>();
  /** Taken by warm pools, for good. */
  readonly #reserved = { memoryBytes: 0, diskBytes: 0 };
  #closed: GyreError | undefined;

  constructor(limits: QuotaLimits = {}) {
    const { sessions, perOwner, kinds = {}, memoryBytes, diskBytes } = limits;
    const named = Object.entries(kinds).map(([kind, max]) => [`kinds.${kind}`, max] as const);
    for (const [field, bound] of [
      ['sessions', sessions],
      ['perOwner', perOwner],
      ['memoryBytes', memoryBytes],
      ['diskBytes', diskBytes],
      ...named,
    ] as const) {
      if (bound === undefined || (Number.isInteger(bound) && bound >= 0)) continue;
      throw new GyreError('bad_input', `invalid ${field}: ${bound}`, { field, fix: 'use a whole number from 0' });
    }
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** Returns the idempotent function that frees the place. Throws `QuotaReached`, or `infra` if aborted. */
  async take(claim: Claim, { waitMs = 0, signal }: WaitOptions = {}): Promise<() => void> {
    checkWait(waitMs);
    if (this.#closed) throw this.#closed;
    const counted = { ...claim };
    const reached = this.#reached(counted);
    if (reached === undefined) this.#taken.add(counted);
    else if (waitMs === 0) throw reached;
    else await this.#line.wait(counted, { waitMs, signal, late: () => this.#reached(counted, waitMs) ?? late });
    return () => this.#giveBack(counted);
  }

  /** Takes bytes for good. Throws `QuotaReached`. */
  reserve(bytes: Bytes): void {
    const reached = this.#spent(bytes);
    if (reached) throw reached;
    for (const field of byteFields) this.#reserved[field] += bytes[field];
  }

  close(reason: GyreError): void {
    this.#closed ??= reason;
    this.#line.close(reason);
  }

  #giveBack(claim: Claim): void {
    if (!this.#taken.delete(claim)) return;
    this.#line.serve((waiting) => {
      if (this.#reached(waiting)) return false;
      this.#taken.add(waiting);
      return true;
    });
  }

  #reached({ kind, owner, device, takes }: Claim, waitMs = 0): QuotaReached | undefined {
    const { sessions, kinds = {}, perOwner } = this.#limits;
    const taken = [...this.#taken];
    // First, because such a lease waits for its device only.
    if (device && taken.some((claim) => claim.device?.field === device.field && claim.device.name === device.name)) {
      return new QuotaReached(device.field, 1, { waitMs, device });
    }
    const bounds: [string, number | undefined, number][] = [
      ['sessions', sessions, taken.length],
      [`kinds.${kind}`, kinds[kind], taken.filter((claim) => claim.kind === kind).length],
      ['perOwner', owner === undefined ? undefined : perOwner, taken.filter((claim) => claim.owner === owner).length],
    ];
    const [limit, bound] = bounds.find(([, max, now]) => max !== undefined && now >= max) ?? [];
    if (limit !== undefined) return new QuotaReached(limit, bound ?? 0, { waitMs });
    return takes && this.#spent(takes, waitMs);
  }

  #spent(takes: Bytes, waitMs = 0): QuotaReached | undefined {
    for (const field of byteFields) {
      const bound = this.#limits[field];
      if (bound === undefined || takes[field] === 0) continue;
      const taken = [...this.#taken].reduce((sum, claim) => sum + (claim.takes?.[field] ?? 0), this.#reserved[field]);
      if (taken + takes[field] > bound) {
        return new QuotaReached(field, bound, { waitMs, spent: { taken, needed: takes[field] } });
      }
    }
    return undefined;
  }
}

const byteFields = ['memoryBytes', 'diskBytes'] as const;

const late = new GyreError('infra', 'the wait for a lease timed out', {
  part: 'lease',
  field: 'waitMs',
  fix: 'raise waitMs',
});
