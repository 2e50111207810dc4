import { families } from '@gyre/tasks';
import { expect, test } from 'vitest';
import { benchmarkLines, benchmarkResult, openBenchmarks } from './officialBenchmarks.js';

const benchmark = {
  name: 'osworld',
  revision: 'desktop-env 1.0.2',
  place: 'gyre/debian',
  suite: { 'osworld.os': families.click, 'osworld.vlc': families.click },
  total: 10,
  leftOut: [{ tasks: ['os/a', 'os/b', 'os/c', 'os/d'], reason: 'needs live web sites' }],
  close: () => Promise.resolve(),
};

const result = (family: string, n: number, success: number, score: number, givenUp = 0) => ({
  ...{ family, n, success, score, givenUp, low: 0, high: 1, infraErrors: givenUp, split: 'test', policy: 'random' },
  falseCompletes: { count: 0, n, share: 0, low: 0, high: 1 },
});

const results = [
  result('osworld.os', 4, 0.5, 0.75, 1),
  result('osworld.vlc', 1, 1, 1),
  result('click', 100, 1, 1),
] as Parameters<typeof benchmarkResult>[1];

test('sums a benchmark up over tasks, and says where it was played and what was left out', () => {
  const summed = benchmarkResult(benchmark, results);
  expect(summed).toMatchObject({ on: 'gyre/debian', n: 5, total: 10, score: 0.8, success: 0.6, givenUp: 1 });
  expect(benchmarkLines(summed)).toEqual([
    'osworld on gyre/debian: score 0.800, success 60.0 % [23.1, 88.2] in 5 of 10 tasks, 1 of them given up (desktop-env 1.0.2)',
    'skipped, 4 tasks, needs live web sites: os/a, os/b, os/c and 1 more',
  ]);
});

test('says what a score is not', () => {
  const notes = () => ['osworld: no leaderboard number'];
  const [line, note] = benchmarkLines(benchmarkResult({ ...benchmark, notes }, results));
  expect(line).toMatch(/^osworld on gyre/);
  expect(note).toBe('osworld: no leaderboard number');
});

test('has no tasks for a benchmark that is not played', () => {
  expect(benchmarkResult(benchmark, [])).toMatchObject({ n: 0, score: 0, success: 0 });
});

test('refuses flags of benchmarks that are not chosen', async () => {
  const flags = { download: false, lmgameText: false, judge: 'confidence', sessions: 1, policy: 'random' };
  await expect(openBenchmarks({ ...flags, osworld: 'x' })).rejects.toMatchObject({ detail: { field: '--osworld' } });
  await expect(openBenchmarks({ ...flags, mobilegym: 'x' })).rejects.toMatchObject({
    detail: { field: '--mobilegym' },
  });
  await expect(openBenchmarks({ ...flags, results: 'x' })).rejects.toMatchObject({ detail: { field: '--results' } });
  await expect(openBenchmarks({ ...flags, suite: ['osworld'] })).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: '--osworld' },
  });
  for (const [flag, field] of [
    ['mind2web', '--mind2web'],
    ['onlineMind2web', '--online-mind2web'],
  ] as const) {
    await expect(openBenchmarks({ ...flags, [flag]: 'x' })).rejects.toMatchObject({ detail: { field } });
  }
  const online = { ...flags, suite: ['online-mind2web'] };
  const missing = (field: string) => ({ code: 'bad_input', detail: { field } });
  await expect(openBenchmarks(online)).rejects.toMatchObject(missing('--mind2web'));
  await expect(openBenchmarks({ ...online, mind2web: 'x' })).rejects.toMatchObject(missing('--online-mind2web'));
  await expect(openBenchmarks({ ...online, mind2web: 'x', onlineMind2web: 'x' })).rejects.toMatchObject(
    missing('--judge'),
  );
  expect(await openBenchmarks({ ...flags, suite: ['basics'] })).toEqual([]);
});
