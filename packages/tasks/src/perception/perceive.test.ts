import { hanzi } from '@gyre/engine';
import type { Size, Split } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Box } from '../family/box.js';
import type { Element } from '../family/screen/element.js';
import { words } from '../family/screen/words.js';
import { perceive } from './perceive.js';
import { nouns } from './words/phrase.js';
import { questionWords } from './questions/questionWords.js';
import { type PerceptionSample, type Question, questionKinds } from './sample.js';
import { perceptionSizes } from './sheet.js';
import { wordsZh } from './words/wordsZh.js';

let pool: BrowserPool;
let samples: PerceptionSample[];
let heldOut: PerceptionSample[];

async function draw(seed: number, count: number, size: Size, split: Split = 'train'): Promise<PerceptionSample[]> {
  const drawn: PerceptionSample[] = [];
  for await (const chunk of perceive(pool, { seed, count, size, split })) drawn.push(...chunk);
  return drawn;
}

const small = { width: 160, height: 160 };
const counts = [192, 80, 40, 9, 4, 2];

beforeAll(async () => {
  pool = await BrowserPool.launch();
  samples = [];
  for (const [index, size] of perceptionSizes.entries()) samples.push(...(await draw(3, counts[index] ?? 1, size)));
  heldOut = [...(await draw(3, 64, small, 'dev')), ...(await draw(3, 64, small, 'test'))];
});
afterAll(() => pool.close());

