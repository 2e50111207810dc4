import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../random.js';
import { draw, type DrawOptions } from './draw.js';

const logits = Float32Array.of(5, 1, 2, 0, 3, 4);
const allowed = [
  { first: 2, last: 3 },
  { first: 5, last: 5 },
];
const probability = (token: number): number =>
  Math.exp(logits[token]!) / [2, 3, 5].reduce((sum, one) => sum + Math.exp(logits[one]!), 0);

function counts(options: Omit<DrawOptions, 'random'>, n = 20_000): Map<number, number> {
  const random = new Random(1);
  const out = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const { token, logprob } = draw(logits, allowed, { ...options, random });
    expect(logprob).toBeCloseTo(Math.log(probability(token)), 5);
    out.set(token, (out.get(token) ?? 0) + 1 / n);
  }
  return out;
}

describe('drawing a token', () => {
  it('follows the probabilities of what is allowed', () => {
    const shares = counts({ temperature: 1, topP: 1 });
    for (const token of [2, 3, 5]) expect(shares.get(token)).toBeCloseTo(probability(token), 1.5);
    expect([...shares.keys()].sort()).toEqual([2, 3, 5]);
  });

  it('takes the likeliest at temperature 0, and a flatter or steeper share at others', () => {
    expect([...counts({ temperature: 0, topP: 1 }, 10).keys()]).toEqual([5]);
    const hot = counts({ temperature: 3, topP: 1 });
    const weights = [2, 3, 5].map((token) => Math.exp(logits[token]! / 3));
    expect(hot.get(5)).toBeCloseTo((weights[2] ?? 0) / weights.reduce((a, b) => a + b), 1.5);
  });

  it('keeps no more than the likeliest tokens that reach top-p', () => {
    expect([...counts({ temperature: 1, topP: 0.5 }, 100).keys()]).toEqual([5]);
    expect([...counts({ temperature: 1, topP: 0.95 }, 2000).keys()].sort()).toEqual([2, 5]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (topP, seed) => {
        const { token } = draw(logits, allowed, { temperature: 1, topP, random: new Random(seed) });
        expect([2, 3, 5]).toContain(token);
      }),
    );
  });

  it('is one of a few where only those may be, with the probability that it has among all', () => {
    const only = [{ first: 2, last: 3 }];
    expect([...counts({ temperature: 0, topP: 1, only }, 10).keys()]).toEqual([2]);
    const shares = counts({ temperature: 1, topP: 1, only });
    expect(shares.get(2)).toBeCloseTo(probability(2) / (probability(2) + probability(3)), 1.5);
    expect([...counts({ temperature: 1, topP: 1, only: [{ first: 3, last: 3 }] }, 10).keys()]).toEqual([3]);
  });
});
