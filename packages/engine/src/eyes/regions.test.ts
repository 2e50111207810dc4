import fc from 'fast-check';
import type { PixelBox, Size, TextLine } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { findRegions, maxRegions } from './regions.js';

type Colour = readonly [number, number, number];
const [white, grey, black]: readonly Colour[] = [
  [255, 255, 255],
  [150, 150, 150],
  [0, 0, 0],
];
const size = { width: 160, height: 120 };

class Picture {
  readonly pixels: Uint8Array;

  constructor(
    readonly size: Size,
    ground: Colour = white!,
  ) {
    this.pixels = new Uint8Array(size.width * size.height * 3);
    this.fill({ x: 0, y: 0, ...size }, ground);
  }

  fill({ x, y, width, height }: PixelBox, colour: Colour): this {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) this.pixels.set(colour, 3 * (row * this.size.width + column));
    }
    return this;
  }

  regions(lines: readonly TextLine[] = []) {
    return findRegions(this.pixels, this.size, lines);
  }
}

const boxOf = (x: number, y: number, width: number, height: number): PixelBox => ({ x, y, width, height });
const lineOf = (text: string, box: PixelBox): TextLine => ({ text, box, centres: [...text].map(() => box.x) });
const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255));
const rectangle = fc
  .record({
    x: fc.nat(150),
    y: fc.nat(110),
    width: fc.integer({ min: 4, max: 80 }),
    height: fc.integer({ min: 4, max: 60 }),
  })
  .map(({ x, y, width, height }) =>
    boxOf(Math.min(x, size.width - width), Math.min(y, size.height - height), width, height),
  );
const differs = (a: Colour, b: Colour) => a.some((channel, i) => Math.abs(channel - b[i]!) > 2);

describe('findRegions', () => {
  it('finds an isolated rectangle exactly, with its colour', () => {
    fc.assert(
      fc.property(rectangle, colour, colour, (box, ground, paint) => {
        fc.pre(differs(ground, paint));
        const picture = new Picture(size, ground).fill(box, paint);
        expect(picture.regions()).toContainEqual({ box, fill: 1, colour: paint });
      }),
    );
  });

  it('returns boxes within the screen, sorted, within the limit, and the same again', () => {
    const noise = fc.array(fc.tuple(rectangle, colour), { maxLength: 120 });
    fc.assert(
      fc.property(noise, fc.array(rectangle, { maxLength: 5 }), (rectangles, boxes) => {
        const picture = new Picture(size);
        for (const [box, paint] of rectangles) picture.fill(box, paint);
        const lines = boxes.map((box) => lineOf('some text', box));
        const regions = picture.regions(lines);
        expect(regions.length).toBeLessThanOrEqual(maxRegions(size));
        for (const { box, fill } of regions) {
          expect(box.x >= 0 && box.x + box.width <= size.width).toBe(true);
          expect(box.y >= 0 && box.y + box.height <= size.height).toBe(true);
          expect(fill > 0 && fill <= 1).toBe(true);
        }
        const rows = regions.map(({ box }) => 1000 * Math.floor(box.y / 8) + box.x);
        expect(rows).toEqual([...rows].sort((a, b) => a - b));
        expect(picture.regions(lines)).toEqual(regions);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the limit on a large screen full of tiles', () => {
    const picture = new Picture({ width: 640, height: 480 });
    for (let y = 0; y < 480; y += 8) for (let x = 0; x < 640; x += 8) picture.fill(boxOf(x, y, 5, 5), black!);
    expect(picture.regions()).toHaveLength(110);
  });

  it('leaves letters within a line out, and keeps a button around it', () => {
    const button = boxOf(20, 30, 60, 20);
    const picture = new Picture(size).fill(button, grey!);
    const letters = [30, 38, 46, 54].map((x) => boxOf(x, 36, 5, 9));
    for (const letter of letters) picture.fill(letter, black!);
    const regions = picture.regions([lineOf('word', boxOf(28, 34, 34, 13))]);
    expect(regions).toEqual([{ box: button, fill: (1200 - 4 * 45) / 1200, colour: grey }]);
    expect(picture.regions()).toHaveLength(5);
  });

  it('joins a frame and its inside, in the colour that covers more', () => {
    const picture = new Picture(size).fill(boxOf(10, 10, 80, 24), black!).fill(boxOf(11, 11, 78, 22), grey!);
    expect(picture.regions()).toEqual([{ box: boxOf(10, 10, 80, 24), fill: (78 * 22) / (80 * 24), colour: grey }]);
  });

  it('takes a gradient for ground', () => {
    const picture = new Picture(size);
    for (let x = 0; x < size.width; x++) {
      for (let y = 0; y < size.height; y++) picture.fill(boxOf(x, y, 1, 1), [100 + (x >> 1), 90 + y, 200 - (x >> 2)]);
    }
    const box = boxOf(60, 50, 12, 12);
    expect(picture.fill(box, white!).regions()).toEqual([{ box, fill: 1, colour: white }]);
  });

  it('finds an icon drawn in strokes of several shades', () => {
    const picture = new Picture(size);
    for (let i = 0; i < 12; i++) {
      picture.fill(boxOf(20 + i, 20 + i, 1, 1), i % 2 ? black! : grey!);
      picture.fill(boxOf(31 - i, 20 + i, 1, 1), i % 2 ? grey! : black!);
    }
    expect(picture.regions().map(({ box }) => box)).toEqual([boxOf(20, 20, 12, 12)]);
  });

  it('joins three dots and three bars to an icon each, outside lines only', () => {
    const picture = new Picture(size);
    for (const i of [0, 1, 2])
      picture.fill(boxOf(20 + 5 * i, 20, 2, 2), black!).fill(boxOf(60, 20 + 5 * i, 12, 2), black!);
    expect(picture.regions().map(({ box }) => box)).toEqual([boxOf(20, 20, 12, 2), boxOf(60, 20, 12, 12)]);
    expect(picture.regions([lineOf('...', boxOf(10, 15, 40, 12))]).map(({ box }) => box)).toEqual([
      boxOf(60, 20, 12, 12),
    ]);
  });

  it('ignores the screen, large panels, and thin lines', () => {
    const picture = new Picture(size).fill(boxOf(0, 60, 160, 60), grey!).fill(boxOf(5, 10, 150, 2), black!);
    expect(picture.regions()).toEqual([]);
  });

  it('refuses pixels of another size', () => {
    expect(() => findRegions(new Uint8Array(4), size, [])).toThrow(
      expect.objectContaining({ code: 'shape', detail: expect.objectContaining({ field: 'pixels' }) }),
    );
  });
});
