import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesSince } from './incremental.js';
import { type Bar, barHeight, drawBars, margin, openInkReader, rowPitch } from './inkReader.test.fixture.js';
import { LineCache } from './lineCache.js';
import type { Screen } from './reader.js';

const size = { width: 640, height: 480 };
const bar: fc.Arbitrary<Bar> = fc.record({
  row: fc.integer({ min: 0, max: size.height / rowPitch - 1 }),
  x: fc.integer({ min: margin, max: size.width - 40 }),
  width: fc.integer({ min: 1, max: 30 }),
  letter: fc.integer({ min: 0, max: 25 }),
});
const bars = fc.array(bar, { maxLength: 60 });
const hello = drawBars(size, [{ row: 3, x: 40, width: 10, letter: 7 }]);

/** Paints over a rectangle that covers whole rows. */
const edit = fc.record({
  rows: fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 3 })),
  x: fc.integer({ min: 0, max: size.width - 1 }),
  width: fc.integer({ min: 1, max: 200 }),
  bars,
});

function edited(
  before: Screen,
  { rows: [first, count], x, width, bars }: typeof edit extends fc.Arbitrary<infer T> ? T : never,
) {
  const drawn = drawBars(size, bars);
  const pixels = new Uint8Array(before.pixels);
  const end = Math.min(x + width, size.width);
  for (let y = first * rowPitch; y < Math.min((first + count + 1) * rowPitch, size.height); y++) {
    const [start, stop] = [(y * size.width + x) * 3, (y * size.width + end) * 3];
    pixels.set(drawn.pixels.subarray(start, stop), start);
  }
  return { pixels, size };
}

describe('incremental reading', () => {
  it('equals reading everything, whatever changed, if lines are what their pixels are', async () => {
    await fc.assert(
      fc.asyncProperty(bars, edit, async (drawn, change) => {
        const before = drawBars(size, drawn);
        const after = edited(before, change);
        const { reader } = openInkReader();
        const previous = { screen: before, reading: await reader.read(before) };
        expect(await reader.read(after, previous)).toEqual(await openInkReader().reader.read(after));
      }),
      { numRuns: 60 },
    );
  });

  it('reads every pixel that differs, and retains only lines whose pixels are the same', async () => {
    await fc.assert(
      fc.asyncProperty(bars, edit, async (drawn, change) => {
        const before = drawBars(size, drawn);
        const after = edited(before, change);
        const reading = await openInkReader().reader.read(before);
        const { regions, unchanged } = changesSince(after, { screen: before, reading });
        for (let i = 0; i < size.width * size.height; i++) {
          if (before.pixels[i * 3] === after.pixels[i * 3]) continue;
          const [x, y] = [i % size.width, Math.floor(i / size.width)];
          const contains = (box: { x: number; y: number; width: number; height: number }) =>
            x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
          expect(regions.filter(contains)).toHaveLength(1);
          expect(unchanged.filter((line) => contains(line.box))).toEqual([]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('detects nothing on the same screen, and a small part after a small change', async () => {
    const { reader, detector, recogniser } = openInkReader();
    const reading = await reader.read(hello);
    expect(await reader.read({ ...hello }, { screen: hello, reading })).toEqual(reading);
    expect(detector.views).toHaveLength(1);
    expect(recogniser.recognised).toBe(1);
    const after = drawBars(size, [
      { row: 3, x: 40, width: 10, letter: 7 },
      { row: 20, x: 600, width: 10, letter: 8 },
    ]);
    const { lines } = await reader.read(after, { screen: hello, reading });
    expect(lines.map(({ text }) => text)).toEqual(['H', 'I']);
    expect(detector.views[1]).toEqual({ x: 416, y: 256, width: 224, height: 224 });
  });

  it('reads a line as a whole once characters join it', async () => {
    const { reader } = openInkReader();
    const reading = await reader.read(hello);
    const after = drawBars(size, [
      { row: 3, x: 40, width: 10, letter: 7 },
      { row: 3, x: 52, width: 300, letter: 8 },
    ]);
    const { lines } = await reader.read(after, { screen: hello, reading });
    expect(lines).toMatchObject([{ text: 'HI', box: { x: 38, width: 316 }, centres: [45, 202] }]);
  });

  it('reads everything after another reader, or on a screen of another size', async () => {
    const { reader, detector } = openInkReader();
    const second = openInkReader({ name: 'ink-2' });
    await reader.read(hello, { screen: hello, reading: await second.reader.read(hello) });
    const smaller = drawBars({ width: 320, height: 480 }, []);
    const reading = await reader.read(hello, { screen: smaller, reading: await reader.read(smaller) });
    expect(reading.lines).toHaveLength(1);
    const { width, height } = size;
    expect(detector.views.filter((view) => view.width === width && view.height === height)).toHaveLength(2);
  });
});

describe('the cache', () => {
  it('recognises a line once, wherever it is and however much background its box has', async () => {
    const cache = new LineCache();
    const { reader, recogniser } = openInkReader({ cache });
    await reader.read(hello);
    const moved = drawBars(size, [
      { row: 7, x: 300, width: 10, letter: 7 },
      { row: 9, x: 100, width: 10, letter: 8 },
    ]);
    const { lines } = await reader.read(moved);
    expect(lines).toMatchObject([{ text: 'H', centres: [305] }, { text: 'I' }]);
    expect(recogniser.recognised).toBe(2);
    expect([cache.hits, cache.misses]).toEqual([1, 2]);
  });
});

it('lines are from top to bottom, then from left to right', async () => {
  const letters = [
    { row: 1, x: 300, width: 5, letter: 1 },
    { row: 0, x: 500, width: 5, letter: 0 },
    { row: 1, x: 400, width: 5, letter: 2 },
    { row: 2, x: 0, width: 5, letter: 3 },
  ];
  const { lines } = await openInkReader().reader.read(drawBars(size, letters));
  expect(lines.map(({ text }) => text)).toEqual(['A', 'B', 'C', 'D']);
  expect(lines[0]!.box).toEqual({ x: 498, y: 4, width: 9, height: barHeight + 2 * margin });
});

it('a screen without the bytes of its size is refused', async () => {
  const { reader } = openInkReader();
  const refused = { code: 'bad_input', detail: { field: 'screen.pixels' } };
  await expect(reader.read({ ...hello, pixels: hello.pixels.subarray(1) })).rejects.toMatchObject(refused);
  await expect(reader.read({ pixels: new Uint8Array(0), size: { width: 0, height: 0 } })).rejects.toMatchObject(
    refused,
  );
});
