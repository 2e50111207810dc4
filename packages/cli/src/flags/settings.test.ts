import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from './settings.js';

let directory: string;
let file: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-settings-'));
  file = join(directory, 'settings.json');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('settings', () => {
  test('are the defaults, then the file, then what was typed', async () => {
    await writeFile(file, JSON.stringify({ minutes: 4, threads: 1, ppo: { epochs: 3 } }));
    const settings = await readSettings(file, { minutes: 6, threads: undefined });
    expect(settings).toMatchObject({ minutes: 6, threads: 1, ppo: { epochs: 3, clipHigh: 0.28 } });
  });

  test('are others for random weights, and for families that are chosen', async () => {
    expect(await readSettings(undefined, { from: 'scratch' })).toMatchObject({
      families: ['click', 'form', 'maze'],
      demonstrations: { click: 300, form: 400, maze: 600 },
      sft: { glyphWeight: 3 },
      ppo: { replay: { steps: 40 } },
    });
    expect(await readSettings(undefined, { from: 'scratch', families: ['menu'] })).toMatchObject({
      demonstrations: { menu: 400 },
    });
    expect(await readSettings(undefined, { families: ['menu', 'click'], evaluate: 30 })).toMatchObject({
      families: ['menu', 'click'],
      evaluate: { menu: 30, click: 30 },
      demonstrations: {},
      sft: { glyphWeight: 0 },
      ppo: { mix: {}, replay: { steps: 20 } },
    });
  });

  test('of a run can be given to the next', async () => {
    const first = await readSettings(undefined, { seed: 7 });
    await writeFile(file, JSON.stringify(first));
    expect(await readSettings(file, {})).toEqual(first);
  });

  test('name suites from outside gyre, which are loaded before the families are read', async () => {
    const suite = join(directory, 'own.mjs');
    await writeFile(
      suite,
      `const task = (split, seed) => ({ id: 'own.press/' + split + '/' + seed, family: 'own.press', split, seed, instruction: 'press',
        surfaces: ['screen'], screen: { width: 160, height: 160 }, stepBudget: 2 });
      const family = (name, more) => ({ name, description: name, ...more,
        create: (split, seed) => ({ task: { ...task(split, seed), id: name + '/' + split + '/' + seed, family: name }, page: { html: '', seed } }) });
      export const suite = { name: 'own', families: [family('own.press', {}), family('own.measured', { heldOut: true })] };`,
    );
    const typed = await readSettings(undefined, { suite: [suite] });
    expect(typed).toMatchObject({ suites: [suite], families: ['own.press'] });
    await writeFile(file, JSON.stringify(typed));
    expect(await readSettings(file, {})).toEqual(typed);
    expect(await readSettings(file, { family: ['click'] })).toMatchObject({ suites: [suite], families: ['click'] });
    await writeFile(file, JSON.stringify({ suites: [join(directory, 'absent.mjs')] }));
    await expect(readSettings(file, {})).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'suite' } });
  });

  test.each([
    ['{"ppo": {"epochs": 0}}', 'ppo.epochs'],
    ['{"pop": {}}', 'settings'],
    ['{"families": ["mace"]}', 'families.0'],
    ['{"demonstrations": {"mace": 3}}', 'demonstrations.mace'],
    ['{"families": ["click", "mail.saveDraft"]}', 'families.1'],
    ['{"families": ["calc.sum"]}', 'families.0'],
    ['[1]', '--settings'],
    ['{', '--settings'],
  ])('%s is refused, naming %s', async (text, field) => {
    await writeFile(file, text);
    await expect(readSettings(file, {})).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
  });

  test('a file that is not there is refused, naming the flag', async () => {
    const absent = readSettings(join(directory, 'absent.json'), {});
    await expect(absent).rejects.toMatchObject({ code: 'bad_input', detail: { field: '--settings' } });
  });
});
