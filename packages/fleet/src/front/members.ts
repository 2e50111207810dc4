import { setMaxListeners } from 'node:events';
import type { NatsConnection } from '@nats-io/transport-node';
import { Bucket, type Entry } from '../nats/bucket.js';
import { onConnection } from '../nats/connect.js';
import type { Times } from '../times.js';
import { type Load, type NodeRecord, readNode } from '../wire/member.js';
import { isInstance, type Names } from '../wire/names.js';

export interface KnownNode {
  readonly record: NodeRecord;
  load: Load;
  /** Leases that this front is asking for. */
  pending: number;
  /** Aborts when the node leaves or is lost. */
  readonly gone: AbortController;
  seenAt: number;
}

const rememberedLost = 10_000;

/** The fleet's members, as their records tell. A member is lost after `lostMs` of silence while this front hears NATS. */
export class Members {
  readonly #nodes = new Map<string, KnownNode>();
  readonly #fronts = new Map<string, number>();
  readonly #lost = new Set<string>();
  readonly #listeners: (() => void)[] = [];
  readonly #lossListeners: ((member: string, sessions: number) => void)[] = [];
  readonly #stops: (() => void)[] = [];
  readonly #times: Times;
  readonly #bucket: Bucket;
  readonly #key: string;
  #malformed = 0;
  #since = performance.now();
  #heardItselfAt = performance.now();

  private constructor(bucket: Bucket, front: string, times: Times) {
    this.#bucket = bucket;
    this.#key = `front.${front}`;
    this.#times = times;
  }

  /** Joins as a front. */
  static async join(nc: NatsConnection, names: Names, front: string, times: Times): Promise<Members> {
    const bucket = await Bucket.open(nc, names.members, times.lostMs);
    const members = new Members(bucket, front, times);
    members.#stops.push(
      bucket.listen((entry) => members.#hear(entry)),
      onConnection(nc, (isConnected) => {
        if (isConnected) void members.#reread().catch(() => undefined);
      }),
    );
    await nc.flush();
    await members.#reread();
    await members.#beat();
    const beat = setInterval(() => void members.#beat().catch(() => undefined), times.beatMs);
    const check = setInterval(() => members.#check(), times.beatMs / 2);
    members.#stops.push(
      () => clearInterval(beat),
      () => clearInterval(check),
    );
    return members;
  }

  get nodes(): Iterable<KnownNode> {
    return this.#nodes.values();
  }

  get size(): number {
    return this.#nodes.size;
  }

  get fronts(): number {
    return this.#fronts.size;
  }

  /** Records that could not be read. */
  get malformed(): number {
    return this.#malformed;
  }

  /** Whether it has listened for long enough to know who is lost. */
  get isSettled(): boolean {
    return performance.now() - this.#since > this.#times.lostMs;
  }

  node(instance: string): KnownNode | undefined {
    return this.#nodes.get(instance);
  }

  wasLost(instance: string): boolean {
    return this.#lost.has(instance);
  }

  /** @param member such as `node.INSTANCE`. */
  isAlive(member: string): boolean {
    const [role = '', name = ''] = member.split('.');
    return member === this.#key || (role === 'node' ? this.#nodes : this.#fronts).has(name);
  }

  /** Calls `listener` when a node may have a place. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` with each member that leaves or is lost, and the sessions that it last had. */
  onLoss(listener: (member: string, sessions: number) => void): void {
    this.#lossListeners.push(listener);
  }

  /** Takes a load from a node's own answer. */
  update(node: KnownNode, load: Load): void {
    node.load = load;
    this.#changed();
  }

  /** Forgets a node until its next record. */
  drop(instance: string): void {
    const node = this.#nodes.get(instance);
    if (!node) return;
    this.#nodes.delete(instance);
    this.#lost.add(instance);
    if (this.#lost.size > rememberedLost) this.#lost.delete([...this.#lost][0] ?? '');
    node.gone.abort();
    this.#lose(`node.${instance}`, node.load.taken);
  }

  async leave(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#bucket.delete(this.#key).catch(() => undefined);
  }

  async #beat(): Promise<void> {
    await this.#bucket.put(this.#key, '{}');
  }

  /** Nobody is lost for what this front did not hear. */
  async #reread(): Promise<void> {
    this.#grace();
    for (const entry of await this.#bucket.entries()) this.#hear(entry);
  }

  #grace(): void {
    const now = performance.now();
    this.#since = now;
    for (const node of this.#nodes.values()) node.seenAt = now;
    for (const front of this.#fronts.keys()) this.#fronts.set(front, now);
  }

  #hear({ key, value }: Entry): void {
    const [role, name = '', ...rest] = key.split('.');
    if (!isInstance(name) || rest.length > 0) return this.#reject();
    if (role === 'front') {
      if (key === this.#key) this.#heardItselfAt = performance.now();
      else if (value !== undefined) this.#fronts.set(name, performance.now());
      else if (this.#fronts.delete(name)) this.#lose(key);
      return;
    }
    if (role !== 'node') return this.#reject();
    if (value === undefined) return this.drop(name);
    const record = readNode(name, value);
    if (!record) return this.#reject();
    this.#know(record);
  }

  #reject(): void {
    this.#malformed++;
  }

  #know(record: NodeRecord): void {
    const known = this.#nodes.get(record.instance);
    const seenAt = performance.now();
    if (!known) {
      const gone = new AbortController();
      // One for each lease that is asked for.
      setMaxListeners(0, gone.signal);
      this.#nodes.set(record.instance, { record, load: record.load, pending: 0, gone, seenAt });
      this.#lost.delete(record.instance);
    } else {
      known.seenAt = seenAt;
      // A listing may be older than what was heard meanwhile.
      if (record.seq < known.record.seq) return;
      this.#nodes.set(record.instance, Object.assign(known, { record, load: record.load }));
    }
    this.#changed();
  }

  #check(): void {
    const now = performance.now();
    // A front that does not hear itself knows nothing about others.
    if (now - this.#heardItselfAt > 2.5 * this.#times.beatMs) this.#grace();
    for (const [instance, { seenAt }] of this.#nodes) if (now - seenAt > this.#times.lostMs) this.drop(instance);
    for (const [front, seenAt] of this.#fronts) {
      if (now - seenAt <= this.#times.lostMs) continue;
      this.#fronts.delete(front);
      this.#lose(`front.${front}`);
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #lose(member: string, sessions = 0): void {
    for (const listener of this.#lossListeners) listener(member, sessions);
  }
}
