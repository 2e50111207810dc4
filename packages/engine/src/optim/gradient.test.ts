import { describe, expect, it } from 'vitest';
import { GradientAccumulator, accumulate } from './gradient.js';

describe('gradients', () => {
  it('add up in place', () => {
    const into = Float32Array.of(1, 2, 3, 4, 5, 6, 7);
    accumulate(into, Float32Array.of(10, 20, -3, 40, 50, 60, 70));
    expect([...into]).toEqual([11, 22, 0, 44, 55, 66, 77]);
    expect(() => {
      accumulate(into, new Float32Array(2));
    }).toThrow(expect.objectContaining({ code: 'shape' }));
  });

  it('of batches of different sizes have the mean of one batch of all', () => {
    // Squared error of w x against 0 at w = 1: the gradient of an example is 2 x².
    const examples = [1, 2, 3, 4, 5];
    const gradient = (batch: number[]) => Float32Array.of(batch.reduce((sum, x) => sum + 2 * x * x, 0) / batch.length);
    const accumulator = new GradientAccumulator(1);
    for (const batch of [examples.slice(0, 1), examples.slice(1, 3), examples.slice(3)]) {
      accumulator.add(gradient(batch), batch.length);
    }
    expect(accumulator.weight).toBe(5);
    expect(accumulator.mean()[0]).toBeCloseTo(gradient(examples)[0]!, 5);
    accumulator.zero();
    expect([accumulator.weight, ...accumulator.mean()]).toEqual([0, 0]);
  });

  it('count alike without weights, and can be scaled', () => {
    const accumulator = new GradientAccumulator(2);
    accumulator.add(Float32Array.of(1, 4));
    accumulator.add(Float32Array.of(3, 8));
    expect([...accumulator.data]).toEqual([4, 12]);
    expect([...accumulator.mean()]).toEqual([2, 6]);
    accumulator.scale(0.5);
    expect([...accumulator.data]).toEqual([1, 3]);
  });

  it('of another size or of a weight that is none are refused', () => {
    const accumulator = new GradientAccumulator(2);
    for (const [size, weight, code] of [
      [3, 1, 'shape'],
      [3, 2, 'shape'],
      [2, -1, 'bad_input'],
      [2, NaN, 'bad_input'],
    ] as const) {
      expect(() => {
        accumulator.add(new Float32Array(size), weight);
      }).toThrow(expect.objectContaining({ code }));
    }
    expect(accumulator.weight).toBe(0);
  });
});
