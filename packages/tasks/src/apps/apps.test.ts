import { Split, Task } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import type { AppArgument, AppKind } from './app.js';
import { appFamilies } from './families.js';
import { factsOf } from './data/facts.js';
import { createJudge, sameAnswer } from './page/judge.js';
import { lexicon } from './data/lexicon.js';
import { cellsBetween, shownIn } from './table/formula.js';

const splits = Split.options;
const seeds = Array.from({ length: 4 }, (_, seed) => seed);
const names = Object.keys(appFamilies);
const apps = [...new Set(names.map((name) => name.split('.')[0]))];
const argumentOf = (page: { argument?: unknown }) => page.argument as AppArgument<AppKind>;

function expectDisjoint(sets: Record<Split, Set<string>>): void {
  expect([...sets.train].filter((value) => sets.dev.has(value) || sets.test.has(value))).toEqual([]);
  expect([...sets.dev].filter((value) => sets.test.has(value))).toEqual([]);
}

const bySplit = (collect: (split: Split) => Iterable<string>): Record<Split, Set<string>> => ({
  train: new Set(collect('train')),
  dev: new Set(collect('dev')),
  test: new Set(collect('test')),
});

describe('the suite', () => {
  test('has ten apps, each with at least twelve templates, some of them for measuring only', () => {
    expect(apps).toHaveLength(10);
    for (const app of apps) {
      const familyNames = names.filter((name) => name.startsWith(`${app}.`));
      expect(familyNames.length).toBeGreaterThanOrEqual(12);
      const heldOut = familyNames.filter((name) => appFamilies[name]?.heldOut);
      expect(heldOut.length).toBeGreaterThanOrEqual(1);
      expect(heldOut.length).toBeLessThan(familyNames.length / 2);
      const difficulties = familyNames.map((name) => appFamilies[name]?.create('train', 0).task.difficulty);
      expect(new Set(difficulties)).toContain(1);
      expect(new Set(difficulties)).toContain(5);
    }
    for (const name of names) expect(name).toMatch(/^[a-z]+\.[a-zA-Z]+$/);
  });
});

describe.each(apps)('the tasks of %s', (app) => {
  const families = names.filter((name) => name.startsWith(`${app}.`)).map((name) => appFamilies[name]!);
  const instances = (split: Split) => families.flatMap((family) => seeds.map((seed) => family.create(split, seed)));
  const tasksBySplit = { train: instances('train'), dev: instances('dev'), test: instances('test') };

  test('are the same for the same seed, and valid plain data', () => {
    for (const family of families) expect(family.create('dev', 3)).toEqual(family.create('dev', 3));
    for (const { task, page } of Object.values(tasksBySplit).flat()) {
      expect(Task.parse(task)).toEqual(task);
      expect(structuredClone(page)).toEqual(page);
      expect(task.instruction).not.toMatch(/undefined|[{[]\w+[}\]]/);
    }
  });

  test('have pages without a script, a look and a seed of their own split', () => {
    for (const { page } of tasksBySplit.train) expect(page.html).not.toMatch(/<script|\son\w+=|javascript:/i);
    expectDisjoint(bySplit((split) => tasksBySplit[split].map(({ page }) => page.html)));
    expectDisjoint(bySplit((split) => tasksBySplit[split].map(({ page }) => String(page.seed))));
  });

  test('ask for something that is not so at the start', () => {
    for (const { page } of Object.values(tasksBySplit).flat()) {
      const { store, goal, answer } = argumentOf(page);
      if (answer === undefined) expect(factsOf(goal)).not.toEqual(factsOf(store));
      else expect(factsOf(goal)).toEqual(factsOf(store));
    }
  });

  test('share no instruction between splits but those without anything drawn', () => {
    const quoted = /["“](.+?)["”]|\d/;
    expectDisjoint(
      bySplit((split) => {
        const words = new Set(tasksBySplit[split].flatMap(({ page }) => Object.values(argumentOf(page).words)));
        return tasksBySplit[split]
          .map(({ task }) => task.instruction)
          .filter((text) => quoted.test(text))
          .filter((text) => [...text.matchAll(/["“](.+?)["”]/g)].some(([, said]) => !words.has(said ?? '')));
      }),
    );
  });
});

test('the words that data is made of are each in one split', () => {
  for (const lists of Object.values(lexicon).flatMap((kinds) => Object.values(kinds))) {
    expectDisjoint(bySplit((split) => lists[split]));
    for (const split of splits) expect(new Set(lists[split]).size).toBe(lists[split].length);
  }
  expectDisjoint(bySplit((split) => Object.values(lexicon.en).flatMap((lists) => lists[split])));
});

