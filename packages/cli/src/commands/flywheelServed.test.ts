import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { flywheel, type GivenSettings } from '@gyre/training';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';
import { servedModel } from '../servedModel.test.fixture.js';

let directory: string;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-flywheel-served-'));
});
afterAll(async () => {
  for (const close of closing) await close();
  await rm(directory, { recursive: true });
});

async function served(seed: number): Promise<string> {
  const { url, close } = await servedModel({ directory, seed });
  closing.push(close);
  return url;
}

const settings = {
  ...{ families: ['click'], minutes: 60, cycles: 2, evaluate: 2, baselines: 1, sessions: 4, browsers: 1 },
  demonstrations: { click: 3 },
  // Without a share, the cold start takes the least number of steps.
  sft: { share: 0, demonstrations: 2, peak: 1e-3 },
  ppo: { decisions: 8, minibatch: 8, criticEpisodes: 4 },
  cycle: {
    evaluate: 2,
    sft: { steps: 4, decisions: 2 },
    rl: { iterations: 1 },
    generate: { tasks: 1, attempts: 2 },
  },
} satisfies GivenSettings;

interface State {
  readonly stages: {
    readonly stage: string;
    readonly weights?: string;
    readonly outcome: { readonly data?: number };
  }[];
}
const stateOf = async (run: string) => JSON.parse(await readFile(join(run, 'state.json'), 'utf8')) as State;

/** Returns the oldest policy version that sampled episodes of this purpose. */
async function oldestWeights(run: string, purpose: string): Promise<number> {
  const lake = await Lake.open(join(run, 'lake'));
  const versions: number[] = [];
  for await (const { turns } of lake.episodes({ purpose }))
    versions.push(...turns.map(({ sample }) => sample?.policyVersion ?? -1));
  await lake.close();
  return Math.min(...versions);
}

test('a served policy goes through cycles, and an aborted run resumes', { timeout: 240_000 }, async () => {
  const run = join(directory, 'run');
  const model = { engine: await served(1), model: 'nano' };
  const abort = new AbortController();
  const aborted = flywheel(
    { ...settings, served: model },
    {
      ...{ dir: run, signal: abort.signal },
      onProgress: ({ stage, message }) => {
        if (stage === 'rl 1' && message.includes('turns')) abort.abort();
      },
    },
  );
  await expect(aborted).rejects.toThrow();
  const before = (await stateOf(run)).stages;
  expect(before.map(({ stage }) => stage)).toEqual([
    ...['baselines', 'cold start', 'route 0', 'evaluate start', 'evaluate cycle 0', 'sft 1'],
  ]);

  const { status, stdout, stderr } = await inProcess('flywheel', '--resume', run, '--json');
  expect(stderr).toContain('from the weights that the server has');
  expect(status).toBe(0);
  const result = lastJson(stdout) as { cycles: number; report: string; weights: string };
  expect(result).toMatchObject({ cycles: 2, report: join(run, 'report.html'), weights: join(run, 'trained.json') });
  expect(JSON.parse(await readFile(result.weights, 'utf8'))).toMatchObject({
    ...{ version: 1, model: 'nano', path: expect.stringMatching(/^tinker:\/\//) as string },
  });
  expect(await readFile(result.report, 'utf8')).toContain('P(V = 1) by cycle');

  const { stages } = await stateOf(run);
  expect(stages.slice(0, before.length)).toEqual(before);
  expect(stages.map(({ stage }) => stage).slice(before.length)).toEqual([
    ...['rl 1', 'generate 1', 'route 1', 'evaluate cycle 1'],
    ...['sft 2', 'rl 2', 'generate 2', 'route 2', 'evaluate cycle 2', 'evaluate trained'],
  ]);
  expect(stages.find(({ stage }) => stage === 'sft 1')?.outcome.data).toBeGreaterThan(0);
  expect(stages.every(({ weights = '.json' }) => weights.endsWith('.json'))).toBe(true);
  expect(await oldestWeights(run, 'eval start')).toBeGreaterThanOrEqual(80);
  const updates = (await readFile(join(run, 'updates.jsonl'), 'utf8')).trim().split('\n');
  for (const line of updates) {
    const { gap, staleness } = JSON.parse(line) as { gap: { tokens: number; mean: number }; staleness: object };
    // Each stage publishes its weights, so that the next one samples from them.
    expect(Object.keys(staleness)).toEqual(['0']);
    expect(gap.tokens).toBeGreaterThan(0);
    expect(gap.mean).toBeLessThan(1e-4);
  }
});

test('a critic on a second engine, and other servers for a resumed run', { timeout: 240_000 }, async () => {
  const [run, file] = [join(directory, 'critic'), join(directory, 'critic.json')];
  const cycle = { ...settings.cycle, sft: { share: 0 }, generate: { share: 0 } };
  const short = { ...settings, cycles: 1, evaluate: 1, demonstrations: {}, cycle: { ...cycle, evaluate: 1 } };
  await writeFile(file, JSON.stringify(short));
  const servers = ['--engine', await served(2), '--critic-engine', await served(3)];
  const flags = ['--model', 'nano', '--settings', file, '--directory', run, '--json'];
  const { status, stdout } = await inProcess('flywheel', ...servers, ...flags);
  expect(status).toBe(0);
  const updates = (await readFile(join(run, 'updates.jsonl'), 'utf8')).trim().split('\n');
  expect(JSON.parse(updates[0]!)).toHaveProperty('explainedVariance');
  expect(JSON.parse(await readFile(join(run, 'settings.json'), 'utf8'))).toMatchObject({
    ppo: { advantage: 'critic', learningRate: 4e-5 },
  });
  const moved = await inProcess('flywheel', '--resume', run, '--engine', await served(4), '--json');
  expect(lastJson(moved.stdout)).toMatchObject({ gain: (lastJson(stdout) as { gain: object }).gain });
});

test.each([
  [['--model', 'nano'], 'served.engine'],
  [['--engine', 'http://127.0.0.1:9', '--model', 'nano', '--from-scratch'], 'from'],
  [['--engine', 'http://127.0.0.1:9', '--model', 'nano', '--from-scratch', '--architecture', 'nano'], 'from'],
])('refuses %j', async (words, field) => {
  const { status, stdout } = await inProcess('flywheel', ...words, '--directory', join(directory, 'none'), '--json');
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field } });
});

test('refuses weights of another kind', { timeout: 60_000 }, async () => {
  const native = join(directory, 'native.safetensors');
  await writeFile(native, 'x');
  const flags = ['--engine', await served(5), '--model', 'nano', '--from', native];
  const { stdout } = await inProcess('flywheel', ...flags, '--directory', join(directory, 'kind'), '--json');
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'corrupt', field: native } });
});
