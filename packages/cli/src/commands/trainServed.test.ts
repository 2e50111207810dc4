import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';
import { servedModel } from '../servedModel.test.fixture.js';

let directory: string;
let settings: string;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-train-served-'));
  settings = join(directory, 'settings.json');
  const ppo = { decisions: 8, minibatch: 8, criticEpisodes: 4, group: { size: 4, filter: false } };
  await writeFile(settings, JSON.stringify({ families: ['click'], sessions: 4, browsers: 1, ppo }));
});
afterAll(async () => {
  for (const close of closing) await close();
  await rm(directory, { recursive: true });
});

/** Each engine has one model. */
async function served(seed = 1): Promise<string> {
  const { url, close } = await servedModel({ directory, seed });
  closing.push(close);
  return url;
}

const train = (stage: string, url: string, ...flags: string[]) =>
  inProcess('train', stage, '--engine', url, '--model', 'nano', '--settings', settings, ...flags, '--json');

interface Trained {
  readonly iterations: { readonly gap: { readonly tokens: number; readonly mean: number } }[];
  readonly checkpoint: string;
}

test('a served policy is fine-tuned, trained by GRPO from there, and resumed', { timeout: 240_000 }, async () => {
  const url = await served();
  const run = join(directory, 'run');
  const tuned = await train('sft', url, '--directory', run, '--demonstrations', '4', '--minutes', '0.05');
  expect(tuned.stderr).not.toContain('error');
  expect(lastJson(tuned.stdout)).toMatchObject({ demonstrations: 4, checkpoint: join(run, 'sft.json') });
  const grpo = await train('grpo', url, '--directory', run, '--iterations', '1');
  const first = lastJson(grpo.stdout) as Trained;
  expect(first.iterations).toHaveLength(1);
  const again = await train('grpo', url, '--directory', run, '--iterations', '2', '--resume');
  const { iterations, checkpoint } = lastJson(again.stdout) as Trained;
  expect(iterations).toHaveLength(2);
  expect(iterations[0]).toEqual(first.iterations[0]);
  for (const { gap } of iterations) {
    expect(gap.tokens).toBeGreaterThan(0);
    expect(gap.mean).toBeLessThan(1e-4);
  }
  expect(JSON.parse(await readFile(checkpoint, 'utf8'))).toMatchObject({
    ...{ version: 1, model: 'nano', path: expect.stringMatching(/^tinker:\/\//) as string },
  });
});

test(
  'a run resumes where its server has moved, and names the weights that another one lacks',
  { timeout: 240_000 },
  async () => {
    const run = ['--directory', join(directory, 'moved')];
    const url = await served(8);
    await train('grpo', url, ...run, '--iterations', '1');
    const lacking = await train('grpo', await served(9), ...run, '--iterations', '2', '--resume');
    expect(lacking.status).toBe(1);
    const { error } = lastJson(lacking.stdout) as { error: { code: string; message: string; fix: string } };
    expect(error).toMatchObject({ code: 'bad_input', fix: expect.stringContaining(`saved at ${url}`) as string });
    expect(error.message).toMatch(/did not load tinker:.*which .*iteration-1.*\.passing\.json names/);
    // The same folder of weights, at another port.
    const { stdout } = await train('grpo', await served(8), ...run, '--iterations', '2', '--resume');
    expect((lastJson(stdout) as Trained).iterations).toHaveLength(2);
    const stored = (await readdir(directory)).filter((name) => name.startsWith('8-') && name.includes('passing'));
    expect(stored).toEqual([expect.stringMatching(/iteration-2-3-passing/)]);
  },
);

test('PPO trains a critic on a second engine', { timeout: 240_000 }, async () => {
  const [url, critic] = [await served(2), await served(3)];
  const flags = ['--critic-engine', critic, '--directory', join(directory, 'ppo'), '--iterations', '1'];
  const { stdout } = await train('ppo', url, ...flags);
  const { iterations } = lastJson(stdout) as { iterations: { explainedVariance: number | null }[] };
  expect(iterations).toHaveLength(1);
  expect(iterations[0]).toHaveProperty('explainedVariance');
});

test('a critic is pretrained on the returns of a served policy', { timeout: 240_000 }, async () => {
  const [url, critic] = [await served(5), await served(6)];
  const directoryOf = join(directory, 'value');
  const flags = ['--critic-engine', critic, '--directory', directoryOf, '--episodes', '6', '--ceiling', '4'];
  const { stdout } = await train('value', url, ...flags);
  expect(lastJson(stdout)).toMatchObject({ checkpoint: join(directoryOf, 'critic.json'), ceiling: { pairs: 4 } });
});

test('GRPO continues if the attempts at each task have equal outcomes', { timeout: 240_000 }, async () => {
  const path = join(directory, 'equal.json');
  // No random policy finds the way in time: all attempts fail, and all groups are left out.
  const ppo = { decisions: 8, minibatch: 8, group: { size: 2, filter: true, draws: 1 } };
  await writeFile(path, JSON.stringify({ families: ['vault'], sessions: 4, browsers: 1, ppo }));
  const flags = ['--directory', join(directory, 'equal'), '--iterations', '1', '--settings', path, '--json'];
  const { stdout } = await inProcess('train', 'grpo', '--engine', await served(7), '--model', 'nano', ...flags);
  const { iterations } = lastJson(stdout) as { iterations: { decisions: number; groups: object }[] };
  expect(iterations).toHaveLength(1);
  expect(iterations[0]).toMatchObject({ decisions: 0, gap: { tokens: 0 } });
});

test.each([
  [['ppo', '--model', 'nano'], 'served.engine', 1],
  [['ppo', '--engine', 'http://127.0.0.1:9'], 'served.model', 1],
  [['ppo', '--engine', 'nowhere', '--model', 'nano'], '--engine', 2],
] as const)('refuses %j', async (words, field, expected) => {
  const { status, stdout } = await inProcess('train', ...words, '--directory', join(directory, 'none'), '--json');
  expect(status).toBe(expected);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field } });
});

test.each([
  [{ ppo: { kl: 0.1 } }, 'ppo.kl'],
  [{ ppo: { advantage: 'critic' } }, 'served.critic'],
  [{ ppo: { entropy: 0.1 } }, 'entropy'],
  [{ from: 'scratch' }, 'from'],
  [{ cycle: { specialists: [['click']] } }, 'cycle.specialists'],
  [{ cycle: { sft: { thoughts: { share: 0.1 } } } }, 'cycle.sft.thoughts.share'],
])('refuses %j for a served policy before anything is opened', async (changed, field) => {
  const path = join(directory, 'refused.json');
  const served = { engine: 'http://127.0.0.1:9', model: 'nano' };
  await writeFile(path, JSON.stringify({ families: ['click'], served, ...changed }));
  const { status, stdout } = await inProcess('train', 'ppo', '--settings', path, '--json');
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field } });
});

test('an engine without the model is named', async () => {
  const url = await served(4);
  const flags = ['--engine', url, '--model', 'other', '--directory', join(directory, 'other')];
  const { stdout } = await inProcess('train', 'ppo', ...flags, '--json');
  expect(lastJson(stdout)).toMatchObject({
    error: { code: 'bad_input', field: 'served.model', fix: 'use nano' },
  });
});
