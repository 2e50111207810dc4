import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Crops } from './crops.js';

const size = { width: 40, height: 30 };

function gradient(): Uint8Array {
  const pixels = new Uint8Array(size.width * size.height * 3);
  for (let i = 0; i < pixels.length; i++) pixels[i] = (7 * Math.floor(i / 3) + 50 * (i % 3)) % 256;
  return pixels;
}

const box = fc.record({
  x: fc.double({ min: -50, max: 60, noNaN: true }),
  y: fc.double({ min: -50, max: 60, noNaN: true }),
  width: fc.double({ min: 0, max: 80, noNaN: true }),
  height: fc.double({ min: 0, max: 80, noNaN: true }),
});

it('copies a box of the size of the crop, grown by a pixel', () => {
  const pixels = gradient();
  const into = new Uint8Array(4 * 4 * 3 + 2).fill(9);
  new Crops(pixels, size).write({ x: 6, y: 5, width: 2, height: 2 }, 4, into, 1);
  for (let row = 0; row < 4; row++) {
    const from = 3 * ((4 + row) * size.width + 5);
    expect([...into.subarray(1 + 12 * row, 13 + 12 * row)]).toEqual([...pixels.subarray(from, from + 12)]);
  }
  expect([into[0], into.at(-1)]).toEqual([9, 9]);
});

it('keeps the mean of the box, and a flat colour as it is', () => {
  fc.assert(
    fc.property(fc.nat({ max: 30 }), fc.nat({ max: 20 }), fc.integer({ min: 1, max: 16 }), (x, y, side) => {
      const pixels = gradient();
      const into = new Uint8Array(side * side * 3);
      new Crops(pixels, size).write({ x: x + 1, y: y + 1, width: 7, height: 7 }, side, into, 0);
      const expected = [0, 1, 2].map((channel) => {
        let sum = 0;
        for (let i = 0; i < 81; i++) {
          const index = (y + Math.floor(i / 9)) * size.width + x + (i % 9);
          sum += pixels[3 * index + channel]!;
        }
        return sum / 81;
      });
      for (const channel of [0, 1, 2]) {
        const mean = into.filter((_, i) => i % 3 === channel).reduce((sum, value) => sum + value, 0) / (side * side);
        expect(Math.abs(mean - expected[channel]!)).toBeLessThan(0.51);
      }
    }),
  );
  fc.assert(
    fc.property(box, fc.nat(255), (box, value) => {
      const into = new Uint8Array(12 * 12 * 3);
      new Crops(new Uint8Array(size.width * size.height * 3).fill(value), size).write(box, 12, into, 0);
      expect(into.every((byte) => byte === value)).toBe(true);
    }),
  );
});

it('refuses a target that is too small', () => {
  expect(() => {
    new Crops(gradient(), size).write({ x: 0, y: 0, width: 5, height: 5 }, 12, new Uint8Array(500), 69);
  }).toThrow(expect.objectContaining({ code: 'shape', detail: expect.objectContaining({ field: 'offset' }) }));
});
