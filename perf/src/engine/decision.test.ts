import { expect, test } from 'vitest';
import { benchDecision } from './decision.js';

test('measures decisions with and without a reader, on screens of both sizes', async () => {
  const { signal } = new AbortController();
  const bench = await benchDecision({ seconds: 0.01, threads: 1, pages: 1, rounds: 1, seed: 1, signal });
  const { rows = [], pages = [] } = bench ?? {};
  const kinds = ['pixels', 'simulated', 'read', 'readChanges'];
  const expected = ['160x160', '640x480'].flatMap((screen) => kinds.map((policy) => `${screen} ${policy}`));
  expect(rows.map(({ screen, policy }) => `${screen} ${policy}`)).toEqual(expected);
  for (const { policy, decisions, ms, p90, readingMs, sceneMs, ratio } of rows) {
    const reads = policy.startsWith('read');
    expect(decisions).toBe(reads ? 1 : 2);
    for (const value of [ms, p90, ratio]) expect(Number.isFinite(value) && value > 0).toBe(true);
    expect(readingMs > 0 && Number.isFinite(readingMs)).toBe(reads);
    expect(sceneMs > 0 && Number.isFinite(sceneMs)).toBe(policy !== 'pixels');
  }
  expect(pages).toHaveLength(2);
  for (const { changed } of pages) expect(changed > 0 && changed < 0.5).toBe(true);
});
