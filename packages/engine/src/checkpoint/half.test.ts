import { describe, expect, it } from 'vitest';
import { fromHalf, overflowsAt, toHalf, type HalfType } from './half.js';
import { Random } from '../random.js';

const allBits = Uint16Array.from({ length: 2 ** 16 }, (_, bits) => bits);

function numbers(type: HalfType): Float32Array {
  const to = new Float32Array(allBits.length);
  fromHalf(type, allBits, to);
  return to;
}

function defined(type: HalfType, bits: number): number {
  const [digits, bias, last] = type === 'F16' ? [10, 15, 31] : [7, 127, 255];
  const exponent = (bits & 0x7fff) >> digits;
  const fraction = (bits & (2 ** digits - 1)) / 2 ** digits;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === last) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias);
}

describe.each(['F16', 'BF16'] as const)('half precision %s', (type) => {
  it('stands for the numbers of its definition', () => {
    const decoded = numbers(type);
    expect(allBits.every((bits) => Object.is(decoded[bits], defined(type, bits)))).toBe(true);
  });

  it('keeps every number that fits', () => {
    const finite = numbers(type).filter(Number.isFinite);
    const back = new Float32Array(finite.length);
    fromHalf(type, toHalf(type, finite), back);
    expect(back).toEqual(finite);
  });

  it('rounds to the nearest, and half-way to even', () => {
    const finite = numbers(type)
      .subarray(0, 0x8000)
      .filter((value) => Number.isFinite(value));
    // Every value, and the float32 values around its midpoint to the next.
    const random = new Random(1);
    const wrong: number[] = [];
    for (let lower = 0; lower < finite.length - 1; lower += 1 + random.int(20)) {
      const halfway = (finite[lower]! + finite[lower + 1]!) / 2;
      const even = lower % 2 === 0 ? lower : lower + 1;
      const [above, below] = [neighbour(halfway, 1), neighbour(halfway, -1)];
      const bits = toHalf(type, Float32Array.of(halfway, above, below, -halfway, -above));
      const expected = [even, lower + 1, lower, even | 0x8000, (lower + 1) | 0x8000];
      if (bits.some((found, i) => found !== expected[i])) wrong.push(lower);
    }
    expect(wrong).toEqual([]);
  });

  it('overflows from half-way above its largest number on', () => {
    const limit = overflowsAt[type];
    const [largest, infinite] = toHalf(type, Float32Array.of(neighbour(limit, -1), limit));
    expect(defined(type, largest!)).toBeLessThan(Infinity);
    expect(defined(type, infinite!)).toBe(Infinity);
  });
});

function neighbour(value: number, by: 1 | -1): number {
  const array = Float32Array.of(value);
  new Int32Array(array.buffer)[0]! += by;
  return array[0]!;
}
