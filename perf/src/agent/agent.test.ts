import { expect, test } from 'vitest';
import { benchAgent } from './agent.js';

test('measures turns, memory and prompts of doubles', async () => {
  const result = await benchAgent({ seconds: 0.04, loops: 2, turns: 12, seed: 1 });
  expect(result.overhead.map(({ what }) => what)).toHaveLength(3);
  for (const { turns, p50, p99, cpu } of result.overhead) {
    expect(Math.min(turns, cpu)).toBeGreaterThan(0);
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  }
  expect(result.loops).toMatchObject({ loops: 2, turns: 24 });
  expect(result.loops.peak).toBeGreaterThanOrEqual(result.loops.before);
  const [whole, summed] = result.prefix;
  // Screenshots are dropped five at a time, from turn ten.
  expect(whole).toMatchObject({ prompts: 12, rewritten: 1 });
  expect(whole!.between).toBeGreaterThan(0.8);
  expect(summed!.prompts).toBe(12);
});
