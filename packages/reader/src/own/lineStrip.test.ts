import { describe, expect, test } from 'vitest';
import type { Screen } from '../reader.js';
import { Strips, normaliseLine, stripHeight } from './lineStrip.js';

type Colour = readonly [number, number, number];

/** Draws a bar from x 10 to 20, over the full height but for 3 px at top and bottom. */
function drawn(ground: Colour, ink: Colour, height = 12): Screen {
  const width = 40;
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const inside = x >= 10 && x < 20 && y >= 3 && y < height - 3;
      pixels.set(inside ? ink : ground, (y * width + x) * 3);
    }
  }
  return { pixels, size: { width, height } };
}

describe('normaliseLine', () => {
  test('shows the same ink in every theme', () => {
    const light = normaliseLine(drawn([255, 255, 255], [0, 0, 0]));
    expect(light).toMatchObject({ width: 80, scale: 2 });
    for (const [ground, ink] of [
      [
        [0, 0, 0],
        [255, 255, 255],
      ],
      [
        [200, 30, 30],
        [30, 30, 200],
      ],
      [
        [120, 120, 120],
        [90, 90, 90],
      ],
    ] as const) {
      expect(normaliseLine(drawn(ground, ink)).ink).toEqual(light.ink);
    }
    const row = light.ink.subarray(12 * 80, 13 * 80);
    expect([row[0], row[30], row[79]]).toEqual([0, 255, 0]);
  });

  test('does not amplify faint noise', () => {
    expect(Math.max(...normaliseLine(drawn([100, 100, 100], [103, 100, 100])).ink)).toBeLessThan(64);
  });

  test('scales a fractional box that leaves the screen', () => {
    const line = normaliseLine(drawn([255, 255, 255], [0, 0, 0], 48), {
      box: { x: -3.5, y: -2.2, width: 30, height: 52 },
      stretch: 1.1,
    });
    expect(line.width).toBe(Math.round(30 * (24 / 52) * 1.1));
    expect(line.ink).toHaveLength(line.width * stripHeight);
  });
});

describe('Strips', () => {
  const line = (width: number, value: number) => ({
    ink: new Uint8Array(width * stripHeight).fill(value),
    width,
    scale: 1,
  });

  test('places lines with gaps, and refuses what does not fit', () => {
    const strips = new Strips(2, 124);
    expect(strips.place(line(30, 1))).toEqual({ row: 0, x: 0 });
    expect(strips.place(line(40, 2))).toEqual({ row: 0, x: 80 });
    expect(strips.place(line(114, 3))).toEqual({ row: 1, x: 0 });
    expect(strips.place(line(20, 4))).toBeUndefined();
    expect([...strips.pixels.subarray(25, 84)]).toEqual([1, 1, 1, 1, 1, ...new Array<number>(50).fill(0), 2, 2, 2, 2]);
    expect(() => strips.place(line(125, 5))).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
