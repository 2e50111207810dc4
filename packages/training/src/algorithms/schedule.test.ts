import { GyreError } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { scheduledRate } from './schedule.js';

describe('learningRate', () => {
  const schedule = { peak: 1, warmup: 4, steps: 20, decayFrom: 0.5, floor: 0.2 };

  it.each([
    [0, 0.25],
    [1, 0.5],
    [3, 1],
    [9, 1],
    [10, 1],
    [15, 0.6],
    [19, 0.28],
    [20, 0.2],
    [1000, 0.2],
  ])('at step %i is %f', (step, rate) => {
    expect(scheduledRate(step, schedule)).toBeCloseTo(rate, 12);
  });

  it('is constant until 60 % and falls to 5 % by default', () => {
    expect(scheduledRate(60, { peak: 2, steps: 100 })).toBe(2);
    expect(scheduledRate(80, { peak: 2, steps: 100 })).toBeCloseTo(2 * (0.05 + 0.95 / 2), 12);
    expect(scheduledRate(100, { peak: 2, steps: 100 })).toBeCloseTo(0.1, 12);
  });

  it('does not decay where the number of steps is not known', () => {
    expect(scheduledRate(1e9, { peak: 3e-4, warmup: 10 })).toBe(3e-4);
  });

  it.each([
    ['peak', { peak: NaN }],
    ['warmup', { peak: 1, warmup: -1 }],
    ['steps', { peak: 1, steps: 0 }],
    ['decayFrom', { peak: 1, decayFrom: 1.5 }],
    ['floor', { peak: 1, floor: 2 }],
  ])('refuses a bad %s and names it', (field, bad) => {
    const refusal = expect(() => scheduledRate(0, bad));
    refusal.toThrow(GyreError);
    refusal.toThrow(field);
  });
});
