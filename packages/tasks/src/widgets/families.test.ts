import { type Size, Split, Task } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import type { TaskInstance } from '../family/family.js';
import { instructionWords } from '../family/instruction.js';
import { Random } from '../family/random.js';
import { splitOf } from '../family/split.js';
import { widgetFamilies, widgetWords } from './families.js';
import { fixedWords } from './drawing/fixedWords.js';
import { fontsOf } from './drawing/font.js';
import { drawSkin } from './drawing/skin.js';
import type { WidgetFamily } from './widgetFamily.js';

const splits = Split.options;
const seeds = Array.from({ length: 60 }, (_, seed) => seed);
const sizes: readonly Size[] = [
  { width: 160, height: 160 },
  { width: 240, height: 160 },
  { width: 320, height: 240 },
  { width: 480, height: 320 },
  { width: 640, height: 480 },
  { width: 1280, height: 720 },
];
const list: readonly WidgetFamily[] = Object.values(widgetFamilies);

function expectDisjoint(collect: (split: Split) => Iterable<unknown>): void {
  const sets = splits.map((split) => new Set(collect(split)));
  for (const [index, set] of sets.entries()) {
    for (const rest of sets.slice(index + 1)) expect([...set].filter((value) => rest.has(value))).toEqual([]);
  }
}

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{2,}/g) ?? []).filter((word) => !fixedWords.has(word));

const textOf = (html: string): string => html.replace(/<style>.*?<\/style>/gs, ' ').replace(/<[^>]*>/g, ' ');

describe.each(list)('the family $name', (family) => {
  const instances = Object.fromEntries(
    splits.map((split) => [split, seeds.map((seed) => family.create(split, seed, sizes[seed % sizes.length]))]),
  ) as Record<Split, TaskInstance[]>;
  const every = Object.values(instances).flat();

  test('gives the same task for the same split, seed and size', () => {
    for (const split of splits) expect(family.create(split, 9, sizes[9 % sizes.length])).toEqual(instances[split][9]);
  });

  test('gives valid tasks that are plain data, under ids of their own', () => {
    for (const { task, page } of every) {
      expect(Task.parse(task)).toEqual(task);
      expect(structuredClone(page)).toEqual(page);
      expect(/<script|\son\w+=|javascript:/i.exec(page.html)).toBeNull();
      expect(/\bundefined\b|\bNaN\b/.exec(page.html)).toBeNull();
    }
    const small = family.create('dev', 1);
    expect(small.task.id).toBe(`${family.name}/dev/1`);
    const large = family.create('dev', 1, { width: 640, height: 480 });
    expect(large.task).toMatchObject({ id: `${family.name}/dev/1/640x480`, screen: { width: 640, height: 480 } });
  });

  test('shares no page, word or string between splits, and no font with train', () => {
    expectDisjoint((split) => instances[split].flatMap(({ page }) => [page.html, page.seed]));
    expectDisjoint((split) => instances[split].flatMap(({ page }) => wordsOf(textOf(page.html))));
    expectDisjoint((split) =>
      instances[split]
        .flatMap(({ task }) => task.instruction.match(/"[^"]*"/g) ?? [])
        .flatMap((quoted) => wordsOf(quoted)),
    );
    expectDisjoint((split) => instances[split].map(({ page }) => /--page:.*?--shadow:[^;]*/.exec(page.html)?.[0]));
    expect(instances.train.filter(({ page }) => /DejaVu Serif|Liberation Mono/.test(page.html))).toEqual([]);
  });

  test('says everything but quoted strings in the words that are listed', () => {
    for (const { task } of every) {
      const spoken = task.instruction.replace(/"[^"]*"/g, ' ').match(/[^\s,]+/g) ?? [];
      expect(spoken.filter((word) => !widgetWords.includes(word))).toEqual([]);
      expect(task.instruction).not.toContain('{');
    }
  });

  test('refuses screens that are too small or of odd sides', () => {
    for (const size of [
      { width: 152, height: 144 },
      { width: 324, height: 240 },
      { width: 320, height: 250 },
    ]) {
      expect(() => family.create('train', 0, size)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});

test('the words of instructions are few and plain', () => {
  expect(widgetWords.length).toBeLessThan(250);
  expect(widgetWords.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  expect(instructionWords.length).toBeGreaterThan(0);
});

test('a skin belongs to its split, and so do its fonts', () => {
  for (const split of splits) {
    const random = new Random(`skins/${split}`);
    for (let draw = 0; draw < 200; draw++) {
      const skin = drawSkin(random, split, { width: 160, height: 160 });
      expect(splitOf(skin.name)).toBe(split);
      expect(fontsOf[split]).toContain(skin.font.family);
    }
  }
});
