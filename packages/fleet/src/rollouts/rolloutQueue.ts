import { setTimeout as sleep } from 'node:timers/promises';
import { AnnouncedWeights, GyreError, type JobPolicy, JobResult, RolloutJob } from '@gyre/protocol';
import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { headers, millis, type NatsConnection, nanos } from '@nats-io/transport-node';
import { answered, Bucket, elected } from '../nats/bucket.js';
import { replicasOf } from '../nats/connect.js';
import { namesOf } from '../wire/names.js';
import { read } from '../wire/read.js';
import { jobId, policyKey } from './jobId.js';
import { defaultRolloutTimes, type RolloutTimes } from './rolloutTimes.js';
import { type DeadLetter, TakenJob } from './takenJob.js';

const dayMs = 24 * 3_600_000;

/** Results and dead letters are for a trainer that follows, and for people. */
const storedMs = 7 * dayMs;

/** JetStream's code of a stream that exists with another configuration. */
const nameInUse = 10_058;

const maxJobBytes = 16 * 1_024;

/** Longest wait for a job, and so for the end of `take`, in ms. JetStream's least. */
const pollMs = 1_000;

interface Delivery {
  readonly message: JsMsg;
  readonly ackWaitMs: number;
}

/**
 * The rollout jobs of a fleet: a JetStream work queue. Each job is delivered at least once; its id, which its episode
 * has, makes a repeat harmless.
 */
export class RolloutQueue {
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;
  readonly #replicas: number;
  readonly #results: Bucket;
  readonly #weights: Bucket;
  readonly #fleet: string;
  readonly #times: RolloutTimes;

  private constructor(parts: {
    readonly js: JetStreamClient;
    readonly jsm: JetStreamManager;
    readonly replicas: number;
    readonly results: Bucket;
    readonly weights: Bucket;
    readonly fleet: string;
    readonly times: RolloutTimes;
  }) {
    this.#js = parts.js;
    this.#jsm = parts.jsm;
    this.#replicas = parts.replicas;
    this.#results = parts.results;
    this.#weights = parts.weights;
    this.#fleet = parts.fleet;
    this.#times = parts.times;
  }

