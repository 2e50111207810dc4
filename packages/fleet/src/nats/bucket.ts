import { GyreError } from '@gyre/protocol';
import { type JetStreamApiError, type JetStreamManager, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { setTimeout as delay } from 'node:timers/promises';
import { type NatsConnection, TimeoutError } from '@nats-io/transport-node';
import { replicasOf } from './connect.js';

export interface Entry {
  readonly key: string;
  /** Undefined once deleted. */
  readonly value: Uint8Array | undefined;
  /** Absent in `listen`, which also hears writes that lose. */
  readonly revision?: number;
}

/** Keys that are read at once. */
const batch = 200;

/** JetStream's code of a write that another one preceded. */
const wrongSequence = 10_071;

/** A JetStream KV bucket, which is created again if NATS has lost it. Its calls throw `infra` if NATS does not answer. */
export class Bucket {
  readonly #nc: NatsConnection;
  readonly #name: string;
  readonly #ttlMs: number | undefined;
  readonly #jsm: JetStreamManager;
  #kv: KV;

  private constructor(
    nc: NatsConnection,
    name: string,
    ttlMs: number | undefined,
    { jsm, kv }: { jsm: JetStreamManager; kv: KV },
  ) {
    this.#nc = nc;
    this.#name = name;
    this.#ttlMs = ttlMs;
    this.#jsm = jsm;
    this.#kv = kv;
  }

  /** Throws `infra` if JetStream is off. */
  static async open(nc: NatsConnection, name: string, ttlMs?: number): Promise<Bucket> {
    return new Bucket(nc, name, ttlMs, await elected(() => create(nc, name, ttlMs)));
  }

  async put(key: string, value: string): Promise<number> {
    return answered(() => this.#kv.put(key, value)).catch(async () => {
      await this.#restore();
      return answered(() => this.#kv.put(key, value));
    });
  }

  /** Returns the revision, or undefined if the key exists. */
  create(key: string, value: string): Promise<number | undefined> {
    return winning(() => this.#kv.create(key, value));
  }

  /** Returns the new revision, or undefined if the key has changed since `revision`. */
  update(key: string, value: string, revision: number): Promise<number | undefined> {
    return winning(() => this.#kv.update(key, value, revision));
  }

  /**
   * Returns whether it was deleted.
   *
   * @param revision if the key has changed since, it stays.
   */
  async delete(key: string, revision?: number): Promise<boolean> {
    const terms = revision === undefined ? {} : { previousSeq: revision };
    return (await winning(() => this.#kv.delete(key, terms).then(() => true))) ?? false;
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await answered(() => this.#kv.get(key));
    return entry?.operation === 'PUT' ? entry : undefined;
  }

  /** Reads the whole bucket. Without a consumer, whose end cannot be told while others write. */
  async entries(): Promise<Entry[]> {
    const prefix = `$KV.${this.#name}.`;
    const { state } = await answered(() =>
      this.#jsm.streams.info(`KV_${this.#name}`, { subjects_filter: `${prefix}>` }),
    );
    const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
    const entries: Entry[] = [];
    for (let start = 0; start < keys.length; start += batch) {
      const some = await Promise.all(keys.slice(start, start + batch).map((key) => this.get(key)));
      entries.push(...some.filter((entry) => entry !== undefined));
    }
    return entries;
  }

  /**
   * Hears every write as it is published, also such that JetStream refuses. Needs no consumer on the server, which
   * could end with it. Misses what is written while disconnected: read `entries` then.
   */
  listen(hear: (entry: Entry) => void): () => void {
    const prefix = `$KV.${this.#name}.`;
    const subscription = this.#nc.subscribe(`${prefix}>`, {
      callback: (error, { subject, headers, data }) => {
        if (error) return;
        const isDelete = headers?.has('KV-Operation') ?? false;
        hear({ key: subject.slice(prefix.length), value: isDelete ? undefined : data });
      },
    });
    return () => subscription.unsubscribe();
  }

  async #restore(): Promise<void> {
    this.#kv = (await create(this.#nc, this.#name, this.#ttlMs)).kv;
  }
}

async function create(nc: NatsConnection, name: string, ttlMs: number | undefined) {
  try {
    // Fails if JetStream is off.
    const jsm = await jetstreamManager(nc);
    const replicas = replicasOf(nc);
    const kv = await new Kvm(nc).create(name, {
      history: 1,
      storage: StorageType.File,
      replicas,
      // Any replica answers a direct read, also one that lags behind.
      ...(replicas > 1 && { allow_direct: false }),
      ...(ttlMs !== undefined && { ttl: ttlMs }),
    });
    return { jsm, kv };
  } catch (cause) {
    throw new GyreError('infra', `NATS does not store the fleet: ${(cause as Error).message}`, {
      part: 'network',
      field: '--join',
      fix: 'start nats-server with -js, and let this user use JetStream',
      cause,
    });
  }
}

/** Longest choice of a leader by a cluster that has lost a server, in ms. */
const electionMs = 30_000;

/** JetStream's code of a cluster without a leader. */
const noLeader = 10_008;

/** Repeats a call while the cluster of NATS chooses a leader. */
export async function elected<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const end = performance.now() + electionMs; ;) {
    try {
      return await call();
    } catch (error) {
      const { cause } = error as GyreError;
      const isElection = cause instanceof TimeoutError || (cause as JetStreamApiError | undefined)?.code === noLeader;
      if (!isElection || performance.now() > end) throw error;
      await delay(500);
    }
  }
}

async function winning<Result>(write: () => Promise<Result>): Promise<Result | undefined> {
  return answered(() =>
    write().catch((error: unknown) => {
      if ((error as JetStreamApiError).code === wrongSequence) return undefined;
      throw error;
    }),
  );
}

/** Throws `infra` for a call that NATS does not answer. */
export async function answered<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof GyreError) throw cause;
    throw new GyreError('infra', `NATS does not answer: ${(cause as Error).message}`, {
      part: 'network',
      fix: 'check nats-server, and try again',
      cause,
    });
  }
}
