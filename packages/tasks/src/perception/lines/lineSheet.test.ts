import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../family/random.js';
import { LineText } from './lineText.js';
import { type LineSheet, decodeLineSheet, lineSheet } from './lineSheet.js';

const characters = [...' abcdefghijklmnopqrstuvwxyzABC0123456789.,:…中文字国保存€'];
let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1 });
});
afterAll(() => pool.close());

async function sheets(index: number, count: number, split: 'train' | 'test' = 'train'): Promise<LineSheet[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) => lineSheet(pool, { seed: 7, index: index + i, split, characters })),
  );
}

test('renders the same sheets again, and others for another split', async () => {
  const [first, second] = await sheets(0, 2);
  const [again] = await sheets(1, 1);
  expect(again!.lines).toEqual(second!.lines);
  expect(Buffer.compare(again!.png, second!.png)).toBe(0);
  expect(first!.lines).not.toEqual(second!.lines);
  expect((await sheets(0, 1, 'test'))[0]!.lines).not.toEqual(first!.lines);
});

test('measures where the ink of each line is', async () => {
  const [sheet] = await sheets(3, 1);
  const { pixels, size } = await decodeLineSheet(sheet!.png);
  expect(sheet!.lines.length).toBeGreaterThan(150);
  let inked = 0;
  for (const { text, top, bottom, sides } of sheet!.lines) {
    expect(sides).toHaveLength([...text].length * 2);
    expect(bottom).toBeGreaterThan(top);
    const seen = new Set<number>();
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(size.height, bottom); y++) {
      for (let x = Math.floor(sides[0]!); x < sides.at(-1)!; x++) seen.add(pixels[(y * size.width + x) * 3]!);
    }
    if (seen.size > 2) inked++;
  }
  expect(inked / sheet!.lines.length).toBeGreaterThan(0.97);
});

test('draws every character', () => {
  const text = new LineText(new Random('characters'), 'train', characters);
  const drawn = new Set(Array.from({ length: 600 }, () => text.english() + text.chinese() + text.single()).join(''));
  expect(characters.filter((char) => !drawn.has(char))).toEqual([]);
});
