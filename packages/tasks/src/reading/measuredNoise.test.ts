import { expect, test } from 'vitest';
import { Random } from '../family/random.js';
import { NoiseMeter } from './measuredNoise.js';
import { type ReadingNoise, noReadingNoise } from './noise.js';
import { ownNoise, paddleV4Noise } from './readerNoise.js';
import { simulatedReading } from './simulated.js';
import type { Word } from './word.js';

const size = { width: 640, height: 480 };
const characters = [...'abcdefghijklmnopqrstuvwxyzABCDEILOPSWXZ0123456789@-|', ...'设置个人资料邮件'];

/** Draws rows of words with gaps of 0.3 to 1.2 em. */
function drawPage(random: Random): Word[] {
  return Array.from({ length: 18 }, (_, row) => {
    const words: Word[] = [];
    const fontSize = random.between(10, 16);
    for (let x = 20; ; x += fontSize * (0.3 + 0.9 * random.next())) {
      const text = Array.from({ length: random.between(2, 9) }, () => random.pick(characters)).join('');
      const edges = [x, ...Array.from(text, (character) => (x += fontSize * (character > '\u2e80' ? 1 : 0.5)))];
      if (x > size.width - 20) return words;
      words.push({ text, top: 20 + row * 24, height: fontSize * 1.2, fontSize, edges });
    }
  }).flat();
}

function measure(noise: ReadingNoise): NoiseMeter {
  const random = new Random('pages');
  const meter = new NoiseMeter();
  for (let page = 0; page < 40; page++) {
    const words = drawPage(random);
    meter.add(words, simulatedReading(words, size, String(page), noise).lines);
  }
  return meter;
}

test('an exact reading has no errors', () => {
  const meter = measure(noReadingNoise);
  expect(Object.values(meter.rates).map(({ errors }) => errors)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(meter.noise.widestGap).toBeCloseTo(noReadingNoise.widestGap, 2);
  expect(meter.noise.boxJitter).toBeLessThan(0.01);
});

const careless = {
  ...{ lostLines: 0.08, widestGap: 0.5, misjudgedGaps: 0.15, lostSpaces: 0.2, addedSpaces: 0.03 },
  ...{ wrongCharacters: 0.04, swappedCases: 0.3, confusedCharacters: 0.25 },
  ...{ boxHeight: 1.5, boxMargin: 0.3, boxJitter: 0.15 },
};

test.each([
  ["gyre's own reader", ownNoise],
  ['PP-OCRv4', paddleV4Noise],
  ['a careless reader', careless],
])('the noise of %s is measured back', (_, noise) => {
  const meter = measure(noise);
  for (const [name, { errors, chances }] of Object.entries(meter.rates)) {
    const share = noise[name as keyof typeof meter.rates];
    // Four standard deviations, and the errors that hide in or add up with others.
    const slack = 4 * Math.sqrt((share * (1 - share)) / chances) + 0.06 * share + 0.001;
    expect(Math.abs(errors / chances - share), `${name} of ${share}, measured ${errors} of ${chances}`).toBeLessThan(
      slack,
    );
  }
  const { widestGap, boxHeight, boxMargin, boxJitter } = meter.noise;
  expect(Math.abs(widestGap - noise.widestGap)).toBeLessThan(0.02);
  expect(boxHeight).toBeCloseTo(noise.boxHeight, 1);
  expect(boxMargin).toBeCloseTo(noise.boxMargin, 1);
  expect(boxJitter).toBeCloseTo(noise.boxJitter, 1);
});

test('characters outside of the words, such as icons, and words that no line shows do not count as misread', () => {
  const word = { text: 'Save', top: 20, height: 14, fontSize: 12, edges: [30, 36, 42, 48, 54] };
  const line = (text: string, centres: number[]) => ({ text, centres, box: { x: 10, y: 18, width: 50, height: 18 } });
  const meter = new NoiseMeter();
  meter.add([word, { ...word, top: 60 }], [line('○ Save', [15, 22, 33, 39, 45, 51])]);
  expect(meter.rates.wrongCharacters).toEqual({ errors: 0, chances: 4 });
  expect(meter.rates.lostLines).toEqual({ errors: 1, chances: 2 });
});
