import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Journal } from './journal.js';

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-journal-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

class OneNumber {
  value = 0;
  save = (path: string): Promise<void> => writeFile(path, String(this.value));
  load = async (path: string): Promise<void> => void (this.value = Number(await readFile(path, 'utf8')));
}

const names = ['start', 'sft 1', 'rl 1', 'dev 1', 'sft 2', 'rl 2'];
const run = { seed: 1, families: ['click'] };

/** Each stage multiplies and adds its place. `dies` names the one that fails or is aborted. */
async function go(dir: string, done: string[], dies?: { stage: number; when: 'within' | 'told to stop' }) {
  const weights = new OneNumber();
  const stop = new AbortController();
  let clock = 0;
  const terms = { run, resume: true, weights, signal: stop.signal, now: () => (clock += 60_000) };
  const journal = await Journal.open(dir, terms);
  const outcomes: { turns: number; value: number; no?: number }[] = [];
  for (const [index, name] of names.entries()) {
    const learns = /sft|rl/.test(name);
    const carryOut = () => {
      if (learns) weights.value = 2 * weights.value + index;
      if (dies?.stage === index && dies.when === 'within') throw new Error('killed');
      if (dies?.stage === index) stop.abort(new Error('killed'));
      done.push(name);
      return Promise.resolve({ turns: index, value: weights.value, no: NaN });
    };
    outcomes.push((await journal.stage(name, carryOut, { learns, keeps: name.startsWith('rl') })).outcome);
  }
  return { outcomes, spent: journal.spent, value: weights.value, journal };
}

test('a run killed in any stage resumes after the last finished one, with the result of an uninterrupted run', async () => {
  const whole = await go(await aFolder(), []);
  expect(whole.value).toBe(1 * 8 + 2 * 4 + 4 * 2 + 5);
  expect(whole.outcomes[0]).toEqual({ turns: 0, value: 0, no: null });
  for (const when of ['within', 'told to stop'] as const) {
    for (let stage = 0; stage < names.length; stage++) {
      const dir = await aFolder();
      const done: string[] = [];
      await expect(go(dir, done, { stage, when })).rejects.toThrow('killed');
      const before = done.length;
      const resumed = await go(dir, done);
      expect(resumed).toMatchObject({ outcomes: whole.outcomes, spent: whole.spent, value: whole.value });
      expect(done.slice(before)).toEqual(names.slice(stage));
      const again = await go(dir, done);
      expect(again.outcomes).toEqual(whole.outcomes);
      expect(done.slice(before)).toEqual(names.slice(stage));
    }
  }
});

test('keeps the newest weights and those that later stages need', async () => {
  const dir = await aFolder();
  const { journal } = await go(dir, []);
  expect((await readdir(join(dir, 'weights'))).sort()).toEqual(['rl-1.safetensors', 'rl-2.safetensors']);
  expect(await readFile(journal.weightsOf('rl 1'), 'utf8')).toBe('4');
  expect(() => journal.weightsOf('dev 1')).toThrow('has no weights');
  expect([journal.has('rl 2'), journal.has('rl 3')]).toEqual([true, false]);
});

test('refuses to resume with other settings or to overwrite a run', async () => {
  const dir = await aFolder();
  await go(dir, []);
  const weights = new OneNumber();
  const mismatched = Journal.open(dir, { run: { ...run, seed: 2 }, resume: true, weights });
  await expect(mismatched).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'seed' } });
  const fresh = Journal.open(dir, { run, resume: false, weights });
  await expect(fresh).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'directory' } });
  const journal = await Journal.open(dir, { run, resume: true, weights });
  const elsewhere = journal.stage('ct 1', () => Promise.resolve({ turns: 0 }));
  await expect(elsewhere).rejects.toMatchObject({ code: 'bad_input' });
  await writeFile(join(dir, 'state.json'), '{"version": 1, "stages": [');
  await expect(Journal.open(dir, { run, resume: true, weights })).rejects.toMatchObject({ code: 'corrupt' });
});

test('resumes where only the addresses of the servers have changed, and nothing else of a served policy', async () => {
  const dir = await aFolder();
  const weights = new OneNumber();
  const critic = { engine: 'http://a:1', yes: 'Yes' };
  const served = { engine: 'http://a:1', sampler: 'http://b:2/v1', model: 'm', rank: 8, critic };
  const open = (changed: object, resume = true) =>
    Journal.open(dir, { run: { ...run, served: { ...served, ...changed } }, resume, weights });
  const journal = await open({}, false);
  await journal.stage('start', () => Promise.resolve({ turns: 0 }));
  const moved = { engine: 'http://c:9', sampler: 'http://d:9/v1', critic: { ...critic, engine: 'http://e:9' } };
  for (const changed of [{}, moved, { pull: 'none' }]) expect((await open(changed)).has('start')).toBe(true);
  for (const changed of [{ model: 'n' }, { rank: 16 }, { sampler: undefined }, { critic: undefined }]) {
    await expect(open(changed)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'served' } });
  }
  const bare = await aFolder();
  const openBare = (engine: string, resume: boolean) =>
    Journal.open(bare, { run: { served: { engine, model: 'm' } }, resume, weights });
  await (await openBare('http://a:1', false)).stage('start', () => Promise.resolve({ turns: 0 }));
  expect((await openBare('http://b:1', true)).has('start')).toBe(true);
  const answer = { critic: { ...critic, yes: 'Ja' } };
  await expect(open(answer)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'served' } });
});
