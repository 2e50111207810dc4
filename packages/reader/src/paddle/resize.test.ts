import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cubic, linear, resize } from './resize.js';

const side = fc.integer({ min: 1, max: 9 });
const screenOf = (width: number, height: number, colour: (x: number, y: number) => number) => ({
  pixels: Uint8Array.from({ length: width * height * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3);
    return colour(pixel % width, Math.floor(pixel / width));
  }),
  size: { width, height },
});

describe.each([
  ['linear', linear],
  ['cubic', cubic],
])('resize, %s', (_, kernel) => {
  it('leaves a single colour as it is, at every size', () => {
    fc.assert(
      fc.property(side, side, side, side, fc.integer({ min: 0, max: 255 }), (w, h, width, height, value) => {
        const resized = resize(
          screenOf(w, h, () => value),
          width,
          height,
          kernel,
        );
        expect(resized).toHaveLength(width * height * 3);
        for (const sample of resized) expect(sample).toBeCloseTo(value, 2);
      }),
    );
  });

  it('returns the same pixels at the same size', () => {
    const screen = screenOf(5, 4, (x, y) => x * 40 + y * 9);
    expect(Array.from(resize(screen, 5, 4, kernel), Math.round)).toEqual([...screen.pixels]);
  });
});

it('interpolates between the middles of pixels', () => {
  const screen = screenOf(2, 1, (x) => x * 100);
  const red = (kernel: typeof linear) => [...resize(screen, 4, 1, kernel)].filter((_, i) => i % 3 === 0);
  expect(red(linear)).toEqual([0, 25, 75, 100]);
  // OpenCV's INTER_CUBIC.
  expect(red(cubic).map((value) => Number(value.toFixed(2)))).toEqual([-10.55, 22.66, 77.34, 110.55]);
});