function contrast({ pixels, size }: PerceptionSample, box: Box): number {
  let [low, high] = [255, 0];
  for (let y = Math.max(0, Math.floor(box.y)); y < Math.min(size.height, Math.ceil(box.y + box.height)); y++) {
    for (let x = Math.max(0, Math.floor(box.x)); x < Math.min(size.width, Math.ceil(box.x + box.width)); x++) {
      for (let channel = 0; channel < 3; channel++) {
        const value = pixels[(y * size.width + x) * 3 + channel] ?? 0;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  return high - low;
}

const inside = ({ x, y, width, height }: Box, size: Size): boolean =>
  width > 0 &&
  height > 0 &&
  x >= -0.01 &&
  y >= -0.01 &&
  x + width <= size.width + 0.01 &&
  y + height <= size.height + 0.01;

const anySample = () => fc.integer({ min: 0, max: samples.length - 1 }).map((index) => samples[index]!);

const allQuestions = (): { sample: PerceptionSample; question: Question }[] =>
  samples.flatMap((sample) => sample.questions.map((question) => ({ sample, question })));

describe('samples', () => {
  test('are as many as were asked for, whole screens of each size', async () => {
    expect(samples).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
    for (const { pixels, size, before } of samples) {
      expect(pixels).toHaveLength(size.width * size.height * 3);
      if (before) expect(before).toHaveLength(pixels.length);
    }
    await expect(draw(1, 1, { width: 100, height: 100 })).rejects.toMatchObject({ code: 'bad_input' });
  });

  test('are the same for the same seed, pixel by pixel, in whatever pieces they are rendered; another seed gives others', async () => {
    const again = await draw(3, 64, small);
    for (const [index, sample] of again.entries()) {
      const { pixels, before, ...labels } = samples[index]!;
      const { pixels: pixelsAgain, before: beforeAgain, ...labelsAgain } = sample;
      expect(labelsAgain).toEqual(labels);
      expect(Buffer.compare(pixelsAgain, pixels)).toBe(0);
      expect(beforeAgain === undefined).toBe(before === undefined);
      if (before && beforeAgain) expect(Buffer.compare(beforeAgain, before)).toBe(0);
    }
    const second: PerceptionSample[] = [];
    for await (const chunk of perceive(pool, { seed: 3, count: 64, size: small, first: 1 })) second.push(...chunk);
    expect(second.map(({ glyphs }) => glyphs)).toEqual(samples.slice(64, 128).map(({ glyphs }) => glyphs));
    const [otherSample] = await draw(4, 1, small);
    expect(otherSample?.glyphs).not.toEqual(samples[0]?.glyphs);
  });

  test('have glyphs of the alphabet whose boxes hold ink', () => {
    const alphabet = new Set(hanzi);
    fc.assert(
      fc.property(anySample(), (sample) => {
        for (const { char, word, index, box } of sample.glyphs) {
          expect(/^[!-~]$/.test(char) || alphabet.has(char), char).toBe(true);
          expect([...word][index]).toBe(char);
          expect(inside(box, sample.size), `${word}[${index}]`).toBe(true);
          expect(contrast(sample, box), `${word}[${index}]`).toBeGreaterThan(18);
        }
      }),
      { numRuns: 250 },
    );
  });

  test('have elements on the screen that can be seen', () => {
    for (const sample of samples) {
      for (const element of sample.elements) {
        expect(inside(element.box, sample.size), element.kind).toBe(true);
        expect(contrast(sample, element.box), element.kind).toBeGreaterThan(4);
      }
    }
  });

  test('show every kind of element, both languages, and a change on the screen of each transition', () => {
    const seen = new Set(samples.flatMap(({ elements }) => elements.map(({ kind }) => kind)));
    expect(Object.keys(nouns).filter((kind) => !seen.has(kind as Element['kind']))).toEqual([]);
    const chinese = samples.filter(({ glyphs }) => glyphs.some(({ char }) => char > '~')).length;
    // None without a Chinese font.
    if (chinese > 0) expect(chinese / samples.length).toBeGreaterThan(0.2);
    const changed = samples.filter(({ before }) => before);
    expect(changed.length).toBeGreaterThan(10);
    for (const { pixels, before, questions } of changed) {
      expect(Buffer.compare(pixels, before!)).not.toBe(0);
      expect(questions.some(({ kind }) => kind === 'transition')).toBe(true);
    }
  });
});

describe('splits', () => {
  const textsOf = (all: readonly PerceptionSample[]) => all.flatMap(({ glyphs }) => glyphs.map(({ word }) => word));

  test('show no word of another split', () => {
    const foreign = (...splits: Split[]) =>
      new Set(splits.flatMap((split) => [...words[split], ...wordsZh[split]]).filter((word) => word.length > 1));
    const check = (checkedSamples: readonly PerceptionSample[], others: Set<string>) => {
      const shared = new Set([
        'if',
        'let',
        'return',
        'the',
        'to',
        'of',
        'is',
        'and',
        'then',
        'no',
        'in',
        'yet',
        'for',
        'use',
        'level',
      ]);
      const leaked = textsOf(checkedSamples)
        .flatMap((text) => [text, ...text.toLowerCase().split(/[^a-z]+/)])
        .filter((text) => others.has(text) && !shared.has(text));
      expect([...new Set(leaked)]).toEqual([]);
    };
    check(samples, foreign('dev', 'test'));
    check(heldOut.slice(0, 64), foreign('train', 'test'));
    check(heldOut.slice(64), foreign('train', 'dev'));
  });

  test('have Chinese words of their own, of the alphabet, that no split shares', () => {
    const lists = Object.values(wordsZh);
    const everyWord = lists.flat();
    expect(new Set(everyWord).size).toBe(everyWord.length);
    expect(everyWord.filter((word) => [...word].some((char) => !hanzi.includes(char)))).toEqual([]);
    for (const list of lists) expect(list.length).toBeGreaterThan(30);
    expect(new Set(hanzi).size).toBe(hanzi.length);
  });
});

describe('questions', () => {
  test('are several of every kind a screen, with answers on the screen', () => {
    const kinds = new Set(allQuestions().map(({ question }) => question.kind));
    expect(questionKinds.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(allQuestions().length / samples.length).toBeGreaterThan(7);
    for (const { sample, question } of allQuestions()) {
      const { answer, instruction } = question;
      if (answer.type === 'point') {
        expect(answer.boxes.length, instruction).toBeGreaterThan(0);
        for (const box of answer.boxes) expect(inside(box, sample.size), instruction).toBe(true);
      } else {
        expect(answer.text, instruction).not.toBe('');
      }
      for (const [, x, y] of instruction.matchAll(/<point>(\d+) (\d+)<\/point>/g)) {
        expect(Number(x)).toBeLessThanOrEqual(1000);
        expect(Number(y)).toBeLessThanOrEqual(1000);
      }
    }
  });

  test('say everything but quoted strings in the words that are listed, or in characters of the alphabet', () => {
    expect(questionWords.length).toBeLessThan(350);
    const known = new Set(questionWords);
    for (const { question } of allQuestions()) {
      const { answer, kind } = question;
      const spoken = [question.instruction, question.thought ?? ''];
      if (answer.type === 'text' && ['describe', 'dense', 'transition', 'state'].includes(kind))
        spoken.push(answer.text);
      const bare = spoken.map((text) => text.replace(/"[^"]*"/g, ' ').replace(/<point>[^<]*<\/point>/g, ' ')).join(' ');
      expect(
        (bare.match(/[A-Za-z]+/g) ?? []).filter((word) => !known.has(word)),
        bare,
      ).toEqual([]);
      expect(
        (bare.match(/[^ -~]/g) ?? []).filter((char) => !hanzi.includes(char)),
        bare,
      ).toEqual([]);
    }
  });

  /** Resolves a phrase from the instruction alone. */
  function meant({ elements }: PerceptionSample, instruction: string): readonly Element[] | undefined {
    const bare = /^(?:click|press|tap|click on|find|point at|choose|go to) "([^"]*)"$/.exec(instruction)?.[1];
    if (bare !== undefined) {
      return elements.filter(
        ({ label, name, kind }) =>
          (label === bare && kind !== 'row' && kind !== 'dialog') ||
          (name === bare && kind !== 'cell' && kind !== 'text'),
      );
    }
    const [, some, end, part = ''] = /the ([a-z ]+) that (starts|ends) with "([^"]*)"/.exec(instruction) ?? [];
    if (some !== undefined) {
      return elements.filter(({ kind, label }) => {
        const [long, short] = [label.toLowerCase(), part.toLowerCase()];
        return nouns[kind].en === some && (end === 'starts' ? long.startsWith(short) : long.endsWith(short));
      });
    }
    const [, noun, quoted] = /(?:the|any) ([a-z ]+) "([^"]*)"$/.exec(instruction) ?? [];
    if (quoted !== undefined && noun !== undefined) {
      return elements.filter(({ kind, label, name }) => {
        const named = name === quoted && kind !== 'text' && kind !== 'cell';
        return nouns[kind].en === noun && (label === quoted || named);
      });
    }
    const [, colour, thing] =
      /(?:the|any) (red|orange|yellow|green|teal|blue|purple|pink) ([a-z ]+)\??$/.exec(instruction) ?? [];
    if (colour) {
      return elements.filter(
        (element) => element.colour === colour && (element.shape === thing || nouns[element.kind].en === thing),
      );
    }
    return undefined;
  }

  test('mean all that their words fit, and nothing else', () => {
    let checked = 0;
    for (const { sample, question } of allQuestions()) {
      const { answer, instruction, kind } = question;
      if (answer.type !== 'point' || !['label', 'colour', 'shape'].includes(kind)) continue;
      const fits = meant(sample, instruction);
      if (!fits) continue;
      checked++;
      expect(
        fits.map(({ box }) => box),
        instruction,
      ).toEqual(answer.boxes);
    }
    expect(checked).toBeGreaterThan(300);
  });

  test('give "the" to one thing and "any" to several', () => {
    for (const { question } of allQuestions()) {
      if (question.answer.type !== 'point') continue;
      const any = / any |任意/.test(` ${question.instruction}`);
      expect(question.answer.boxes.length > 1, question.instruction).toBe(any);
    }
  });

  test('answer yes and no, and neither always', () => {
    const answers = allQuestions()
      .filter(({ question }) => question.kind === 'state')
      .map(({ question }) => (question.answer.type === 'text' ? question.answer.text : ''));
    const yes = answers.filter((text) => text === 'yes' || text === '是').length / answers.length;
    expect(yes).toBeGreaterThan(0.25);
    expect(yes).toBeLessThan(0.75);
  });
});
