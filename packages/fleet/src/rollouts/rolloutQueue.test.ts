import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { GyreError, type JobPolicy, RolloutJob } from '@gyre/protocol';
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Bucket } from '../nats/bucket.js';
import { connectNats } from '../nats/connect.js';
import { natsServer, NatsProcess, needsNats } from '../natsServer.test.support.js';
import { jobId } from './jobId.js';
import { RolloutQueue } from './rolloutQueue.js';
import type { TakenJob } from './takenJob.js';

const times = { ackWaitMs: 1_000, retryMs: 50, maxDeliver: 3 };
const oracle: JobPolicy = { kind: 'named', name: 'oracle' };
const jobOf = (seed: number, policy: JobPolicy = oracle): RolloutJob => ({
  ...{ run: 'r', family: 'click', split: 'train', seed, attempt: 0, sampleSeed: seed, purpose: 'ppo', policy },
});

it('gives jobs that differ in any field different ids', () => {
  const job = fc.record({
    ...{
      run: fc.string({ minLength: 1 }),
      family: fc.string({ minLength: 1 }),
      split: fc.constantFrom('train', 'dev'),
    },
    ...{ seed: fc.nat(3), attempt: fc.nat(3), sampleSeed: fc.nat(3), purpose: fc.string({ minLength: 1 }) },
    policy: fc.oneof(
      fc.record({ kind: fc.constant('weights'), version: fc.nat(3) }),
      fc.record({ kind: fc.constant('model'), url: fc.string({ minLength: 1 }) }),
      fc.record({ kind: fc.constant('named'), name: fc.constantFrom('oracle', 'random') }),
    ),
  });
  fc.assert(
    fc.property(job, job, (first, second) => {
      const [a, b] = [RolloutJob.parse(first), RolloutJob.parse(second)];
      expect(jobId(a) === jobId(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});

it.skipIf(!natsServer)(`is stored by three servers of a cluster${needsNats}`, async () => {
  const servers = await NatsProcess.startCluster(3);
  const nc = await connectNats({ servers: servers.map(({ url }) => url) }, 'test');
  try {
    // The servers have yet to choose a leader.
    await RolloutQueue.open(nc, 'cluster', times);
    const streams = await (await jetstreamManager(nc)).streams.list().next();
    const copies = streams.map(({ config }) => [config.name, config.num_replicas]);
    expect(Object.fromEntries(copies)).toEqual({
      ...{ gyre_cluster_rollouts: 3, gyre_cluster_dead: 3 },
      ...{ KV_gyre_cluster_results: 3, KV_gyre_cluster_weights: 3 },
    });
  } finally {
    await nc.close();
    await Promise.all(servers.map((server) => server.close()));
  }
});

describe.skipIf(!natsServer)(`a work queue in nats-server${needsNats}`, () => {
  let nats: NatsProcess;
  let nc: NatsConnection;
  let queue: RolloutQueue;
  let fleet: string;
  let fleets = 0;
  const stops: AbortController[] = [];
  beforeAll(async () => {
    nats = await NatsProcess.start();
  });
  afterAll(() => nats.close());
  const open = async () => {
    fleet = `queue${++fleets}`;
    nc = await connectNats({ servers: [nats.url] }, 'test');
    queue = await RolloutQueue.open(nc, fleet, times);
  };
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await nc.close();
  });
  const taking = (policy: JobPolicy = oracle) => {
    const stop = new AbortController();
    stops.push(stop);
    const jobs = queue.take(policy, stop.signal);
    return async (): Promise<TakenJob> => (await jobs.next()).value as TakenJob;
  };
  const raw = (text: string | Uint8Array, key = 'named_oracle') =>
    jetstream(nc).publish(`gyre.${fleet}.rollouts.${key}`, text);

  it('delivers a job to one worker, and records its first result', async () => {
    await open();
    const id = await queue.publish(jobOf(1));
    expect(await queue.publish(jobOf(1))).toBe(id);
    await queue.publish(jobOf(2));
    const heard: string[] = [];
    queue.onResult((job) => heard.push(job));
    const [a, b] = [await taking()(), await taking()()];
    expect([a.job.seed, b.job.seed].sort()).toEqual([1, 2]);
    expect(a.id).toBe(id);
    expect(await queue.result(id)).toBeUndefined();
    await a.stored('first');
    await b.stored('second');
    expect(await queue.result(id)).toEqual({ state: 'stored', worker: 'first' });
    await vi.waitFor(() => expect(heard).toEqual([a.id, b.id]));
  });

  it('delivers no job again while its worker lives, and at once when it hands it back', async () => {
    await open();
    await queue.publish(jobOf(1));
    const taken = await taking()();
    await sleep(2 * times.ackWaitMs);
    await queue.publish(jobOf(2));
    const next = taking();
    expect((await next()).job.seed).toBe(2);
    await taken.release();
    const again = await next();
    expect(again.job.seed).toBe(1);
    expect(again.deliveries).toBe(2);
  });

  it('knows whether jobs wait or are played, and queues one again that was lost', async () => {
    await open();
    const id = await queue.publish(jobOf(1));
    const next = taking();
    const taken = await next();
    expect(await queue.isDrained(oracle)).toBe(false);
    await taken.release();
    await queue.purge(oracle);
    await vi.waitFor(async () => expect(await queue.isDrained(oracle)).toBe(true));
    await queue.publish(jobOf(1));
    expect(await queue.isDrained(oracle)).toBe(true);
    await queue.publish(jobOf(1), true);
    expect(await queue.isDrained(oracle)).toBe(false);
    expect((await next()).id).toBe(id);
  });

  it('acknowledges a repeat of a job that has a result, and hands it to nobody', async () => {
    await open();
    await queue.publish(jobOf(1));
    const next = taking();
    await (await next()).stored('first');
    await raw(JSON.stringify(jobOf(1)));
    await queue.publish(jobOf(2));
    expect((await next()).job.seed).toBe(2);
  });

  it('writes a dead letter after the last delivery, and gives the job up', async () => {
    await open();
    const id = await queue.publish(jobOf(1));
    const next = taking();
    expect(await (await next()).failed('the browser died')).toBe(false);
    expect(await (await next()).failed('the browser died')).toBe(false);
    expect(await (await next()).failed('the browser died again')).toBe(true);
    expect(await queue.result(id)).toEqual({ state: 'given_up', message: 'the browser died again' });
    const letters = await queue.deadLetters();
    expect(letters).toEqual([{ job: JSON.stringify(jobOf(1)), reason: 'the browser died again', deliveries: 3 }]);
  });

  it('gives up a job that ended its workers', async () => {
    await open();
    const id = await queue.publish(jobOf(1));
    const next = taking();
    for (let delivery = 0; delivery < times.maxDeliver; delivery++) await (await next()).release();
    await queue.publish(jobOf(2));
    expect((await next()).job.seed).toBe(2);
    expect(await queue.result(id)).toMatchObject({ state: 'given_up' });
  });

  it('keeps the jobs of other policies for their workers', async () => {
    await open();
    await queue.publish(jobOf(1, { kind: 'model', url: 'http://127.0.0.1:1' }));
    await queue.publish(jobOf(2, { kind: 'weights', version: 3 }));
    await queue.publish(jobOf(3));
    expect((await taking()()).job.seed).toBe(3);
    expect((await taking({ kind: 'weights', version: 0 })()).job.seed).toBe(2);
  });

  it('purges the waiting jobs of a policy', async () => {
    await open();
    await queue.publish(jobOf(1));
    await queue.publish(jobOf(2, { kind: 'weights', version: 3 }));
    await queue.purge(oracle);
    await queue.publish(jobOf(4));
    expect((await taking()()).job.seed).toBe(4);
    expect((await taking({ kind: 'weights', version: 0 })()).job.seed).toBe(2);
  });

  it('makes dead letters of hostile payloads, and serves the jobs between them', { timeout: 60_000 }, async () => {
    await open();
    const next = taking();
    const field = fc.constantFrom(...(Object.keys(jobOf(0)) as (keyof RolloutJob)[]));
    const changed = fc
      .tuple(field, fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...jobOf(0), [name]: value }));
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
      changed.map((text) => Buffer.from(text)),
      fc
        .constantFrom('['.repeat(500_000), '{"__proto__":{"run":"r"}}', ' '.repeat(900_000))
        .map((text) => Buffer.from(text)),
    );
    const isJob = (bytes: Buffer) => {
      try {
        return RolloutJob.safeParse(JSON.parse(bytes.toString())).success;
      } catch {
        return false;
      }
    };
    let seed = 10;
    await fc.assert(
      fc.asyncProperty(
        payload.filter((bytes) => !isJob(bytes)),
        async (bytes) => {
          await raw(bytes);
          const job = jobOf(++seed);
          await queue.publish(job);
          const taken = await next();
          expect(taken.job).toEqual(job);
          await taken.stored('w');
        },
      ),
      { numRuns: 60 },
    );
    expect((await queue.deadLetters(1_000)).length).toBeGreaterThanOrEqual(60);
  });

  it('outlives a restart of NATS', { timeout: 30_000 }, async () => {
    await open();
    const next = taking();
    const waiting = next();
    await nats.kill();
    await nats.resume();
    await vi.waitFor(() => queue.publish(jobOf(1)), { timeout: 20_000, interval: 250 });
    expect((await waiting).job.seed).toBe(1);
  });

  it('delivers a job again whose results could not be read, and one whose result could not be written', async () => {
    await open();
    const id = await queue.publish(jobOf(1));
    const next = taking();
    const away = new GyreError('infra', 'NATS does not answer: timeout', { part: 'network' });
    const reading = vi.spyOn(queue, 'result').mockRejectedValueOnce(away);
    const taken = await next();
    expect(reading).toHaveBeenCalledTimes(2);
    expect(taken).toMatchObject({ id, deliveries: 2 });
    const writing = vi.spyOn(Bucket.prototype, 'create').mockRejectedValueOnce(away);
    await expect(taken.stored('first')).rejects.toBe(away);
    writing.mockRestore();
    expect(await taken.failed(away.message)).toBe(false);
    const again = await next();
    await again.stored('second');
    expect(await queue.result(id)).toEqual({ state: 'stored', worker: 'second' });
  });

  it('announces weights', async () => {
    await open();
    expect(await queue.announced()).toBeUndefined();
    const weights = { version: 4, key: 'weights/0.safetensors', bytes: 3, sha256: 'a'.repeat(64) };
    await queue.announce(weights);
    expect(await queue.announced()).toEqual(weights);
  });
});
