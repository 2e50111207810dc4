import { Split, Task } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { drawClickScreen } from '../basics/click.js';
import { families } from './families.js';
import { drawFormScreen } from '../basics/form.js';
import { instructionWords } from './instruction.js';
import type { MazeArgument } from '../basics/maze.page.js';
import { wallsName } from '../basics/mazeWalls.js';
import { Random } from './random.js';
import { words } from './screen/words.js';

const splits = Split.options;
const seeds = Array.from({ length: 2000 }, (_, seed) => seed);

function expectDisjoint(sets: Record<Split, Set<unknown>>): void {
  for (const [a, b] of [
    ['train', 'dev'],
    ['train', 'test'],
    ['dev', 'test'],
  ] as const) {
    expect([...sets[a]].filter((value) => sets[b].has(value))).toEqual([]);
  }
}

function bySplit<T>(collect: (split: Split) => Iterable<T>): Record<Split, Set<T>> {
  return { train: new Set(collect('train')), dev: new Set(collect('dev')), test: new Set(collect('test')) };
}

const textsOf = (html: string): string[] =>
  html
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .split(/\s+/)
    .filter(Boolean);

describe.each(Object.values(families))('the family $name', (family) => {
  const instances = {
    train: seeds.map((seed) => family.create('train', seed)),
    dev: seeds.map((seed) => family.create('dev', seed)),
    test: seeds.map((seed) => family.create('test', seed)),
  };

  test('gives the same task for the same split and seed', () => {
    for (const split of splits) {
      for (const seed of [0, 1, 17, 1999]) expect(family.create(split, seed)).toEqual(instances[split][seed]);
    }
  });

  test('gives valid tasks that are plain data', () => {
    for (const { task, page } of Object.values(instances).flat()) {
      expect(Task.parse(task)).toEqual(task);
      expect(structuredClone(page)).toEqual(page);
    }
  });

  test('has no script in its pages: everything runs out of the page’s reach', () => {
    for (const { page } of instances.train.slice(0, 200))
      expect(page.html).not.toMatch(/<script|\son\w+=|javascript:/i);
  });

  test('shares no page and no page seed between splits', () => {
    expectDisjoint(bySplit((split) => instances[split].map(({ page }) => page.html)));
    expectDisjoint(bySplit((split) => instances[split].map(({ page }) => page.seed)));
  });

  test('says everything but quoted strings in the words that are listed', () => {
    for (const { task } of Object.values(instances).flat()) {
      const outsideQuotes = task.instruction.replace(/"[a-z]+"/g, ' ').match(/[^\s,]+/g) ?? [];
      expect(outsideQuotes.filter((word) => !instructionWords.includes(word))).toEqual([]);
    }
  });
});

test('click and form share no word on the screen and no string to type between splits', () => {
  for (const family of [families.click, families.form]) {
    expectDisjoint(bySplit((split) => seeds.flatMap((seed) => textsOf(family.create(split, seed).page.html))));
    expectDisjoint(
      bySplit((split) => seeds.flatMap((seed) => family.create(split, seed).task.instruction.match(/"[a-z]+"/g) ?? [])),
    );
  }
});

test('click and form share no layout between splits', () => {
  for (const draw of [drawClickScreen, drawFormScreen]) {
    expectDisjoint(
      bySplit((split) =>
        seeds.map((seed) => {
          const random = new Random(`layouts/${split}/${seed}`);
          return draw(random, split, () => random.pick(words[split])).layout;
        }),
      ),
    );
  }
});

test('mazes share no walls between splits, and their shortest paths are 2 to 6 moves', () => {
  const mazes = (split: Split) => seeds.map((seed) => families.maze.create(split, seed).page.argument as MazeArgument);
  expectDisjoint(bySplit((split) => mazes(split).map(({ openings }) => wallsName(openings))));
  const lengths = new Set(mazes('test').map(({ distances, start }) => distances[start]));
  expect([...lengths].sort((a = 0, b = 0) => a - b)).toEqual([2, 3, 4, 5, 6]);
});

test('vaults share no walls with mazes of another split, and their key and chest are apart', () => {
  const vaults = (split: Split) =>
    seeds.map((seed) => families.vault.create(split, seed).page.argument as MazeArgument);
  const mazes = (split: Split) => seeds.map((seed) => families.maze.create(split, seed).page.argument as MazeArgument);
  expectDisjoint(bySplit((split) => [...vaults(split), ...mazes(split)].map(({ openings }) => wallsName(openings))));
  for (const { start, goal, key, distances } of vaults('test')) {
    expect(new Set([start, goal, key?.tile]).size).toBe(3);
    expect(distances[key?.tile ?? goal]).toBeGreaterThanOrEqual(2);
    expect((key?.distances[start] ?? 0) + (distances[key?.tile ?? goal] ?? 0)).toBeLessThanOrEqual(9);
  }
});

test('a click instruction fits exactly one control', () => {
  for (const split of splits) {
    for (const seed of seeds) {
      const { task, page } = families.click.create(split, seed);
      const quoted = /"([a-z]+)"/.exec(task.instruction)?.[1];
      if (quoted) expect(page.html.split(`<span>${quoted}</span>`).length - 1).toBe(1);
    }
  }
});

test('a form asks for 1 or 2 things and a button', () => {
  for (const seed of seeds) {
    const { instruction } = families.form.create('train', seed).task;
    expect(instruction.match(/"[a-z]+"/g)?.length).toBeGreaterThanOrEqual(2);
    expect(instruction.match(/"[a-z]+"/g)?.length).toBeLessThanOrEqual(3);
  }
});

test('words are 2 to 7 lower-case letters, many, and each in one split', () => {
  for (const [split, minWords] of [
    ['train', 250],
    ['dev', 40],
    ['test', 80],
  ] as const) {
    expect(words[split].length).toBeGreaterThanOrEqual(minWords);
    expect(words[split].filter((word) => !/^[a-z]{2,7}$/.test(word))).toEqual([]);
    expect(new Set(words[split]).size).toBe(words[split].length);
  }
  expectDisjoint(bySplit((split) => words[split]));
});

test('the instruction words are few, sorted, and all in use', () => {
  expect(instructionWords.length).toBeLessThanOrEqual(60);
  const used = Object.values(families).flatMap((family) =>
    seeds.flatMap(
      (seed) =>
        family
          .create('train', seed)
          .task.instruction.replace(/"[a-z]+"/g, ' ')
          .match(/[a-z]+/g) ?? [],
    ),
  );
  expect(instructionWords).toEqual([...new Set(used)].sort());
  expect([...instructionWords].sort()).toEqual(instructionWords);
});
