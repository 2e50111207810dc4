import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Box, screenSide } from './box.js';
import { type PerceptionSample, perceive } from './perception.js';
import { words } from './words.js';

let pool: BrowserPool;
let samples: PerceptionSample[];

const draw = async (seed: number, count: number): Promise<PerceptionSample[]> => {
  const drawn: PerceptionSample[] = [];
  for await (const chunk of perceive(pool, { seed, count })) drawn.push(...chunk);
  return drawn;
};

beforeAll(async () => {
  pool = await BrowserPool.launch();
  samples = await draw(3, 192);
});
afterAll(() => pool.close());

/** Largest difference of a channel between two pixels of a box. */
function contrast({ pixels }: PerceptionSample, box: Box): number {
  let [low, high] = [255, 0];
  for (let y = Math.floor(box.y); y < Math.ceil(box.y + box.height); y++) {
    for (let x = Math.floor(box.x); x < Math.ceil(box.x + box.width); x++) {
      for (let channel = 0; channel < 3; channel++) {
        const value = pixels[(y * screenSide + x) * 3 + channel] ?? 0;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  return high - low;
}

const inside = (box: Box): boolean =>
  box.x >= 0 && box.y >= 0 && box.x + box.width <= screenSide && box.y + box.height <= screenSide;

test('gives as many samples as asked for, each a whole screen', async () => {
  expect(samples).toHaveLength(192);
  expect(await draw(9, 70)).toHaveLength(70);
  for (const { pixels } of samples) expect(pixels).toHaveLength(screenSide * screenSide * 3);
});

test('there is ink in the box of every letter and in every element', () => {
  for (const sample of samples) {
    for (const glyph of sample.glyphs) {
      expect(inside(glyph.box), `${glyph.word}[${glyph.index}]`).toBe(true);
      expect(contrast(sample, glyph.box), `${glyph.word}[${glyph.index}]`).toBeGreaterThan(45);
    }
    for (const element of sample.elements) {
      expect(inside(element.box), element.kind).toBe(true);
      expect(contrast(sample, element.box), element.kind).toBeGreaterThan(15);
    }
  }
});

test('letters stand in the elements whose labels they spell', () => {
  for (const { glyphs, elements } of samples) {
    for (const element of elements) {
      if (element.kind === 'tile' || element.kind === 'shape' || element.label === '') continue;
      const { x, y, width, height } = element.box;
      const letters = glyphs.filter(({ box }) => {
        const [middle, centre] = [box.x + box.width / 2, box.y + box.height / 2];
        return middle >= x && middle < x + width && centre >= y && centre < y + height;
      });
      expect(letters.map(({ char }) => char).join('')).toBe(element.label);
      expect(letters.every(({ word }) => word === element.label)).toBe(true);
    }
  }
});

test('half of the words are random letters, and no word of another split is shown', () => {
  const shown = samples.flatMap(({ elements }) =>
    elements.filter(({ kind }) => kind !== 'tile').flatMap(({ label }) => (label === '' ? [] : [label])),
  );
  const known = shown.filter((word) => words.train.includes(word)).length / shown.length;
  expect(known).toBeGreaterThan(0.4);
  expect(known).toBeLessThan(0.6);
  const heldOut = new Set([...words.dev, ...words.test]);
  expect(shown.filter((word) => heldOut.has(word))).toEqual([]);
});

test('shows every kind of element, in all its states', () => {
  const elements = samples.flatMap((sample) => sample.elements);
  expect(new Set(elements.map(({ kind }) => kind))).toEqual(
    new Set(['button', 'checkbox', 'radio', 'field', 'shape', 'text', 'tile']),
  );
  for (const kind of ['checkbox', 'radio']) {
    expect(new Set(elements.filter((element) => element.kind === kind).map(({ checked }) => checked))).toEqual(
      new Set([true, false]),
    );
  }
  expect(new Set(elements.filter(({ kind }) => kind === 'field').map(({ label }) => label !== ''))).toEqual(
    new Set([true, false]),
  );
});

test('the same seed gives the same samples, pixel by pixel; another seed gives others', async () => {
  const again = await draw(3, 64);
  expect(again.map(({ glyphs, elements }) => ({ glyphs, elements }))).toEqual(
    samples.slice(0, 64).map(({ glyphs, elements }) => ({ glyphs, elements })),
  );
  for (const [index, { pixels }] of again.entries()) {
    expect(Buffer.compare(pixels, samples[index]?.pixels ?? new Uint8Array())).toBe(0);
  }
  const other = await draw(4, 1);
  expect(Buffer.compare(other[0]?.pixels ?? new Uint8Array(), samples[0]?.pixels ?? new Uint8Array())).not.toBe(0);
});
