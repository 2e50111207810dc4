import { expect, test } from 'vitest';
import { benchPractice } from './practice.js';

const options = {
  families: ['click'],
  ...{ sessions: 6, browsers: 1, threads: 1, decisions: 8, replaySteps: 1, latency: 0.01, seconds: 0.01, seed: 1 },
};

test('trains with both schedules end to end, and reports the times', { timeout: 300_000 }, async () => {
  const reported: string[] = [];
  const onProgress = (_: number, way: string) => reported.push(way);
  const result = await benchPractice({ ...options, signal: new AbortController().signal, onProgress });
  expect(reported).toEqual([0, 1, 1, 0].map((index) => result!.rows[index]!.way));
  for (const { iterations, turnsPerSecond, shares, busy } of result!.rows) {
    expect(iterations).toBeGreaterThanOrEqual(2);
    expect(turnsPerSecond).toBeGreaterThan(0);
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    expect(busy.own).toBeGreaterThan(0);
    expect(busy.browsers).toBeGreaterThan(0);
  }
  expect(result!.ratio).toBe(result!.rows[1]!.turnsPerSecond / result!.rows[0]!.turnsPerSecond);
});

test('returns nothing if aborted', { timeout: 120_000 }, async () => {
  const stop = new AbortController();
  const result = await benchPractice({ ...options, signal: stop.signal, onProgress: () => stop.abort() });
  expect(result).toBeUndefined();
});
