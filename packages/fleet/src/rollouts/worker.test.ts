import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { JobPolicy, RolloutJob } from '@gyre/protocol';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectNats } from '../nats/connect.js';
import { natsServer, NatsProcess, needsNats } from '../natsServer.test.support.js';
import { RolloutQueue } from './rolloutQueue.js';

const times = { ackWaitMs: 2_000, retryMs: 200, maxDeliver: 5 };
const random: JobPolicy = { kind: 'named', name: 'random' };
/** Random actions seldom end this family before its budget: its episodes can be interrupted. */
const slow = 'mazePathOfLight';
const jobOf = (seed: number, family = 'click'): RolloutJob => ({
  ...{ run: 'r', family, split: 'train', seed, attempt: 0, sampleSeed: seed, purpose: 'ppo', policy: random },
});
const bin = fileURLToPath(new URL('../../../cli/bin/gyre.mjs', import.meta.url));
const waits = { timeout: 120_000, interval: 50 };

interface Worker {
  readonly child: ChildProcess;
  readonly lake: string;
  readonly log: () => string;
  /** Returns the jobs that it began to play. */
  readonly played: () => number;
}

describe.skipIf(!natsServer)(`workers as processes${needsNats}`, { timeout: 300_000 }, () => {
  let nats: NatsProcess;
  let nc: NatsConnection;
  let queue: RolloutQueue;
  let fleet = '';
  let dir = '';
  let count = 0;
  const workers: Worker[] = [];
  beforeAll(async () => {
    nats = await NatsProcess.start();
  });
  afterAll(() => nats.close());
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gyre-worker-'));
    nc = await connectNats({ servers: [nats.url] }, 'test');
    await newFleet();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => ended(worker, 'SIGKILL')));
    await nc.close();
    await rm(dir, { recursive: true, force: true });
  });

  async function newFleet(): Promise<void> {
    fleet = `work${++count}`;
    queue = await RolloutQueue.open(nc, fleet, times);
    // The first `take` sets the time of silence for all workers.
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    for await (const _ of queue.take(random, stop.signal));
  }

  const start = (name: string, ...flags: string[]): Worker => {
    const args = ['--join', nats.url, '--fleet', fleet, '--store', join(dir, '.'), '--policy', 'random'];
    const folder = ['--directory', join(dir, name), '--sessions', '2', '--browsers', '1', '--worker-name', name];
    const child = spawn(process.execPath, [bin, 'worker', ...args, ...folder, ...flags], { stdio: 'pipe' });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()));
    const lake = join(dir, name, 'lake');
    const worker = { child, lake, log: () => log, played: () => log.split(': playing').length - 1 };
    workers.push(worker);
    return worker;
  };
  const ended = async ({ child }: Worker, signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  };
  const result = (id: string) =>
    vi.waitFor(async () => {
      const known = await queue.result(id);
      expect(known).toBeDefined();
      return known;
    }, waits);
  const midEpisode = ({ lake }: Worker) =>
    vi.waitFor(async () => {
      const files = await readdir(join(lake, 'wal'));
      expect(files.some((file) => file.endsWith('.jsonl'))).toBe(true);
    }, waits);
  const gyre = async (...args: string[]) => (await promisify(execFile)(process.execPath, [bin, ...args])).stdout;
  /** Returns ids and states of the episodes of a lake. */
  const episodesOf = async (directory: string, where = 'true'): Promise<{ id: string; state: string }[]> => {
    const statement = `select episode_id, state from episodes where ${where}`;
    const text = await gyre('lake', 'sql', statement, '--directory', directory, '--json');
    const { rows } = JSON.parse(text.trim().split('\n').at(-1)!) as { rows: [string, string][] };
    return rows.map(([id, state]) => ({ id, state }));
  };
  /** Returns all rows of the store, repeats included. */
  const stored = async () => {
    const reader = join(dir, `reader${++count}`);
    await gyre('lake', 'pull', dir, '--directory', reader);
    return episodesOf(reader);
  };

  it('play jobs, and store each episode before its result', async () => {
    const ids = await Promise.all([1, 2, 3].map((seed) => queue.publish(jobOf(seed))));
    start('a');
    for (const id of ids) expect(await result(id)).toMatchObject({ state: 'stored' });
    expect((await stored()).map(({ id }) => id).sort()).toEqual(ids.toSorted());
  });

  it('leave a job to another when killed mid-episode, whose episode counts once', async () => {
    const id = await queue.publish(jobOf(1, slow));
    const victim = start('a');
    await midEpisode(victim);
    await ended(victim, 'SIGKILL');
    expect(await queue.result(id)).toBeUndefined();
    start('b');
    expect(await result(id)).toMatchObject({ state: 'stored', worker: expect.stringMatching(/^b_/) as string });
    // The victim comes back with its cut episode, and plays another job.
    const next = await queue.publish(jobOf(2));
    await ended(workers[1]!, 'SIGTERM');
    start('a');
    await result(next);
    const rows = await stored();
    expect(rows.map((row) => row.id).sort()).toEqual([id, next].sort());
    expect(rows.every(({ state }) => state === 'finished' || state === 'out_of_budget')).toBe(true);
  });

  it('do not play a repeat of a job with a result', async () => {
    const id = await queue.publish(jobOf(1));
    const worker = start('a');
    await result(id);
    await jetstream(nc).publish(`gyre.${fleet}.rollouts.named_random`, JSON.stringify(jobOf(1)));
    await result(await queue.publish(jobOf(2)));
    expect(worker.played()).toBe(2);
    expect(await stored()).toHaveLength(2);
  });

  it('do not play a job again whose episode was durable before its result', async () => {
    const id = await queue.publish(jobOf(1));
    const first = start('a');
    await result(id);
    await ended(first, 'SIGTERM');
    // This fleet has no results: as if the worker had died before it announced.
    await newFleet();
    expect(await queue.publish(jobOf(1))).toBe(id);
    const again = start('a');
    expect(await result(id)).toMatchObject({ state: 'stored' });
    expect(again.played()).toBe(0);
    expect(await stored()).toHaveLength(1);
  });

  it('drain on SIGTERM: the episode under way is stored, and the worker succeeds', async () => {
    const id = await queue.publish(jobOf(1, slow));
    const worker = start('a');
    await midEpisode(worker);
    expect(await ended(worker, 'SIGTERM')).toBe(0);
    expect(await queue.result(id)).toMatchObject({ state: 'stored' });
  });

  it('never score an infrastructure fault', async () => {
    const id = await queue.publish(jobOf(1));
    const broken = start('a', '--sandbox', 'http://127.0.0.1:9');
    await vi.waitFor(() => expect(broken.log()).toContain(': retried'), waits);
    expect(await queue.result(id)).toBeUndefined();
    await ended(broken, 'SIGKILL');
    start('b');
    expect(await result(id)).toMatchObject({ state: 'stored' });
    expect(await stored()).toHaveLength(1);
  });

  it('give up jobs that nobody can play, and play the others', async () => {
    const unknown = await queue.publish(jobOf(1, 'noSuchFamily'));
    const id = await queue.publish(jobOf(2));
    start('a');
    expect(await result(unknown)).toMatchObject({
      state: 'given_up',
      message: expect.stringContaining('noSuchFamily') as string,
    });
    expect(await result(id)).toMatchObject({ state: 'stored' });
    expect((await queue.deadLetters()).map(({ reason }) => reason)).toEqual([expect.stringContaining('noSuchFamily')]);
  });

  it('train a policy, although one is killed: under announced weights, no episode twice', async () => {
    const file = join(dir, 'settings.json');
    await writeFile(file, JSON.stringify({ ppo: { decisions: 8, staleness: 1, replay: { steps: 0 } } }));
    const victim = start('a', '--announced');
    const run = ['--from', 'pixels', '--family', 'click', '--settings', file, '--iterations', '2', '--sessions', '4'];
    const queued = ['--join', nats.url, '--fleet', fleet, '--store', dir, '--directory', join(dir, 'run'), '--json'];
    const training = gyre('train', 'ppo', ...run, ...queued);
    await vi.waitFor(() => expect(victim.log()).toContain(': stored'), waits);
    await ended(victim, 'SIGKILL');
    start('b', '--announced');
    const { iterations } = JSON.parse((await training).trim().split('\n').at(-1)!) as {
      iterations: { episodes: number; infraErrors: number; gap: { mean: number }; staleness: Record<string, number> }[];
    };
    expect(iterations.map(({ infraErrors }) => infraErrors)).toEqual([0, 0]);
    // The trainer's weights give the probabilities that the worker sampled with.
    for (const { gap } of iterations) expect(gap.mean).toBeLessThan(1e-4);
    expect(iterations[0]!.staleness).toEqual({ 0: expect.any(Number) as number });
    const rows = await stored();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(iterations[0]!.episodes + iterations[1]!.episodes);
  });

  it('play the RL of a flywheel, although NATS goes away and loses jobs; the trainer plays the rest', async () => {
    const file = join(dir, 'settings.json');
    const cycle = { evaluate: 2, sft: { steps: 1 }, rl: { iterations: 1 }, generate: { tasks: 1, attempts: 1 } };
    const ppo = { decisions: 8, replay: { steps: 0 } };
    await writeFile(file, JSON.stringify({ families: ['click'], from: 'pixels', baselines: 2, cycles: 1, cycle, ppo }));
    const worker = start('a', '--announced');
    const run = ['--settings', file, '--evaluate', '2', '--minutes', '5', '--sessions', '2', '--browsers', '1'];
    const queued = ['--join', nats.url, '--fleet', fleet, '--store', dir, '--directory', join(dir, 'run')];
    const training = gyre('flywheel', ...run, ...queued);
    await vi.waitFor(() => expect(worker.log()).toContain(': playing'), waits);
    await nats.kill();
    await sleep(3_000);
    await nats.resume();
    // As a server of a cluster may lose what it had not copied.
    await vi.waitFor(() => queue.purge({ kind: 'weights', version: 0 }), waits);
    await training;
    expect(await ended(worker, 'SIGTERM')).toBe(0);
    const ids = (await stored()).map(({ id }) => id).sort();
    expect(ids.length).toBeGreaterThan(0);
    expect(worker.played()).toBe(ids.length);
    const practised = await episodesOf(join(dir, 'run'), "purpose = 'ppo'");
    expect(practised.map(({ id }) => id).sort()).toEqual(ids);
  });
});
