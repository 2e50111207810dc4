import { Reading } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReadingNoise, noReadingNoise } from './noise.js';
import { ownNoise } from './readerNoise.js';
import { simulatedReading } from './simulated.js';
import type { Word } from './word.js';

const size = { width: 640, height: 480 };

/** Widths of a letter and of an ideograph, in em. */
function wordAt(text: string, start: number, top: number, fontSize = 14): Word {
  let x = start;
  const edges = [start, ...Array.from(text, (character) => (x += fontSize * (character > '\u2e80' ? 1 : 0.5)))];
  return { text, top, height: fontSize * 1.2, fontSize, edges };
}

const rightOf = ({ edges }: Word): number => edges.at(-1) ?? 0;

const texts = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9.@-]{1,9}$/),
  fc.constantFrom('设置', '个人资料', '你好,世界', 'Ω½', '🙂ok'),
);

/** Rows of words with gaps from 0 to 4 em. */
const screens = fc
  .array(
    fc.tuple(
      fc.integer({ min: 10, max: 20 }),
      fc.array(fc.tuple(texts, fc.double({ min: 0, max: 4, noNaN: true })), { maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((rows) => {
    let top = 4;
    return rows.flatMap(([fontSize, words]) => {
      let x = 5;
      const row = words.map(([text, gap]) => {
        const word = wordAt(text, x + gap * fontSize, top, fontSize);
        x = rightOf(word);
        return word;
      });
      top += fontSize * 1.6;
      return row.filter((word) => rightOf(word) < size.width);
    });
  });

const share = fc.double({ min: 0, max: 1, noNaN: true });
const noises: fc.Arbitrary<ReadingNoise> = fc.record({
  lostLines: share,
  widestGap: share,
  misjudgedGaps: share,
  lostSpaces: share,
  addedSpaces: share,
  wrongCharacters: share,
  swappedCases: share,
  confusedCharacters: share,
  boxHeight: fc.double({ min: 0.5, max: 2, noNaN: true }),
  boxMargin: share,
  boxJitter: fc.double({ min: 0, max: 0.1, noNaN: true }),
});

const read = (words: readonly Word[], noise?: ReadingNoise, seed = 'a') => simulatedReading(words, size, seed, noise);

test('every code point has a centre in its box, and the box is on the screen', () => {
  fc.assert(
    fc.property(screens, noises, fc.string(), (words, noise, seed) => {
      const reading = Reading.parse(read(words, noise, seed));
      expect(reading.reader).toBe('simulated');
      for (const { text, centres, box } of reading.lines) {
        expect(centres).toHaveLength([...text].length);
        expect(text).toBe(text.trim());
        for (const centre of centres) {
          expect(centre).toBeGreaterThanOrEqual(box.x);
          expect(centre).toBeLessThanOrEqual(box.x + box.width + 0.1);
        }
        expect(centres).toEqual(centres.toSorted((a, b) => a - b));
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(size.width + 0.1);
        expect(box.y + box.height).toBeLessThanOrEqual(size.height + 0.1);
      }
    }),
  );
});

test('an exact reading has every word once, in an order that keeps rows together', () => {
  fc.assert(
    fc.property(screens, (words) => {
      const { lines } = read(words, noReadingNoise);
      const squeezed = (list: readonly string[]) => list.join('').replaceAll(/\s/g, '');
      expect(squeezed(lines.map(({ text }) => text))).toBe(squeezed(words.map(({ text }) => text)));
      const tops = lines.map(({ box }) => box.y + box.height / 2);
      expect(tops.every((top, index) => index === 0 || top >= (tops[index - 1] ?? 0) - 1)).toBe(true);
    }),
  );
});

test('lines of a row do not overlap', () => {
  fc.assert(
    fc.property(screens, noises, (words, noise) => {
      const spans = read(words, { ...noise, wrongCharacters: 0 }).lines.map(({ box, centres }) => ({
        row: Math.round(box.y + box.height / 2),
        first: centres[0] ?? 0,
        last: centres.at(-1) ?? 0,
      }));
      for (const [index, span] of spans.entries()) {
        const next = spans[index + 1];
        if (next?.row === span.row) expect(next.first).toBeGreaterThanOrEqual(span.last);
      }
    }),
  );
});

test('the same seed has the same errors', () => {
  fc.assert(
    fc.property(screens, fc.string(), (words, seed) => {
      expect(read(words, ownNoise, seed)).toEqual(read(words, undefined, seed));
    }),
  );
});

test('words that stand close are one line; a space is read where one is seen', () => {
  const row = [wordAt('New', 10, 5), wordAt('mail', 35, 5), wordAt('Unread', 90, 5)];
  const chinese = [wordAt('共', 10, 40), wordAt('3', 24.5, 40), wordAt('件', 32, 40)];
  const below = wordAt('later', 10, 24);
  expect(read([...chinese, below, ...row], noReadingNoise).lines.map(({ text }) => text)).toEqual([
    ...['New mail', 'Unread', 'later', '共3件'],
  ]);
});

test('the shares of errors are those of the noise', () => {
  const words = Array.from({ length: 400 }, (_, index) =>
    wordAt('wxyab', 10 + (index % 8) * 70, 5 + Math.floor(index / 8) * 25),
  );
  const count = (noise: Partial<ReadingNoise>) => read(words, { ...noReadingNoise, ...noise }).lines;
  expect(count({}).every(({ text }) => text === 'wxyab')).toBe(true);
  expect(count({ lostLines: 0.25 }).length / 400).toBeCloseTo(0.75, 1);
  const swapped = count({ swappedCases: 0.5 }).flatMap(({ text }) => [...text.slice(0, 2)]);
  expect(swapped.filter((letter) => letter === 'W' || letter === 'X').length / swapped.length).toBeCloseTo(0.5, 1);
  const wrong = count({ wrongCharacters: 0.2 }).filter(({ text }) => text !== 'wxyab').length / 400;
  expect(wrong).toBeGreaterThan(0.5);
  expect(wrong).toBeLessThan(0.75);
  const confused = count({ confusedCharacters: 1 });
  expect(confused.every(({ text }) => text === 'wxyab')).toBe(true);
  const number = read([wordAt('101', 5, 5)], { ...noReadingNoise, confusedCharacters: 1 }).lines[0]?.text;
  expect(number).toMatch(/^[Il|][Oo][Il|]$/);
  const spaced = read([wordAt('ab', 5, 5), wordAt('cd', 26, 5)], { ...noReadingNoise, lostSpaces: 1, addedSpaces: 1 });
  expect(spaced.lines.map(({ text }) => text)).toEqual(['a bc d']);
  const ideographs = read([wordAt('设置个人资料'.repeat(6), 5, 5)], { ...noReadingNoise, wrongCharacters: 1 });
  expect(ideographs.lines[0]?.text).toMatch(/^\p{Script=Han}+$/u);
});

test('a line has the same errors whatever else is on the screen', () => {
  const noise = { ...ownNoise, wrongCharacters: 0.5, lostLines: 0 };
  const documents = wordAt('Documents', 20, 40);
  const [alone] = read([documents], noise).lines;
  const lines = read([wordAt('Downloads', 20, 10), documents, wordAt('Pictures', 20, 70)], noise).lines;
  expect(lines.find(({ box }) => box.y === alone?.box.y)).toEqual(alone);
});
