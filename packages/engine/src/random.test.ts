import { describe, expect, it } from 'vitest';
import { Random } from './random.js';

describe('random', () => {
  it('is xoshiro128** 1.1', () => {
    // From the C reference implementation with state 1, 2, 3, 4.
    const words = [11520, 0, 5927040, 70819200];
    const random = Random.from([1, 2, 3, 4]);
    for (let i = 0; i < words.length; i += 2) {
      expect(random.next()).toBe(((words[i]! >>> 5) * 2 ** 26 + (words[i + 1]! >>> 6)) / 2 ** 53);
    }
  });

  it('gives the same numbers for the same seed, and goes on from a saved state', () => {
    const a = new Random(42);
    const b = new Random(42);
    expect(Array.from({ length: 5 }, () => a.next())).toEqual(Array.from({ length: 5 }, () => b.next()));
    const resumed = Random.from(JSON.parse(JSON.stringify(a.state())) as number[]);
    expect(Array.from({ length: 5 }, () => resumed.normal())).toEqual(Array.from({ length: 5 }, () => a.normal()));
    expect(new Random(43).next()).not.toBe(new Random(42).next());
  });

  it('has the moments that it should have', () => {
    const random = new Random(1);
    const n = 100_000;
    const uniform = Array.from({ length: n }, () => random.next());
    const normal = Array.from({ length: n }, () => random.normal());
    const mean = (xs: number[]) => xs.reduce((sum, x) => sum + x, 0) / n;
    expect(uniform.every((x) => x >= 0 && x < 1)).toBe(true);
    expect(Math.abs(mean(uniform) - 0.5)).toBeLessThan(0.005);
    expect(Math.abs(mean(normal))).toBeLessThan(0.015);
    expect(Math.abs(mean(normal.map((x) => x * x)) - 1)).toBeLessThan(0.03);
    expect(Math.abs(mean(normal.map((x) => x ** 4)) - 3)).toBeLessThan(0.2);
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < n; i++) counts[random.int(7)]!++;
    for (const count of counts) expect(Math.abs(count / n - 1 / 7)).toBeLessThan(0.006);
  });

  it('shuffles without losing anything, in every order', () => {
    const random = new Random(1);
    const orders = new Set(Array.from({ length: 300 }, () => random.shuffle([1, 2, 3]).join('')));
    expect([...orders].sort()).toEqual(['123', '132', '213', '231', '312', '321']);
  });

  it('forks by label without moving', () => {
    const random = new Random(1);
    const before = random.state();
    const draws = ['a', 'b', 'a', ''].map((label) => random.fork(label).next());
    expect(random.state()).toEqual(before);
    expect(draws[0]).toBe(draws[2]);
    expect(new Set(draws).size).toBe(3);
    random.next();
    expect(random.fork('a').next()).not.toBe(draws[0]);
  });

  it('refuses what is no seed, no state and no range', () => {
    for (const bad of [
      () => new Random(NaN),
      () => Random.from([0, 0, 0, 0]),
      () => Random.from([1, 2, 3]),
      () => new Random(1).int(0),
    ]) {
      expect(bad).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});
