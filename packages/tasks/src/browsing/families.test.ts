import { Split, Task } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import type { TaskInstance } from '../family/family.js';
import { splitOf } from '../family/split.js';
import { Corpus } from './search/corpus.js';
import { worldOf } from './browseFamily.js';
import { browsingFamilies } from './families.js';
import { containsAnswer } from './questions/filter.js';
import type { SiteArgument } from './questions/question.js';

const splits = Split.options;
const seeds = [0, 1, 2, 3, 4, 5];
const list = Object.values(browsingFamilies);

test('there are six, by their names', () => {
  expect(Object.entries(browsingFamilies).filter(([name, family]) => name !== family.name)).toEqual([]);
  expect(Object.keys(browsingFamilies)).toEqual(
    ['lookup', 'chain', 'obfuscated', 'compare', 'count', 'navigate'].map((name) => `browse.${name}`),
  );
});

describe.each(list)('the family $name', (family) => {
  const instances = Object.fromEntries(
    splits.map((split) => [split, seeds.map((seed) => family.create(split, seed))]),
  ) as Record<Split, TaskInstance[]>;
  const every = Object.values(instances).flat();

  test('gives the same valid task for the same split and seed, as plain data', () => {
    for (const split of splits) expect(family.create(split, 2)).toEqual(instances[split][2]);
    for (const { task, page } of every) {
      expect(Task.parse(task)).toEqual(task);
      expect(structuredClone(page)).toEqual(page);
      expect(task.difficulty).toBeGreaterThanOrEqual(1);
      expect(page.html).not.toMatch(/<script|\son\w+=|javascript:|undefined|NaN/);
    }
    expect(new Set(every.map(({ task }) => task.id)).size).toBe(every.length);
  });

  test('asks for nothing that it says itself', () => {
    if (/compare|count|navigate/.test(family.name)) return;
    for (const { page } of every) {
      const { task: errand } = page.argument as SiteArgument;
      if (errand.kind === 'answer')
        expect(containsAnswer({ text: errand.question, reference: errand.reference })).toBe(false);
    }
  });

  test('has nothing of its world in the page, least of all the answer', () => {
    for (const { task, page } of every) {
      const { task: errand } = page.argument as SiteArgument;
      const texts =
        errand.kind === 'answer'
          ? [errand.reference, errand.question]
          : [/"(.*)"|“(.*)”/.exec(task.instruction)?.[0] ?? '-'];
      for (const text of texts) expect(text.length > 3 && page.html.includes(text)).toBe(false);
    }
  });

  test('shares no world, page seed, look, letters or instruction between splits', () => {
    const disjoint = (collect: (instance: TaskInstance) => string) => {
      const sets = splits.map((split) => new Set(instances[split].map(collect)));
      for (const [index, set] of sets.entries()) {
        for (const other of sets.slice(index + 1)) expect([...set].filter((value) => other.has(value))).toEqual([]);
      }
    };
    disjoint(({ page }) => String(page.seed));
    disjoint(({ task }) => task.instruction);
    disjoint(({ page }) => /<body class="[^"]*"/.exec(page.html)?.[0] ?? '');
    disjoint(({ page }) => /--page:.*?--shadow:[^;]*/.exec(page.html)?.[0] ?? '');
    disjoint(({ page }) => /--family:'[^']*'/.exec(page.html)?.[0] ?? '');
    for (const split of splits) {
      for (const { page } of instances[split]) {
        const classes = /<body class="([^"]*)"/.exec(page.html)?.[1] ?? '';
        const choices = classes.split(' ').map((name) => name.split('-')[1]);
        expect(splitOf(`browsing/${choices.join('/')}`)).toBe(split);
      }
    }
  });

  test('refuses screens that are too small or of odd sides', () => {
    for (const size of [
      { width: 632, height: 480 },
      { width: 640, height: 464 },
      { width: 644, height: 480 },
    ]) {
      expect(() => family.create('train', 0, size)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
    expect(family.create('dev', 1, { width: 1280, height: 720 }).task.id).toBe(`${family.name}/dev/1/1280x720`);
  });
});

describe('the corpus for tools', () => {
  const corpus = new Corpus('train', worldOf(3));

  test('finds and reads what the screen shows', () => {
    const { task } = browsingFamilies['browse.lookup']?.create('train', 3).page.argument as SiteArgument;
    if (task.kind !== 'answer') throw new Error('not a question');
    const { results, total } = corpus.search(task.question);
    expect(total).toBeGreaterThan(0);
    expect(results.map(({ url }) => corpus.read(url)).some((text) => text.includes(task.reference))).toBe(true);
    for (const { title, url } of results) expect(corpus.read(url)).toContain(`# ${title}`);
  });

  test('has further results, and links that can be read', () => {
    const [first, second] = [corpus.search('mountain'), corpus.search('mountain', 1)];
    expect(first.results).toHaveLength(8);
    expect(second.results[0]?.url).not.toBe(first.results[0]?.url);
    const links = [...corpus.read(first.results[0]?.url ?? '').matchAll(/\]\((http[^)]*)\)/g)].map(
      ([, url]) => url ?? '',
    );
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) expect(corpus.read(link)).toMatch(/^# /);
  });

  test('says what is wrong with an address', () => {
    expect(() => corpus.read('http://elsewhere.wiki/wiki/Orlen')).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'url' }) }),
    );
  });
});
