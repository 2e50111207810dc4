import type { PerceptionSample } from '@gyre/tasks';
import { expect, test } from 'vitest';
import { rowsOfWords, wordsOf } from './textRow.js';

const word = (left: number, right: number, top = 10, bottom = 22) => ({ left, right, top, bottom });

test('joins words that a space separates, and no others', () => {
  const rows = rowsOfWords([word(50, 80), word(0, 20), word(25, 46), word(100, 120), word(25, 46, 30, 42)]);
  expect(rows).toEqual([word(0, 80), word(25, 46, 30, 42), word(100, 120)]);
  expect(rowsOfWords([word(0, 20), word(23, 40, 6, 30)])).toHaveLength(2);
});

test('takes words from glyphs, and cuts them where the page wraps', () => {
  const glyph = (index: number, x: number, y: number) => ({
    char: 'a',
    word: 'aaa',
    index,
    box: { x, y, width: 6, height: 12 },
  });
  const glyphs = [glyph(0, 0, 0), glyph(1, 6, 0), glyph(2, 0, 14), glyph(0, 40, 14), glyph(2, 52, 14)];
  expect(wordsOf({ glyphs } as unknown as PerceptionSample)).toEqual([
    word(0, 12, 0, 12),
    word(0, 6, 14, 26),
    word(40, 46, 14, 26),
    word(52, 58, 14, 26),
  ]);
});