  /** Throws `bad_input` for a name that is not one of a fleet, `infra` if JetStream is off. */
  static async open(
    nc: NatsConnection,
    fleet: string,
    times: RolloutTimes = defaultRolloutTimes,
  ): Promise<RolloutQueue> {
    namesOf(fleet);
    const results = await Bucket.open(nc, `gyre_${fleet}_results`, storedMs);
    const weights = await Bucket.open(nc, `gyre_${fleet}_weights`);
    const [js, jsm] = [jetstream(nc), await elected(() => answered(() => jetstreamManager(nc)))];
    const queue = new RolloutQueue({ js, jsm, replicas: replicasOf(nc), results, weights, fleet, times });
    await elected(() => queue.#createStreams());
    return queue;
  }

  /**
   * Returns the job's id. Publishing a job twice queues it once. Throws `bad_input`, and `infra` without NATS.
   *
   * @param again queues it although it was published: NATS has lost it
   */
  async publish(job: RolloutJob, again = false): Promise<string> {
    const checked = RolloutJob.safeParse(job);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      throw new GyreError('bad_input', `not a job: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, {
        field: issue?.path.join('.') ?? 'job',
        fix: 'match the schema RolloutJob',
      });
    }
    const id = jobId(job);
    const subject = this.#subject(policyKey(job.policy));
    const send = () => this.#js.publish(subject, JSON.stringify(job), again ? {} : { msgID: id });
    await answered(() => send().catch(async () => (await this.#createStreams(), send())));
    return id;
  }

  /** Returns undefined while the job has no result. */
  async result(id: string): Promise<JobResult | undefined> {
    const { value } = (await this.#results.get(id)) ?? {};
    return value && read(JobResult, value);
  }

  /** Calls `hear` with the id of each job that gets a result. Misses those of a disconnection: ask `result` too. */
  onResult(hear: (id: string) => void): () => void {
    return this.#results.listen(({ key }) => hear(key));
  }

  /** Drops the waiting jobs of a policy. Those in work end, and nobody waits for them. */
  async purge(policy: JobPolicy): Promise<void> {
    await answered(() => this.#jsm.streams.purge(this.#stream, { filter: this.#subject(policyKey(policy)) }));
  }

  /** Returns whether no job of a policy waits for a worker or is held by one. Throws `infra` before a worker came. */
  async isDrained(policy: JobPolicy): Promise<boolean> {
    const name = `workers_${policyKey(policy)}`;
    const { num_pending, num_ack_pending } = await answered(() => this.#jsm.consumers.info(this.#stream, name));
    return num_pending + num_ack_pending === 0;
  }

  async announce(weights: AnnouncedWeights): Promise<void> {
    await this.#weights.put('current', JSON.stringify(weights));
  }

  /** Returns undefined before the first announcement. */
  async announced(): Promise<AnnouncedWeights | undefined> {
    const { value } = (await this.#weights.get('current')) ?? {};
    return value && read(AnnouncedWeights, value);
  }

  /** Returns the newest dead letters, oldest first. */
  async deadLetters(count = 100): Promise<{ job: string; reason: string; deliveries: number }[]> {
    const { state } = await answered(() => this.#jsm.streams.info(this.#deadStream));
    const letters: { job: string; reason: string; deliveries: number }[] = [];
    for (let seq = Math.max(state.first_seq, state.last_seq - count + 1); seq <= state.last_seq; seq++) {
      const message = await this.#jsm.streams.getMessage(this.#deadStream, { seq }).catch(() => undefined);
      if (!message) continue;
      const job = Buffer.from(message.data).toString('utf8');
      const deliveries = Number(message.header.get('Gyre-Deliveries'));
      letters.push({ job, reason: message.header.get('Gyre-Reason'), deliveries });
    }
    return letters;
  }

  /**
   * Takes one job at a time until `signal` aborts. Malformed jobs, and jobs that ended `maxDeliver` workers, become dead
   * letters. A loss of NATS is waited out: what is played meanwhile is not lost.
   */
  async *take(policy: JobPolicy, signal: AbortSignal): AsyncGenerator<TakenJob, void> {
    const key = policyKey(policy);
    while (!signal.aborted) {
      const next = await this.#next(key).catch(async () => {
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
        // NATS may have lost the stream.
        if (!signal.aborted) await this.#createStreams().catch(() => undefined);
        return null;
      });
      if (!next) continue;
      const taken = await this.#open(next, key).catch(() => undefined);
      if (taken) yield taken;
    }
  }

  async #open({ message, ackWaitMs }: Delivery, key: string): Promise<TakenJob | undefined> {
    const { data } = message;
    const deliveries = message.info.deliveryCount;
    const job = data.length <= maxJobBytes ? read(RolloutJob, data) : undefined;
    if (!job || policyKey(job.policy) !== key) {
      const reason = job ? 'published under the subject of another policy' : 'not a job: it does not match RolloutJob';
      await this.#bury({ data, reason, deliveries });
      message.term();
      return undefined;
    }
    const ledger = {
      record: (id: string, result: JobResult) => this.#record(id, result),
      bury: (letter: DeadLetter) => this.#bury(letter),
    };
    const taken = new TakenJob(jobId(job), job, message, ledger, { ...this.#times, ackWaitMs });
    try {
      if (await this.result(taken.id)) {
        await taken.skip();
        return undefined;
      }
      if (deliveries <= this.#times.maxDeliver) return taken;
      await taken.giveUp(`${deliveries - 1} workers died with it, or lost NATS`);
      return undefined;
    } catch (error) {
      // Otherwise its signs of life would keep the job from all workers.
      taken.drop();
      throw error;
    }
  }

  async #next(key: string): Promise<Delivery | null> {
    const name = `workers_${key}`;
    const get = () => this.#js.consumers.get(this.#stream, name);
    const consumer = await get().catch(async () => {
      await this.#jsm.consumers.add(this.#stream, {
        durable_name: name,
        filter_subject: this.#subject(key),
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(this.#times.ackWaitMs),
        // Workers count, and name the dead letter; the server would leave it in the queue.
        max_deliver: -1,
        max_ack_pending: 100_000,
      });
      return get();
    });
    const message = await consumer.next({ expires: pollMs });
    if (!message) return null;
    // The first worker's may be another one.
    const { ack_wait = nanos(this.#times.ackWaitMs) } = (await consumer.info(true)).config;
    return { message, ackWaitMs: millis(ack_wait) };
  }

  async #record(id: string, result: JobResult): Promise<void> {
    await this.#results.create(id, JSON.stringify(result));
  }

  async #bury({ data, reason, deliveries }: DeadLetter): Promise<void> {
    const about = headers();
    // A header is one line.
    about.set('Gyre-Reason', reason.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 500));
    about.set('Gyre-Deliveries', String(deliveries));
    await answered(() => this.#js.publish(`gyre.${this.#fleet}.dead`, data, { headers: about }));
  }

  async #createStreams(): Promise<void> {
    const queue = {
      name: this.#stream,
      subjects: [this.#subject('*')],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: this.#replicas,
      discard: DiscardPolicy.New,
      duplicate_window: nanos(120_000),
      max_age: nanos(dayMs),
    };
    const dead = {
      name: this.#deadStream,
      subjects: [`gyre.${this.#fleet}.dead`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      num_replicas: this.#replicas,
      max_age: nanos(storedMs),
      max_msgs: 10_000,
    };
    await answered(async () => {
      for (const stream of [queue, dead]) {
        await this.#jsm.streams.add(stream).catch((error: unknown) => {
          // One that exists stays as its operator configured it.
          if ((error as JetStreamApiError).code !== nameInUse) throw error;
        });
      }
    });
  }

  get #stream(): string {
    return `gyre_${this.#fleet}_rollouts`;
  }

  get #deadStream(): string {
    return `gyre_${this.#fleet}_dead`;
  }

  #subject(key: string): string {
    return `gyre.${this.#fleet}.rollouts.${key}`;
  }
}