describe('a verdict', () => {
  const start = { a: 1, b: { c: 'x', d: ['u'] }, made: {} };
  const goal = { a: 2, b: { c: 'y', d: ['u'] }, made: { new1: { say: 'hello' } } };

  test('pays half for the facts that have to change and half for all of them', () => {
    const now = { ...goal, b: start.b };
    expect(createJudge({ start, goal })(start)).toMatchObject({ done: false, reward: 0, score: 0 });
    expect(createJudge({ start, goal })(now)).toMatchObject({ done: false, reward: 2 / 6, success: false });
    expect(createJudge({ start, goal })(goal)).toMatchObject({ done: true, reward: 1, success: true, score: 1 });
  });

  test('takes away for whatever else has changed, and ends on what cannot be mended', () => {
    const now = { ...goal, b: { c: 'y', d: ['v'] } };
    expect(createJudge({ start, goal })(now)).toMatchObject({
      ...{ success: false, done: false, reward: 2 / 6 },
      evidence: { sideEffects: ['/b/d'] },
    });
    const sent = { ...start, made: { new1: { say: 'wrong' } } };
    expect(createJudge({ start, goal, lasting: ['/made/+'] })(sent)).toMatchObject({ success: false, done: true });
    expect(createJudge({ start, goal })(sent)).toMatchObject({ done: false });
  });

  test('heeds the order of a list but where it does not count', () => {
    const [before, expected, now] = [['u'], ['u', 'a'], ['a', 'u']].map((d) => ({ b: { d } }));
    expect(createJudge({ start: before, goal: expected })(now)).toMatchObject({ success: false });
    const judge = createJudge({ start: before, goal: expected, anyOrder: ['/b/d'] });
    expect(judge(before)).toMatchObject({ success: false, reward: 0 });
    expect(judge(now)).toMatchObject({ success: true });
    expect(judge({ b: { d: ['a', 'u', 'u'] } })).toMatchObject({ success: false });
  });

  test('counts what was made by what it is, in whatever order, without spaces at its ends', () => {
    const two = { made: { new1: { t: 'a' }, new2: { t: 'b' } } };
    expect(factsOf({ made: { new1: { t: 'b ' }, new2: { t: ' a' } } })).toEqual(factsOf(two));
    expect(factsOf({ made: { new1: { t: 'a' }, new2: { t: 'a' } } })).not.toEqual(factsOf(two));
  });

  test('compares answers without case, quotes, currencies and full stops, and numbers as numbers', () => {
    for (const [answer, reference] of [
      ['$12.5', '$12.50'],
      ['１２', '12'],
      ['“Alice  Barnes”.', 'alice barnes'],
      ['1,200', '1200'],
    ]) {
      expect(sameAnswer(answer ?? '', reference ?? '')).toBe(true);
    }
    expect(sameAnswer('12', '13')).toBe(false);
    expect(sameAnswer('', '0')).toBe(false);
  });

  test('is lost to a question that was answered wrongly or changed something', () => {
    const judged = createJudge({ start, goal: start, answer: '7' });
    expect(judged(start, { answer: '7' })).toMatchObject({ success: true, reward: 1 });
    expect(judged(start, { answer: '8' })).toMatchObject({ success: false, done: true });
    expect(judged({ ...start, a: 5 }, { answer: '7' })).toMatchObject({
      success: false,
    });
  });
});

test('formulas are worked out', () => {
  const cells = {
    A1: '3',
    A2: '4.5',
    A3: 'x',
    B1: '=SUM(A1:A3)',
    B2: '=A1*(A2-1)/2',
    B3: '=B3',
    B4: '=max(A1:A2, 9)+1',
  };
  expect(['B1', 'B2', 'B3', 'B4', 'A3', 'C9'].map((cell) => shownIn(cells, cell))).toEqual([
    '7.5',
    '5.25',
    '#ERR',
    '10',
    'x',
    '',
  ]);
  expect(cellsBetween('B3', 'A2')).toEqual(['A2', 'B2', 'A3', 'B3']);
});

test('no answer is commoner than its family declares, in any split', () => {
  const [tasks, standardErrors] = [60, 3];
  for (const split of splits) {
    for (const family of Object.values(appFamilies)) {
      const { answer: first } = argumentOf(family.create(split, 0).page);
      if (first === undefined) continue;
      const counts = new Map<string, number>();
      for (let seed = 0; seed < tasks; seed++) {
        const { answer = '' } = argumentOf(family.create(split, seed).page);
        counts.set(answer, (counts.get(answer) ?? 0) + 1);
      }
      const { chance = 0.05 } = family;
      const limit = tasks * chance + standardErrors * Math.sqrt(tasks * chance * (1 - chance));
      expect(Math.max(...counts.values()), `${family.name} in ${split}`).toBeLessThanOrEqual(limit);
    }
  }
}, 120_000);
