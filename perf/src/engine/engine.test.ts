import { expect, test } from 'vitest';
import { benchEngine } from './engine.js';
import { gflopPerStep, paramsOf, referenceSizes } from './referenceModel.js';
import { train } from './training.js';

test('the models have the sizes that they are named after', () => {
  expect(paramsOf(referenceSizes[1])).toBe(945_408);
  for (const [millions, size] of Object.entries(referenceSizes)) {
    expect(paramsOf(size) / 1e6 / Number(millions)).toBeGreaterThan(0.9);
    expect(paramsOf(size) / 1e6 / Number(millions)).toBeLessThan(1.15);
  }
  // 16 sequences: 13.1 for the weights, 2.5 for attention.
  expect(gflopPerStep(referenceSizes[1], 16)).toBeCloseTo(15.6, 1);
});

test('training reports the time of whole steps and of gradients', async () => {
  const size = { width: 16, layers: 1, heads: 2 };
  const cost = await train({ size, batch: 1, backend: 'cpu', threads: 1, ms: 1 });
  expect(cost.msPerGradient).toBeGreaterThan(0);
  expect(cost.msPerStep).toBeGreaterThanOrEqual(cost.msPerGradient);
  expect(cost.peakMiB).toBeGreaterThan(10);
});

test('skips measurements that do not fit into the time, and lists them', async () => {
  const { device, matmulGflops, training, memory, decode, skipped } = await benchEngine({ seconds: 0.01 });
  expect(device).toBe('the CPU');
  for (const { gflops } of matmulGflops) expect(gflops).toBeGreaterThan(0);
  expect([training, memory, decode]).toEqual([[], [], []]);
  expect(skipped).toContain('training 38.4M parameters with 1 threads');
});
