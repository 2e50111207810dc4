import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NativeEngine, Random, vocabularyOf } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScreenshotReader } from '../rollouts/dataset.js';
import { bestThreshold, ormQuality, ormScores, trainOrm } from './orm.js';
import { type OrmQuery, ormQuery } from './ormQuery.js';
import { rollout } from '../rollouts/rollout.test.fixture.js';
import { engineOf, tiny } from '../algorithms/tinyEngine.test.fixture.js';

const size = { width: 32, height: 32 };
const view = { architecture: tiny };
const random = new Random(3);
const screen = (bright: boolean) => Uint8Array.from({ length: 32 * 32 * 3 }, () => random.int(60) + (bright ? 190 : 0));

const reader = (pictures: readonly Uint8Array[]) =>
  ({
    read: ({ screenshot: hash }) => Promise.resolve({ hash, size, pixels: pictures[Number(hash)]! }),
  }) as Pick<ScreenshotReader, 'read'> as ScreenshotReader;

function endedOn(picture: number, success: boolean): Episode {
  const { episode } = rollout('click', [0], [], { success });
  const observation = { screenshot: String(picture), size };
  return { ...episode, observation, turns: episode.turns.map((turn) => ({ ...turn, observation })) };
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-orm-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function checkpointOf(engine: NativeEngine) {
  const file = join(dir, 'orm.safetensors');
  return {
    save: () => engine.save(file),
    restore: async () => {
      await engine.load(file);
    },
  };
}

describe('the policy as a judge', () => {
  it('learns to tell by the last screen whether the task was done', async () => {
    const engine = engineOf();
    const pictures = Array.from({ length: 40 }, (_, i) => screen(i % 2 === 0));
    const queries = await Promise.all(
      pictures.map((_, i) => ormQuery(endedOn(i, i % 2 === 0), view, reader(pictures))),
    );
    const [trainQueries, heldOut] = [queries.slice(0, 24), queries.slice(24)];
    const before = ormQuality(heldOut, await ormScores(engine, heldOut));
    const trained = await trainOrm({
      ...{ engine, judged: trainQueries, steps: 60, batch: 8, peak: 5e-3, seed: 1, best: checkpointOf(engine) },
      every: 10,
    });
    const after = ormQuality(heldOut, await ormScores(engine, heldOut), trained.threshold);
    expect(after.f1.success).toBeGreaterThan(0.9);
    expect(after.f1.success).toBeGreaterThan(before.f1.success);
  });

  it('sees the screen after the last turn, is told what was done, and answers with an action', async () => {
    const pictures = [screen(false), screen(true)];
    const [turn] = endedOn(1, true).turns;
    const episode = { ...endedOn(0, true), turns: [turn!] };
    const { datum } = await ormQuery(episode, view, reader(pictures));
    expect(datum.screenshots.map(({ hash }) => hash)).toEqual(['1']);
    const vocabulary = vocabularyOf(size);
    const [yes, no] = datum.sequences;
    expect(vocabulary.decode(yes!.action).action).toEqual({ type: 'finished', answer: 'yes' });
    expect(vocabulary.decode(no!.action).action).toEqual({ type: 'finished', answer: 'no' });
    expect(yes!.tokens.map(({ token }) => token)).toContain(vocabulary.encode({ type: 'wait' })[0]);
  });

  it('needs both kinds of episodes', async () => {
    const query = await ormQuery(endedOn(0, true), view, reader([screen(true)]));
    const engine = engineOf();
    const options = { engine, steps: 1, batch: 2, peak: 1e-3, seed: 1, best: checkpointOf(engine) };
    await expect(trainOrm({ ...options, judged: [query, query] })).rejects.toThrow(
      'too few labelled episodes failed: 0',
    );
    await expect(trainOrm({ ...options, judged: [query] })).rejects.toThrow('too few labelled episodes succeeded: 1');
  });
});

describe('precision, recall and F1', () => {
  const queriesOf = (successes: readonly boolean[]) =>
    successes.map((success) => ({ success })) as unknown as OrmQuery[];

  it('match a count by hand', () => {
    const quality = ormQuality(queriesOf([true, true, true, false, false]), [0.9, 0.6, 0.1, 0.7, 0.2]);
    expect(quality).toMatchObject({ n: 5, precision: { success: 2 / 3 }, recall: { success: 2 / 3 } });
    expect(quality.f1.success).toBeCloseTo(2 / 3);
    expect(quality.always).toBeCloseTo(0.75);
  });

  it('is best from a threshold on', () => {
    const episodes = queriesOf([true, true, true, false, false]);
    expect(bestThreshold(episodes, [0.9, 0.6, 0.1, 0.7, 0.05])).toBeCloseTo(0.075);
    expect(bestThreshold(episodes, [0.9, 0.6, 0.55, 0.5, 0.2])).toBeCloseTo(0.525);
    expect(bestThreshold(episodes, [0.9, 0.3, 0.3, 0.3, 0.3])).toBe(0.3);
    expect(bestThreshold([], [])).toBe(0.5);
  });

  it('is never better from another threshold on', () => {
    const episode = fc.record({ success: fc.boolean(), score: fc.integer({ min: 0, max: 10 }) });
    fc.assert(
      fc.property(
        fc.array(episode, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 10 }),
        (outcomes, extra) => {
          const episodes = queriesOf(outcomes.map(({ success }) => success));
          const scores = outcomes.map(({ score }) => score / 10);
          const f1 = (threshold: number) => ormQuality(episodes, scores, threshold).f1.success;
          expect(f1(bestThreshold(episodes, scores))).toBeGreaterThanOrEqual(f1(extra / 10) - 1e-12);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('lies within its interval, and leaves out what has no label', () => {
    const episode = fc.record({
      success: fc.option(fc.boolean(), { nil: undefined }),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(episode, { maxLength: 40 }), (episodes) => {
        const quality = ormQuality(
          episodes.map(({ success }) => ({ success })) as unknown as OrmQuery[],
          episodes.map(({ score }) => score),
        );
        expect(quality.n).toBe(episodes.filter(({ success }) => success !== undefined).length);
        expect(quality.f1.low).toBeLessThanOrEqual(quality.f1.success + 1e-9);
        expect(quality.f1.high).toBeGreaterThanOrEqual(quality.f1.success - 1e-9);
      }),
      { numRuns: 20 },
    );
  });
});
