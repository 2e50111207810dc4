import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeLineSheet } from './lineSheet.js';
import { taskSheet } from './taskSheet.js';

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1 });
});
afterAll(() => pool.close());

test.each([0, 1])('sheet %i is the same every time; its lines are within their screens, over ink', async (index) => {
  const [sheet, again] = await Promise.all([1, 2].map(() => taskSheet(pool, { seed: 5, index, split: 'train' })));
  expect(again!.lines).toEqual(sheet!.lines);
  expect(Buffer.compare(again!.png, sheet!.png)).toBe(0);

  const { pixels, size } = await decodeLineSheet(sheet!.png);
  expect(size).toEqual({ width: 1280, height: 1440 });
  const tile = index === 0 ? 160 : 640;
  const texts = sheet!.lines.filter(({ text, clipped }) => text !== '' && clipped !== true);
  expect(texts.length).toBeGreaterThan(100);
  expect(sheet!.lines.length).toBeGreaterThan(texts.length);
  let inked = 0;
  for (const { text, top, bottom, sides } of texts) {
    expect(sides).toHaveLength([...text].length * 2);
    const [left, right] = [Math.min(...sides), Math.max(...sides)];
    expect(Math.floor(left / tile)).toBe(Math.floor((right - 0.01) / tile));
    const seen = new Set<number>();
    for (let y = Math.ceil(top); y < bottom; y++)
      for (let x = Math.floor(left); x < right; x++) seen.add(pixels[(y * size.width + x) * 3]!);
    if (seen.size > 2) inked++;
  }
  expect(inked / texts.length).toBeGreaterThan(0.97);
});
