import type { Episode } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { gainOf, resultOf } from './evaluate.js';
import { wilson } from './statistics.js';

const episode = (id: string, success?: boolean): Episode => ({
  id: `episode of ${id}`,
  task: {
    id,
    family: id.split('/')[0] ?? '',
    split: 'test',
    seed: 1,
    instruction: 'press it',
    surfaces: ['screen'],
    screen: { width: 160, height: 160 },
    stepBudget: 2,
  },
  policy: 'p',
  purpose: 'eval',
  seed: 1,
  startedAt: '2026-11-20T14:00:00.000Z',
  observation: { screenshot: 'a', size: { width: 160, height: 160 } },
  turns: [],
  end: success === undefined ? { state: 'infra_error', message: 'gone' } : { state: 'finished' },
  ...(success !== undefined && {
    verdict: { success, score: success ? 1 : 0, source: 'verifier' as const, evidence: {} },
  }),
});

test('a gain is over the tasks that both policies played, and a task that was given up counts as a failure', () => {
  const before = [
    episode('a/1', false),
    episode('a/2', true),
    episode('a/3', false),
    episode('a/4'),
    episode('b/1', true),
  ];
  const after = [
    episode('a/3', true),
    episode('a/2', true),
    episode('a/1', false),
    episode('a/4', true),
    episode('b/1', false),
  ];
  const { mean, low, high } = gainOf('a', before, after, 1);
  expect(mean).toBeCloseTo(2 / 4);
  expect(low).toBeGreaterThanOrEqual(0);
  expect(high).toBeLessThanOrEqual(1);
  expect(gainOf('a', before, after, 1)).toEqual({ mean, low, high });
  expect(gainOf('c', before, after, 1)).toEqual({ mean: 0, low: -1, high: 1 });
});

test('a gain on the same tasks is known better than two shares by themselves', () => {
  const episodesOf = (solved: (n: number) => boolean): Episode[] =>
    Array.from({ length: 200 }, (_, n) => episode(`a/${n}`, solved(n)));
  const before = episodesOf((n) => n % 2 === 0);
  const after = episodesOf((n) => n % 2 === 0 || n % 20 === 1);
  const gain = gainOf('a', before, after, 1);
  expect(gain.mean).toBeCloseTo(0.05);
  expect(gain.low).toBeGreaterThan(0);
  expect(resultOf('a', before).high).toBeGreaterThan(resultOf('a', after).low);
});

test('a task that was given up counts as a failure and is named apart', () => {
  expect(resultOf('a', [episode('a/1', true), episode('a/2'), episode('b/1', false)], 3)).toMatchObject({
    ...{ n: 2, success: 0.5, givenUp: 1, infraErrors: 3 },
  });
});

test('several attempts at a task are no more tasks', () => {
  const attempts = [true, true, false, true].flatMap((solved, n) => [
    episode(`a/${n}`, solved),
    episode(`a/${n}`, true),
  ]);
  const { n, success, low, high } = resultOf('a', attempts);
  expect([n, success]).toEqual([8, 7 / 8]);
  expect(high - low).toBeGreaterThan(wilson(7, 8).high - wilson(7, 8).low);
});

test('the gain of several families is the mean of theirs, however many tasks each has', () => {
  const episodesOf = (family: string, n: number, solved: (n: number) => boolean): Episode[] =>
    Array.from({ length: n }, (_, i) => episode(`${family}/${i}`, solved(i)));
  const before = [...episodesOf('a', 400, () => false), ...episodesOf('b', 40, (i) => i < 20)];
  const after = [...episodesOf('a', 400, (i) => i < 80), ...episodesOf('b', 40, (i) => i < 24)];
  const both = gainOf(['a', 'b'], before, after, 1);
  expect(both.mean).toBeCloseTo((0.2 + 0.1) / 2);
  const [a, b] = [gainOf('a', before, after, 1), gainOf('b', before, after, 1)];
  expect(both.high - both.low).toBeLessThan((a.high - a.low + b.high - b.low) / 2);
  expect(both.high - both.low).toBeGreaterThan((b.high - b.low) / 2);
  expect(gainOf(['a', 'c'], before, after, 1).mean).toBeCloseTo(0.2);
  expect(gainOf(['c'], before, after, 1)).toEqual({ mean: 0, low: -1, high: 1 });
});
