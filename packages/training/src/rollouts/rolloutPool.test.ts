import type { Job } from '@gyre/agent';
import type { Episode } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlayOptions, RolloutPool, type RolloutPoolOptions } from './rolloutPool.js';

const jobOf = (seed: number) => ({ seed }) as unknown as Job;
const episodeOf = ({ seed }: Job) => ({ seed }) as unknown as Episode;
const seedsOf = (episodes: readonly Episode[]): number[] => episodes.map(({ seed }) => seed);
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

class Players {
  readonly #concurrency: number;

  readonly running = new Map<number, (end: 'played' | 'given up' | 'cut') => void>();
  cut = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  readonly play: RolloutPoolOptions['play'] = async function* (
    this: Players,
    jobs: AsyncIterable<Job>,
    playing: PlayOptions,
  ) {
    const source = jobs[Symbol.asyncIterator]();
    playing.signal.addEventListener('abort', () => {
      for (const cut of this.running.values()) cut('cut');
    });
    const work = async (): Promise<void> => {
      for (;;) {
        const { value: job, done } = await source.next();
        if (done || playing.signal.aborted) return;
        const end = await new Promise<string>((resolve) => {
          this.running.set(job.seed, resolve);
        });
        this.running.delete(job.seed);
        if (end === 'cut') this.cut++;
        else playing.onOver(job, end === 'played' ? episodeOf(job) : undefined);
      }
    };
    await Promise.all(Array.from({ length: this.#concurrency }, work));
    yield undefined;
  }.bind(this);

  async end(seed: number, end: 'played' | 'given up' = 'played'): Promise<void> {
    this.running.get(seed)?.(end);
    await settled();
  }

  get seeds(): number[] {
    return [...this.running.keys()];
  }
}

function poolOf(
  options: { concurrency: number; expected?: number; attempts?: number } & Pick<
    RolloutPoolOptions,
    'staleness' | 'batch' | 'worth' | 'followUps'
  >,
) {
  const { concurrency, expected = 1, attempts = 1, ...others } = options;
  const players = new Players(concurrency);
  let seed = 0;
  const pool = new RolloutPool({
    ...{ play: players.play, expected: () => expected, ...others },
    next: () => Array.from({ length: attempts }, () => jobOf(seed++)),
  });
  return { pool, players };
}

describe('a pool of rollouts', () => {
  it('plays nothing during updates, and complete batches, with staleness 0', async () => {
    const { pool, players } = poolOf({ staleness: 0, batch: 3, concurrency: 8 });
    await settled();
    expect(players.seeds).toEqual([]);
    const first = pool.take();
    await settled();
    expect(players.seeds).toEqual([0, 1, 2]);
    await players.end(2);
    await players.end(0);
    expect(players.seeds).toEqual([1]);
    await players.end(1);
    expect(seedsOf(await first)).toEqual([0, 1, 2]);
    await settled();
    expect(players.seeds).toEqual([]);
    await pool.close();
  });

  it('plays what follows an episode before new tasks, and counts the task as over afterwards', async () => {
    const followed: number[] = [];
    const followUps: RolloutPoolOptions['followUps'] = ({ seed }) => {
      followed.push(seed);
      return seed === 0 ? [jobOf(100), jobOf(101)] : [];
    };
    const { pool, players } = poolOf({ staleness: 0, batch: 2, concurrency: 2, followUps });
    const first = pool.take();
    await settled();
    await players.end(0);
    expect(players.seeds).toEqual([1, 100]);
    await players.end(1);
    expect(players.seeds).toEqual([100, 101]);
    await players.end(101);
    await players.end(100, 'given up');
    expect(seedsOf(await first)).toEqual([0, 101, 1]);
    expect(followed).toEqual([0, 1, 101]);
    await pool.close();
  });

  it('returns a batch as soon as it is complete, while other episodes continue', async () => {
    const { pool, players } = poolOf({ staleness: 1, batch: 2, concurrency: 8 });
    await settled();
    expect(players.seeds).toEqual([0, 1, 2, 3]);
    const first = pool.take();
    await players.end(3);
    await players.end(1);
    expect(seedsOf(await first)).toEqual([1, 3]);
    await settled();
    expect(players.seeds).toEqual([0, 2, 4, 5]);
    await players.end(4);
    await players.end(5);
    let taken = false;
    const second = pool.take().then((episodes) => {
      taken = true;
      return episodes;
    });
    await settled();
    expect(taken).toBe(false);
    await players.end(0);
    await players.end(2);
    expect(seedsOf(await second)).toEqual([0, 2]);
    await pool.close();
    expect(players.cut).toBe(2);
  });

  it('starts another task for one that was given up', async () => {
    const { pool, players } = poolOf({ staleness: 0, batch: 2, concurrency: 8 });
    const first = pool.take();
    await settled();
    await players.end(0, 'given up');
    expect(players.seeds).toEqual([1, 2]);
    await players.end(1);
    await players.end(2);
    expect(seedsOf(await first)).toEqual([1, 2]);
    await pool.close();
  });

  it('returns the attempts at a task together and in order, when all have ended', async () => {
    const { pool, players } = poolOf({ staleness: 1, batch: 2, concurrency: 8, attempts: 2 });
    await settled();
    expect(players.seeds).toEqual([0, 1, 2, 3]);
    const first = pool.take();
    await players.end(3);
    await players.end(1);
    let taken = false;
    void first.then(() => (taken = true));
    await settled();
    expect(taken).toBe(false);
    await players.end(2);
    expect(seedsOf(await first)).toEqual([2, 3]);
    await settled();
    const second = pool.take();
    await players.end(0, 'given up');
    expect(seedsOf(await second)).toEqual([1]);
    await pool.close();
  });

  it('plays more to replace worthless groups, and no more than that', async () => {
    const worth = (episodes: readonly Episode[]) => (seedsOf(episodes)[0]! < 4 ? 1 / 3 : 1);
    const { pool, players } = poolOf({ staleness: 0, batch: 2, concurrency: 8, worth });
    const first = pool.take();
    await settled();
    for (const seed of [0, 1, 2, 3]) await players.end(seed);
    // Four are worth 4/3: one more is a batch.
    expect(players.seeds).toEqual([4]);
    await players.end(4);
    expect(seedsOf(await first)).toEqual([0, 1, 2, 3, 4]);
    await pool.close();
  });

  it('returns nothing stale, loses nothing and returns nothing twice, whatever the timing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.nat(), { minLength: 30, maxLength: 60 }),
        async (staleness, batch, concurrency, choices) => {
          const { pool, players } = poolOf({ staleness, batch, concurrency, expected: 1.5 });
          const began = new Map<number, number>();
          const started: number[] = [];
          let next = 0;
          let taking: Promise<void> | undefined;
          for (const choice of choices) {
            taking ??= pool.take().then((episodes) => {
              for (const seed of seedsOf(episodes)) {
                started.push(seed);
                expect(next - (began.get(seed) ?? -1)).toBeLessThanOrEqual(staleness);
              }
              expect(episodes.length * 1.5).toBeGreaterThanOrEqual(batch);
              next++;
              taking = undefined;
            });
            await settled();
            for (const seed of players.seeds) if (!began.has(seed)) began.set(seed, next);
            const { seeds } = players;
            expect(seeds.length).toBeGreaterThan(0);
            await players.end(seeds[choice % seeds.length]!, choice % 17 === 0 ? 'given up' : 'played');
          }
          expect(new Set(started).size).toBe(started.length);
          const last = taking;
          await pool.close();
          await last?.catch(() => undefined);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('fails if playing fails', async () => {
    const pool = new RolloutPool({
      play: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the lake is full')) }),
      }),
      next: () => [jobOf(0)],
      expected: () => 1,
      batch: 1,
      staleness: 0,
    });
    await expect(pool.take()).rejects.toThrow('the lake is full');
    await pool.close();
  });

  it('refuses an empty batch', () => {
    expect(() => poolOf({ staleness: 0, batch: 0, concurrency: 1 })).toThrow(/batch must be above 0, got 0/);
    expect(() => poolOf({ staleness: 0.5, batch: 1, concurrency: 1 })).toThrow(
      /staleness must be a whole number of at least 0, got 0.5/,
    );
  });
});
