import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { machineFamilies } from './machine/families.js';
import { checkedSuite, importSuite } from './suiteModule.js';
import { familyOf, suiteOf } from './suites.js';

const create =
  (name: string, change: object = {}, more: object = { page: { html: '<p>', seed: 1 } }) =>
  () => ({
    task: {
      ...{
        id: `${name}/train/0`,
        family: name,
        split: 'train',
        seed: 0,
        instruction: 'press it',
        surfaces: ['screen'],
      },
      ...{ screen: { width: 160, height: 160 }, stepBudget: 2, ...change },
    },
    ...more,
  });
const family = (change: object = {}) => ({ name: 'own', description: 'Press.', create: create('own'), ...change });
const suite = (...families: object[]) => ({ suite: { name: 'mine', families } });

function refused(module: unknown): { message: string; field?: string; fix?: string } {
  try {
    checkedSuite(module, './mine.js');
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return { message: error.message, ...error.detail };
    throw error;
  }
  throw new Error('it was not refused');
}

test('a module exports families by the name suite or by default, of pages and of machines', () => {
  const otherFamily = family({ name: 'other', create: create('other') });
  expect(checkedSuite(suite(family(), otherFamily), 'x').families).toHaveLength(2);
  expect(checkedSuite({ default: suite(family()).suite }, 'x').name).toBe('mine');
  expect(checkedSuite(suite(machineFamilies['calc.sum']!, machineFamilies['hybrid.restart']!), 'x').name).toBe('mine');
  expect(
    checkedSuite(suite(family({ kind: 'desktop', start: () => undefined, create: create('own', {}, {}) })), 'x').name,
  ).toBe('mine');
  expect(checkedSuite(suite(family({ open: () => undefined, create: create('own', {}, {}) })), 'x').name).toBe('mine');
});

const throwing = () => {
  throw new Error('no words are left');
};

test.each<[field: string, message: string, module: object]>([
  ['suite', 'it exports no suite', {}],
  ['suite', 'expected object', { suite: [] }],
  ['suite.name', 'a name of letters', { suite: { name: 'a b', families: [family()] } }],
  ['suite.families', '>=1', suite()],
  ['suite.families.0.name', 'a name of letters', suite(family({ name: 'a/b' }))],
  ['suite.families.0.description', 'expected string', suite(family({ description: undefined }))],
  ['suite.families.0.create', 'must be a function', suite(family({ create: undefined }))],
  ['suite.families.0.kind', '"browser"', suite(family({ kind: 'phone' }))],
  ['suite.families.0.start', '`templated`', suite(family({ kind: 'desktop' }))],
  ['suite.families.1.name', 'two families are named "own"', suite(family(), family())],
  ['suite.families.0.create', '.task.stepBudget', suite(family({ create: create('own', { stepBudget: 0 }) }))],
  ['suite.families.0.create', 'family "another"', suite(family({ create: create('another') }))],
  ['suite.families.0.create', 'no page', suite(family({ create: create('own', {}, {}) }))],
  ['suite.families.0.create', '.task is invalid', suite(family({ create: () => undefined }))],
  ['suite.families.0.create', 'no words are left', suite(family({ create: throwing }))],
])('a module is refused by its field %s: %s', (field, message, module) => {
  const error = refused(module);
  expect(error.field).toBe(field);
  expect(error.message).toMatch(/^\.\/mine\.js is not a task suite: /);
  expect(error.message).toContain(message);
  expect(error.fix).toBeTruthy();
});

test('an imported suite is known to this process by its names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-suite-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'mine.mjs');
  const instance = JSON.stringify(create('own')());
  await writeFile(
    path,
    `export const suite = { name: 'mine', families: [{ name: 'own', description: 'Press.', create: () => (${instance}) }] };`,
  );
  expect(await importSuite(path)).toBe('mine');
  expect(familyOf('own')).toBe(suiteOf('mine').own);
  const broken = join(folder, 'broken.mjs');
  await writeFile(broken, 'import "./nowhere.js";');
  await expect(importSuite(broken)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'suite' } });
  await expect(importSuite(join(folder, 'none.js'))).rejects.toThrow('the file does not exist');
  const taken = join(folder, 'taken.mjs');
  await writeFile(
    taken,
    `import { suite as own } from './mine.mjs';\nexport const suite = { ...own, name: 'another' };`,
  );
  await expect(importSuite(taken)).rejects.toThrow('the name "own" is taken');
});
