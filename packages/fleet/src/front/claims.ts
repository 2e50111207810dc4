import { setTimeout as pause } from 'node:timers/promises';
import type { GyreError } from '@gyre/protocol';
import { QuotaReached, WaitingLine } from '@gyre/sandbox';
import type { NatsConnection } from '@nats-io/transport-node';
import { Bucket } from '../nats/bucket.js';
import { readHolder, writeHolder } from '../wire/member.js';
import type { Names } from '../wire/names.js';
import type { Members } from './members.js';

/** One of an owner's places, held by this front until a node takes it over. */
export interface Claim {
  readonly key: string;
  readonly revision: number;
}

interface Waiting {
  readonly owner: string;
}

const sweepMs = 30_000;

const againMs = 250;

/**
 * Each owner's quota over the whole fleet, as `perOwner` keys in JetStream: a member takes a place by creating its key.
 * A dead member's places are freed by any front.
 */
export class Claims {
  readonly #bucket: Bucket;
  readonly #perOwner: number;
  readonly #front: string;
  readonly #members: Members;
  /** Places believed to be taken. Writes that JetStream refused are heard too: only a `create` decides. */
  readonly #taken = new Map<string, Set<number>>();
  /** Keys that this front holds, or may hold once NATS answers. */
  readonly #own = new Set<string>();
  readonly #line = new WaitingLine<Waiting>();
  readonly #stops: (() => void)[] = [];
  #sweeping = Promise.resolve();
  /** Sweeps that were asked for, and the last that is done. */
  #wanted = 0;
  #reclaimed = 0;
  #swept = 0;

  private constructor(bucket: Bucket, perOwner: number, front: string, members: Members) {
    this.#bucket = bucket;
    this.#perOwner = perOwner;
    this.#front = `front.${front}`;
    this.#members = members;
  }

  static async open(
    nc: NatsConnection,
    { names, perOwner, front, members }: { names: Names; perOwner: number; front: string; members: Members },
  ): Promise<Claims> {
    const claims = new Claims(await Bucket.open(nc, names.claims), perOwner, front, members);
    claims.#stops.push(
      claims.#bucket.listen(({ key, value }) => {
        const [owner = '', slot = ''] = key.split('.');
        if (value !== undefined) claims.#believed(owner).add(Number(slot));
        else claims.#freed(owner, Number(slot));
      }),
    );
    await nc.flush();
    for (const { key } of await claims.#bucket.entries()) {
      const [owner = '', slot = ''] = key.split('.');
      claims.#believed(owner).add(Number(slot));
    }
    const want = () => {
      claims.#wanted++;
      claims.#sweepSoon();
    };
    members.onLoss(want);
    const sweep = setInterval(want, sweepMs);
    claims.#stops.push(() => clearInterval(sweep));
    return claims;
  }

  get waiting(): number {
    return this.#line.length;
  }

  get owners(): Map<string | undefined, number> {
    return this.#line.owners;
  }

  /** Places of dead holders that this front has freed. */
  get reclaimed(): number {
    return this.#reclaimed;
  }

  /** Takes a place, or waits for one. Throws `QuotaReached`, and `infra` if NATS does not answer in time. */
  async take(owner: string, waitMs: number, signal: AbortSignal): Promise<Claim> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const taken = await this.#tryTake(owner);
      if ('key' in taken) return taken;
      const remainingMs = Math.max(0, deadline - performance.now());
      const late = () => new QuotaReached('perOwner', this.#perOwner, { waitMs });
      if (remainingMs === 0 || signal.aborted) throw taken.fault ?? late();
      if (taken.fault) {
        await pause(Math.min(remainingMs, againMs));
        continue;
      }
      await this.#line.wait({ owner }, { waitMs: remainingMs, signal, late });
    }
  }

  /** Gives a place back, unless a node has taken it over. */
  async free({ key, revision }: Claim): Promise<void> {
    this.#own.delete(key);
    // If NATS does not answer, a sweep does it.
    await this.#bucket.delete(key, revision).catch(() => undefined);
  }

  /** Leaves a place to the node that has taken it over. */
  handOver({ key }: Claim): void {
    this.#own.delete(key);
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  async #tryTake(owner: string): Promise<Claim | { readonly fault?: GyreError }> {
    const believed = this.#believed(owner);
    // Fronts that start at the same place would collide again and again.
    const start = Math.floor(Math.random() * this.#perOwner);
    for (let step = 0; step < this.#perOwner; step++) {
      const slot = (start + step) % this.#perOwner;
      if (believed.has(slot)) continue;
      const key = `${owner}.${slot}`;
      believed.add(slot);
      this.#own.add(key);
      try {
        const revision = await this.#bucket.create(key, writeHolder(this.#front));
        if (revision !== undefined) return { key, revision };
        this.#own.delete(key);
      } catch (error) {
        // It may be stored all the same: a sweep frees what nobody here holds.
        this.#own.delete(key);
        believed.delete(slot);
        return { fault: error as GyreError };
      }
    }
    return {};
  }

  #believed(owner: string): Set<number> {
    const known = this.#taken.get(owner) ?? new Set<number>();
    this.#taken.set(owner, known);
    return known;
  }

  #freed(owner: string, slot: number): void {
    const believed = this.#believed(owner);
    believed.delete(slot);
    if (believed.size === 0) this.#taken.delete(owner);
    let free = 1;
    this.#line.serve((waiting) => waiting.owner === owner && free-- > 0);
  }

  /** Runs one sweep at a time: a tenth of the nodes may be lost at once. */
  #sweepSoon(): void {
    this.#sweeping = (async () => {
      await this.#sweeping;
      if (this.#swept >= this.#wanted) return;
      const goal = this.#wanted;
      await this.#sweep().catch(() => undefined);
      this.#swept = goal;
    })();
  }

  /** Frees what members hold that are not alive. Compares revisions: of several fronts, one frees. */
  async #sweep(): Promise<void> {
    if (!this.#members.isSettled) return;
    const entries = await this.#bucket.entries();
    const keys = new Set(entries.map(({ key }) => key));
    // A deletion may have been missed.
    for (const [owner, slots] of this.#taken) {
      for (const slot of slots) if (!keys.has(`${owner}.${slot}`)) this.#freed(owner, slot);
    }
    const orphans = entries.filter(({ key, value }) => {
      const holder = value && readHolder(value);
      if (holder === this.#front) return !this.#own.has(key);
      return holder === undefined || !this.#members.isAlive(holder);
    });
    const freed = await Promise.all(orphans.map(({ key, revision }) => this.#bucket.delete(key, revision)));
    this.#reclaimed += freed.filter(Boolean).length;
  }
}
