import { Split, Task } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { desktopTemplates } from '../../desktop/families.js';
import { hybridTemplates } from '../../hybrid/families.js';
import { Cast } from './cast.js';
import { accepts } from './home.test.support.js';
import { familyOf } from '../suites.js';
import { machineFamilies } from './families.js';

const templates = [...desktopTemplates, ...hybridTemplates];
const seeds = Array.from({ length: 40 }, (_, seed) => seed);

const owned = (template: (typeof templates)[number], split: Split, more = 0) =>
  new Set(
    seeds.flatMap((seed) => {
      const cast = new Cast(template.name, split, seed + more);
      template.draw(cast);
      return cast.owned.map((drawn) => drawn.toLowerCase());
    }),
  );

test('there are 20 desktop templates and 15 hybrid ones, or more, each with a name of its own', () => {
  expect(desktopTemplates.length).toBeGreaterThanOrEqual(20);
  expect(hybridTemplates.length).toBeGreaterThanOrEqual(15);
  const shells = Object.keys(machineFamilies).filter((name) => name.startsWith('shell.'));
  expect(shells.toSorted()).toEqual(['shell.readAndType', 'shell.shortcut', 'shell.vault']);
  expect(Object.keys(machineFamilies)).toHaveLength(templates.length + shells.length);
  for (const { name, surfaces } of hybridTemplates) {
    expect(name).toMatch(/^hybrid\./);
    expect(surfaces).toContain('shell');
  }
  for (const { surfaces } of desktopTemplates) expect(surfaces).toEqual(['screen']);
});

test('a family names its kind of machine; a page has none', () => {
  expect(familyOf('calc.sum').kind).toBe('desktop');
  expect(familyOf('hybrid.restart').kind).toBe('browser');
  expect(familyOf('click').kind).toBeUndefined();
});

describe.each(Object.values(machineFamilies))('the family $name', (family) => {
  test('gives valid tasks, the same for the same seed, as plain data', () => {
    for (const split of Split.options) {
      for (const seed of seeds) {
        const instance = family.create(split, seed);
        expect(Task.parse(instance.task)).toEqual(instance.task);
        expect(structuredClone(instance.setup)).toEqual(instance.setup);
        if (seed < 8) expect(family.create(split, seed)).toEqual(instance);
      }
    }
  });
});

describe.each(templates)('the template $name', (template) => {
  test('is not solved by doing nothing', async () => {
    const solved: number[] = [];
    for (const seed of seeds.slice(0, 12)) {
      if (await accepts(template.draw(new Cast(template.name, 'test', seed)), () => undefined)) solved.push(seed);
    }
    expect(solved).toEqual([]);
  });

  test('says nothing twice alike in the splits: words, names, numbers and codes belong to one of them', () => {
    const sets = Split.options.map((split) => owned(template, split));
    for (const [index, set] of sets.entries()) {
      expect(set.size).toBeGreaterThan(20);
      for (const other of sets.slice(index + 1)) expect([...set].filter((drawn) => other.has(drawn))).toEqual([]);
    }
  });

  test('has wordings that only the split test has, and asks in English and Chinese', () => {
    const wordings = (split: Split) =>
      new Set(
        seeds.map((seed) => {
          const cast = new Cast(template.name, split, seed);
          const { instruction } = template.draw(cast);
          const drawn = [...cast.owned].sort((a, b) => b.length - a.length);
          return drawn
            .reduce((text, each) => text.replaceAll(each, '_').replaceAll(each.toLowerCase(), '_'), instruction)
            .replace(/\d+/g, '0');
        }),
      );
    const [train, test] = [wordings('train'), wordings('test')];
    expect([...test].some((wording) => !train.has(wording))).toBe(true);
    expect([...train].some((wording) => /\p{Script=Han}/u.test(wording))).toBe(true);
    expect([...train].some((wording) => !/\p{Script=Han}/u.test(wording))).toBe(true);
  });
});
