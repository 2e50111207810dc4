import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { Episode, GyreError } from '@gyre/protocol';
import { BrowserPool, type LeaseOptions } from '@gyre/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collected } from './collected.test.fixture.js';
import { type Episodes, type EpisodesOptions, type Job, runEpisodes } from './episodes.js';
import { killBrowsers } from './killBrowsers.test.fixture.js';
import { oraclePolicy } from '../policy/oraclePolicy.js';
import type { Policy } from '../policy/policy.js';
import { pressTask } from './pressTask.test.fixture.js';
import { randomPolicy } from '../policy/randomPolicy.js';

const jobsOf = (count: number): Job[] => Array.from({ length: count }, (_, seed) => pressTask({ seed }));
const seeds = (episodes: Episode[]): number[] => episodes.map(({ seed }) => seed).sort((a, b) => a - b);

describe('runEpisodes', () => {
  let pool: BrowserPool;
  let leases: number;
  let dir: string;
  let lake: Lake;

  beforeAll(async () => {
    pool = await BrowserPool.launch({ browsers: 2, sessionsPerBrowser: 2 });
  });
  afterAll(() => pool.close());
  beforeEach(async () => {
    leases = 0;
    dir = await mkdtemp(join(tmpdir(), 'gyre-agent-'));
    lake = await Lake.open(dir);
  });
  afterEach(async () => {
    expect(pool.stats.leased).toBe(0);
    await lake.close();
    await rm(dir, { recursive: true });
  });

  const run = (options: Partial<EpisodesOptions> & Pick<EpisodesOptions, 'jobs'>): Episodes =>
    runEpisodes({
      pool: {
        lease: async (lease) => {
          const session = await pool.lease(lease);
          leases++;
          return session;
        },
      },
      policy: oraclePolicy,
      concurrency: 3,
      lake,
      ...options,
    });

  const storedEpisodes = async (): Promise<Episode[]> => {
    await lake.flush();
    return collected(lake.episodes());
  };

  it('plays the same where no pictures are taken', async () => {
    const play = async (pictures: boolean, into?: Lake) => {
      const episodes = await collected(run({ jobs: jobsOf(4), lake: into, pictures }));
      episodes.sort((a, b) => a.seed - b.seed);
      const turns = episodes.flatMap((episode) => episode.turns);
      return {
        done: [...episodes.map(({ verdict }) => verdict), ...turns.map(({ actions, reward }) => ({ actions, reward }))],
        pictures: new Set(turns.map(({ observation }) => observation.screenshot)),
      };
    };
    const [seen, unseen] = [await play(true), await play(false)];
    expect(unseen.done).toEqual(seen.done);
    expect(seen.pictures.size).toBeGreaterThan(1);
    expect([...unseen.pictures]).toEqual([createHash('sha256').digest('hex')]);
    expect(await play(false, lake)).toEqual(seen);
  });

  it('plays every job once and reuses its sessions', async () => {
    const episodes = run({ jobs: jobsOf(12) });
    const results = await collected(episodes);
    expect(seeds(results)).toEqual(seeds(await storedEpisodes()));
    expect(seeds(results)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(results.every(({ verdict }) => verdict?.success)).toBe(true);
    expect(episodes.counts).toEqual({
      finished: 12,
      outOfBudget: 0,
      agentFaults: 0,
      infraErrors: 0,
      retried: 0,
      cut: 0,
    });
    expect(leases).toBe(3);
  });

  it('returns the counts, and tells of every episode', async () => {
    const reportedSeeds: number[] = [];
    const over: (readonly [Job, Episode | undefined])[] = [];
    const jobs = jobsOf(4);
    const episodes = run({
      jobs,
      onEpisode: (episode, job) => reportedSeeds.push(episode.seed, job.seed),
      onOver: (job, episode) => over.push([job, episode]),
    });
    let result = await episodes.next();
    while (!result.done) result = await episodes.next();
    expect(new Set(over.map(([job]) => job))).toEqual(new Set(jobs));
    for (const [job, episode] of over) expect(episode?.seed).toBe(job.seed);
    expect(result.value).toEqual(episodes.counts);
    expect(reportedSeeds.filter((_, i) => i % 2 === 0)).toEqual(reportedSeeds.filter((_, i) => i % 2 === 1));
    expect(reportedSeeds).toHaveLength(8);
  });

  it('takes jobs from an asynchronous source, of different screen sizes, and more at once than there are sessions', async () => {
    async function* source(): AsyncGenerator<Job> {
      for (let seed = 0; seed < 12; seed++) {
        yield pressTask({ seed, screen: seed % 3 === 0 ? { width: 200, height: 120 } : { width: 160, height: 160 } });
      }
    }
    const results = await collected(run({ jobs: source(), concurrency: 8 }));
    expect(seeds(results)).toHaveLength(12);
    for (const { task, observation } of results) expect(observation.size).toEqual(task.screen);
  });

  it('plays the same episodes whichever session plays them, and when', async () => {
    const policy = randomPolicy({ functions: ['click', 'type', 'hotkey'] });
    const play = async (concurrency: number): Promise<unknown[]> => {
      const results = await collected(run({ jobs: jobsOf(6), policy, concurrency }));
      return results.sort((a, b) => a.seed - b.seed).map(({ turns }) => turns);
    };
    expect(await play(4)).toEqual(await play(1));
  });

  it('continues in a fresh session when the browser dies, with the same frames as if it had not', async () => {
    const play = async (deaths: number) => {
      let kills = 0;
      const policy: Policy = {
        name: 'unlucky',
        decide: async ({ turns, random }) => {
          if (turns.length === 2 && kills++ < deaths) await killBrowsers(pool);
          return { actions: [{ type: 'click', point: { x: random(), y: 0.5 } }] };
        },
      };
      const episodes = run({ jobs: jobsOf(8), policy });
      const results = await collected(episodes);
      return { all: results.sort((a, b) => a.seed - b.seed), counts: episodes.counts };
    };
    // In sequence: sessions of one browser delay each other.
    const [calm, unlucky] = [await play(0), await play(6)];
    expect(unlucky.all.map(({ turns }) => turns)).toEqual(calm.all.map(({ turns }) => turns));
    expect(unlucky.all.map(({ verdict }) => verdict)).toEqual(calm.all.map(({ verdict }) => verdict));
    expect(unlucky.counts.infraErrors).toBeGreaterThan(0);
    expect(unlucky.counts.retried).toBe(unlucky.counts.infraErrors);
    expect(unlucky.counts.agentFaults).toBe(0);
    expect((await storedEpisodes()).filter(({ end }) => end.state === 'infra_error')).toEqual([]);
  });

  it.each([
    ['a page that never loads', `data:text/html,<script>window.stop()</script>`, 'out_of_budget', [], 3],
    ['a script that never ends', `data:text/html,<script>for(;;);</script>`, 'agent_fault', [{ kind: 'fault' }], 1],
  ])(
    'counts as a failure whose own action leads to %s, and the jobs after it are played',
    async (_, url, state, fault, jobs) => {
      const impatient = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 2, timeoutMs: 1_500 });
      try {
        const policy: Policy = {
          name: 'cheat',
          decide: async ({ turns }) => ({
            actions: turns.length === 1 ? [{ type: 'navigate', url }] : [{ type: 'wait' }],
          }),
        };
        const lease = (terms: LeaseOptions) => impatient.lease({ ...terms, loadMs: 500 });
        const episodes = run({ pool: { lease }, jobs: jobsOf(jobs), policy, concurrency: 1 });
        const played = await collected(episodes);
        expect(played).toMatchObject(
          jobsOf(jobs).map(() => ({ end: { state }, verdict: { success: false, score: 0, source: 'verifier' } })),
        );
        for (const { turns } of played) {
          expect(turns.reduce((sum, { reward }) => sum + reward, 0)).toBe(0);
          const results = turns[1]?.observation.results ?? [];
          expect(results.filter(({ kind }) => kind === 'fault')).toMatchObject(fault);
        }
        expect(episodes.counts).toMatchObject({ agentFaults: jobs * fault.length, infraErrors: 0 });
        expect(episodes.givenUp).toEqual([]);
        expect(played.map((episode) => Episode.parse(episode))).toEqual(played);
      } finally {
        await impatient.close();
      }
    },
  );

  it('gives a policy that fails when it is about to lose no second episode, and names the task as given up', async () => {
    let failures = 0;
    const policy: Policy = {
      name: 'bad loser',
      decide: async ({ turns }) => {
        if (turns.length < 2) return { actions: [{ type: 'wait' }] };
        failures++;
        throw new GyreError('infra', 'no answer', { part: 'policy' });
      },
    };
    const episodes = run({ jobs: jobsOf(2), policy });
    expect(await collected(episodes)).toEqual([]);
    expect(failures).toBe(4);
    expect(episodes.givenUp.map(({ seed, message }) => [seed, message]).sort()).toEqual([
      [0, 'no answer'],
      [1, 'no answer'],
    ]);
    expect(await storedEpisodes()).toMatchObject([0, 1].map(() => ({ end: { state: 'infra_error', part: 'policy' } })));
  });

  it('gives a job up after its retries, and never yields it', async () => {
    const policy: Policy = {
      name: 'offline',
      decide: async () => {
        throw new GyreError('infra', 'no answer', { part: 'policy' });
      },
    };
    const reportedSeeds: number[] = [];
    const onFailure: EpisodesOptions['onFailure'] = ({ code }, { seed }) => {
      expect(code).toBe('infra');
      reportedSeeds.push(seed);
    };
    const over: unknown[] = [];
    const onOver: EpisodesOptions['onOver'] = ({ seed }, episode) => over.push([seed, episode]);
    const episodes = run({ jobs: jobsOf(2), policy, retries: 2, onFailure, onOver });
    expect(await collected(episodes)).toEqual([]);
    expect(over.sort()).toEqual([
      [0, undefined],
      [1, undefined],
    ]);
    expect(reportedSeeds.sort()).toEqual([0, 0, 0, 1, 1, 1]);
    expect(episodes.counts).toEqual({
      finished: 0,
      outOfBudget: 0,
      agentFaults: 0,
      infraErrors: 6,
      retried: 4,
      cut: 0,
    });
    expect(await storedEpisodes()).toHaveLength(2);
    expect(episodes.givenUp.map(({ seed }) => seed).sort()).toEqual([0, 1]);
  });

  it('stops instead of failing for ever', async () => {
    const jobs = (function* () {
      for (let seed = 0; ; seed++) yield pressTask({ seed });
    })();
    const episodes = runEpisodes({
      pool: {
        lease: async () => {
          throw new GyreError('infra', 'the browser does not start', { part: 'browser' });
        },
      },
      jobs,
      policy: oraclePolicy,
      concurrency: 3,
    });
    await expect(collected(episodes)).rejects.toMatchObject({
      code: 'infra',
      message: '30 attempts in a row failed, the last with: the browser does not start',
    });
    expect(jobs.next().done).toBe(true);
  });

  it('gives up although a source waits for episodes before it has more jobs', async () => {
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => (release = resolve));
    let returned = false;
    const jobs = (async function* () {
      try {
        for (let seed = 0; seed < 20; seed++) yield pressTask({ seed });
        await ended;
      } finally {
        returned = true;
      }
    })();
    const lease = () => Promise.reject(new GyreError('infra', 'the browser does not start', { part: 'browser' }));
    const episodes = runEpisodes({ pool: { lease }, jobs, policy: oraclePolicy, concurrency: 3 });
    await expect(collected(episodes)).rejects.toMatchObject({ code: 'infra' });
    release();
    await expect.poll(() => returned).toBe(true);
  });

  it('ends cleanly when the signal comes, with the episodes in progress cut', async () => {
    const stop = new AbortController();
    const policy = randomPolicy({ functions: ['mouse_move'] });
    const jobs = (function* () {
      for (let seed = 0; ; seed++) yield pressTask({ seed, stepBudget: 20 });
    })();
    const episodes = run({ jobs, policy, signal: stop.signal });
    const results: Episode[] = [];
    for await (const episode of episodes) {
      results.push(episode);
      if (results.length === 2) stop.abort();
    }
    expect(episodes.counts.cut).toBeGreaterThan(0);
    expect(episodes.counts.outOfBudget).toBe(results.length);
    expect((await storedEpisodes()).filter(({ end }) => end.state === 'cut')).toHaveLength(episodes.counts.cut);
    expect(jobs.next().done).toBe(true);
  });

  it('stops when its consumer does', async () => {
    const episodes = run({ jobs: jobsOf(40) });
    for await (const episode of episodes) {
      expect(episode.end.state).toBe('finished');
      break;
    }
    expect(episodes.counts.finished).toBeLessThan(40);
    expect(await storedEpisodes()).toHaveLength(episodes.counts.finished + episodes.counts.cut);
  });

  it('goes on while its consumer is busy, but not without bound', async () => {
    const episodes = run({ jobs: jobsOf(60), concurrency: 2 });
    await episodes.next();
    let before = -1;
    while (before !== episodes.counts.finished) {
      before = episodes.counts.finished;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(before).toBeGreaterThan(2);
    expect(before).toBeLessThan(12);
    await episodes.return(episodes.counts);
  });

  it('passes on the first error that does not come from the infrastructure, with all sessions given back', async () => {
    const policy: Policy = {
      name: 'broken',
      decide: async () => {
        throw new GyreError('numeric', 'the logits are not numbers');
      },
    };
    await expect(collected(run({ jobs: jobsOf(5), policy }))).rejects.toMatchObject({ code: 'numeric' });
    expect((await storedEpisodes()).every(({ end }) => end.state === 'cut')).toBe(true);
  });

  it('refuses to run none at once', () => {
    expect(() => run({ jobs: [], concurrency: 0 })).toThrow(GyreError);
  });
});
