import { Random } from '@gyre/engine';
import { slotWidth, stripHeight } from '@gyre/reader';
import { expect, test } from 'vitest';
import { lineBatch } from './lineBatch.js';
import { type CutLine, type LinePage, cutLine } from './linePage.js';

/** Characters are 12 px wide, from x 100 on; each is a bar of 4 px in its middle. */
function pageOf(text: string): LinePage {
  const [width, height] = [400, 60];
  const pixels = new Uint8Array(width * height * 3).fill(255);
  const sides = [...text].flatMap((_, i) => [100 + 12 * i, 112 + 12 * i]);
  for (let i = 0; i < text.length; i++) {
    for (let y = 24; y < 36; y++) pixels.fill(0, (y * width + 104 + 12 * i) * 3, (y * width + 108 + 12 * i) * 3);
  }
  return { screen: { pixels, size: { width, height } }, lines: [{ text, top: 20, bottom: 40, sides }] };
}

const cut = (text: string, seed: number): CutLine => {
  const page = pageOf(text);
  return cutLine(page, page.lines[0]!, new Random(seed));
};

test('cuts lines with jitter, and knows where their characters are', () => {
  for (let seed = 0; seed < 20; seed++) {
    const line = cut('abc', seed);
    expect(line.characters).toEqual(['a', 'b', 'c']);
    const middle = line.ink.subarray(12 * line.width, 13 * line.width);
    for (const centre of line.centres) expect(middle[Math.floor(centre)]).toBeGreaterThan(200);
    expect(line.ink).toHaveLength(line.width * stripHeight);
  }
  expect(cut('abc', 1).width).not.toBe(cut('abc', 2).width);
  expect(cut('abc', 1)).toEqual(cut('abc', 1));
});

const classes = new Map([...'abcdef'].map((char, index) => [char, index]));
const shape = { strips: 2, stripWidth: 128, places: 8 };

test('fills strips, and leaves out lines without room or with unknown characters', () => {
  const lines = [cut('abc', 1), cut('defa', 2), cut('x', 3), cut('abcdefabcdef', 4)];
  const { ink, targets, places, characters, weights } = lineBatch(lines, { shape, classes, random: new Random(1) });
  expect([ink, targets, places].map((feed) => feed!.length)).toEqual([2 * stripHeight * 128, 2 * 64, 8]);
  const slots = [...(targets as Float32Array)].flatMap((target, slot) => (target === 1 ? [slot] : []));
  expect(slots).toHaveLength(7);
  const labels = [...(places as Int32Array).subarray(0, 7)].map((place, i) => [place, characters![i]]);
  expect(labels.toSorted((a, b) => Number(a[0]) - Number(b[0])).map(([, char]) => char)).toEqual([0, 1, 2, 3, 4, 5, 0]);
  for (const [place] of labels) expect(slots.some((slot) => Math.abs(slot - Number(place)) <= 1)).toBe(true);
  expect([...(weights as Float32Array)].reduce((a, b) => a + b)).toBeCloseTo(1);
  expect((12 / 20) * stripHeight).toBeGreaterThan(2 * slotWidth);
});

test('leaves out characters beyond the places', () => {
  const few = { ...shape, places: 2 };
  const { weights } = lineBatch([cut('abc', 1)], { shape: few, classes, random: new Random(1) });
  expect(weights).toEqual(Float32Array.of(0.5, 0.5));
});
