import fc from 'fast-check';
import { expect, test } from 'vitest';
import { components } from './components.js';

const bitmap = fc
  .record({ width: fc.integer({ min: 1, max: 14 }), height: fc.integer({ min: 1, max: 14 }) })
  .chain((size) =>
    fc.record({
      size: fc.constant(size),
      bits: fc.array(fc.boolean(), { minLength: size.width * size.height, maxLength: size.width * size.height }),
    }),
  );

/** Labels by flooding, one pixel after another. */
function flooded(bits: readonly boolean[], { width, height }: { width: number; height: number }) {
  const seen = new Set<number>();
  return bits.flatMap((bit, first) => {
    if (!bit || seen.has(first)) return [];
    const pixels = [first];
    seen.add(first);
    for (const pixel of pixels) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++) {
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
          const next = row * width + column;
          if (bits[next] !== true || seen.has(next)) continue;
          seen.add(next);
          pixels.push(next);
        }
      }
    }
    const columns = pixels.map((pixel) => pixel % width);
    const rows = pixels.map((pixel) => Math.floor(pixel / width));
    return [
      {
        left: Math.min(...columns),
        top: Math.min(...rows),
        right: Math.max(...columns) + 1,
        bottom: Math.max(...rows) + 1,
        area: pixels.length,
        sum: pixels.length * 0.75,
      },
    ];
  });
}

test('components are those that flooding finds', () => {
  fc.assert(
    fc.property(bitmap, ({ size, bits }) => {
      const map = Float32Array.from(bits, (bit) => (bit ? 0.75 : 0.25));
      const labelled = components(map, size, 0.5);
      expect(labelled).toHaveLength(flooded(bits, size).length);
      expect(labelled).toEqual(expect.arrayContaining(flooded(bits, size)));
    }),
  );
});

test('a value at the threshold and one that is no number are outside', () => {
  expect(components(Float32Array.of(0.5, NaN, 0.51), { width: 3, height: 1 }, 0.5)).toMatchObject([
    { left: 2, right: 3, area: 1 },
  ]);
});
