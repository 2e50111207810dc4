import { Split, Task } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { families } from './families.js';
import type { TaskFamily } from './family.js';
import { addSuite, familiesOf, familyOf, suiteOf, suites } from './suites.js';
import { widgetFamilies } from '../widgets/families.js';

function refusal(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

const double = (name: string): TaskFamily => ({ ...families.click, name });

test('every family has one name, which no other of any suite has', () => {
  const every = Object.values(suites()).flatMap((suite) => Object.entries(suite));
  expect(every.filter(([key, { name }]) => key !== name)).toEqual([]);
  const names = every.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => !/^[a-zA-Z0-9]+([.-][a-zA-Z0-9]+)*$/.test(name) || name in suites())).toEqual([]);
});

describe.each(Object.entries(suites()))('of the suite %s', (_, suite) => {
  test.each(Object.values(suite))(
    '$name gives valid tasks, the same for the same seed, others for other splits',
    (family) => {
      const instances = Split.options.map((split) => family.create(split, 3));
      for (const [index, instance] of instances.entries()) {
        const split = Split.options[index]!;
        expect(Task.parse(instance.task)).toEqual(instance.task);
        expect(instance.task).toMatchObject({ id: `${family.name}/${split}/3`, family: family.name, split, seed: 3 });
        expect(structuredClone(instance)).toEqual(instance);
        expect(family.create(split, 3)).toEqual(instance);
      }
      const drawn = instances.map(({ task: { instruction }, ...rest }) => JSON.stringify([instruction, rest]));
      expect(new Set(drawn).size).toBe(3);
    },
  );
});

test('a family is found in whatever suite it is', () => {
  expect(familyOf('maze')).toBe(families.maze);
  expect(familyOf('menu')).toBe(widgetFamilies.menu);
  expect(suiteOf('widgets')).toBe(widgetFamilies);
});

test('a beginning names all families that begin with it', () => {
  expect(familiesOf('colour*')).toEqual([widgetFamilies.colourPicker]);
  expect(familiesOf('*')).toEqual(Object.values(suites()).flatMap((suite) => Object.values(suite)));
  expect(familiesOf('maze')).toEqual([families.maze]);
});

test('an unknown name is refused with suggestions, not with all names', () => {
  const refused = (name: string) => refusal(() => familiesOf(name));
  const bad = (fix: RegExp) => ({ code: 'bad_input', detail: { field: 'family', fix: expect.stringMatching(fix) } });
  expect(refused('mace')).toMatchObject(bad(/^did you mean maze\b/));
  expect(refused('sildre')).toMatchObject(bad(/^did you mean slider\b/));
  expect(refused('Drag')).toMatchObject(bad(/^did you mean .*dragDrop/));
  expect(refused('widgets')).toMatchObject(bad(/--suite widgets/));
  expect(refused('golf.*')).toMatchObject(bad(/basics, widgets.*gyre tasks list/));
  expect(refused('constructor')).toMatchObject(bad(/gyre tasks list/));
  expect(refusal(() => suiteOf('toString'))).toMatchObject({ code: 'bad_input', detail: { field: 'suite' } });
});

test('a suite can be added, and replaced by another of its name, but takes no name that is taken', () => {
  addSuite('double', { 'double.one': double('double.one') });
  addSuite('double', { 'double.two': double('double.two') });
  expect(Object.keys(suites()).at(-1)).toBe('double');
  expect(familiesOf('double.*').map(({ name }) => name)).toEqual(['double.two']);
  expect(refusal(() => familyOf('dobule.two'))).toMatchObject({ detail: { fix: 'did you mean double.two?' } });
  expect(refusal(() => addSuite('basics', {}))).toMatchObject({ code: 'bad_input' });
  expect(refusal(() => addSuite('other', { menu: double('menu') }))).toMatchObject({ code: 'bad_input' });
});
