import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicyCheckpoint } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';
import { servedModel } from '../servedModel.test.fixture.js';

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-rft-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

interface Result {
  readonly rounds: {
    readonly tasks: number;
    readonly attempts: number;
    readonly solved: number;
    readonly selected: number;
    readonly loss?: number;
  }[];
  readonly families?: { readonly n: number; readonly start: object }[];
  readonly checkpoint: string;
}

const cycle = { sft: { steps: 2, decisions: 4, pages: 0 }, generate: { tasks: 4, temperatures: [1] } };

test('RFT learns from the best attempts at new tasks each round, and resumes', { timeout: 240_000 }, async () => {
  const dir = await aFolder();
  const [settings, run] = [join(dir, 'settings.json'), join(dir, 'run')];
  await writeFile(settings, JSON.stringify({ families: ['click'], sessions: 4, browsers: 1, cycle }));
  const flags = ['--from', 'pixels', '--settings', settings, '--directory', run, '--attempts', '2', '--evaluate', '3'];
  const rft = (...more: string[]) => inProcess('train', 'rft', ...flags, ...more, '--json');
  const once = await rft('--rounds', '1');
  expect(once.stderr).toMatch(/round 1: \d of 4 tasks solved; 2 steps on \d successes, loss \d/);
  const first = lastJson(once.stdout) as Result;
  const [round] = first.rounds;
  expect(round).toMatchObject({ tasks: 4, attempts: 8 });
  expect(round!.selected).toBeGreaterThan(0);
  expect(round!.selected).toBeLessThanOrEqual(round!.solved);
  expect(first.families).toEqual([expect.objectContaining({ family: 'click', n: 3 })]);
  await loadPolicyCheckpoint(first.checkpoint);

  // As if the process had ended during the fine-tuning of the first round.
  const path = join(run, 'rft', 'state.json');
  const state = JSON.parse(await readFile(path, 'utf8')) as { stages: { stage: string }[] };
  const sft = state.stages.findIndex(({ stage }) => stage === 'sft 1');
  await writeFile(path, JSON.stringify({ ...state, stages: state.stages.slice(0, sft) }));
  const twice = await rft('--rounds', '2', '--resume');
  const { rounds, families } = lastJson(twice.stdout) as Result;
  expect(rounds).toHaveLength(2);
  const { loss, ...counts } = round!;
  expect(rounds[0]).toMatchObject({ ...counts, loss: expect.closeTo(loss ?? NaN, 4) as number });
  expect(families?.[0]?.start).toEqual(first.families?.[0]?.start);
  const records = (await readFile(join(run, 'updates.jsonl'), 'utf8')).trim().split('\n');
  expect(records.map((line) => (JSON.parse(line) as { round: number }).round)).toEqual([1, 1, 2]);

  const lake = await Lake.open(join(run, 'lake'));
  const tasks: string[] = [];
  for await (const { purpose, task } of lake.episodes()) if (purpose.startsWith('rejection')) tasks.push(task.id);
  await lake.close();
  expect(tasks).toHaveLength(16);
  expect(new Set(tasks).size).toBe(8);

  const changed = await rft('--rounds', '2', '--seed', '2', '--resume');
  expect(lastJson(changed.stdout)).toMatchObject({ error: { code: 'bad_input', field: 'seed' } });
});

test('a served policy learns by RFT, and resumes', { timeout: 240_000 }, async () => {
  const dir = await aFolder();
  const { url, close } = await servedModel({ directory: dir, weights: 'pixels' });
  onTestFinished(close);
  const settings = join(dir, 'settings.json');
  await writeFile(settings, JSON.stringify({ families: ['click'], sessions: 4, browsers: 1, cycle }));
  const flags = ['--engine', url, '--model', 'nano', '--settings', settings, '--directory', join(dir, 'run')];
  const rft = (...more: string[]) => inProcess('train', 'rft', ...flags, '--attempts', '1', ...more, '--json');
  const { rounds: first } = lastJson((await rft('--rounds', '1')).stdout) as Result;
  expect(first[0]).toMatchObject({ attempts: 4, loss: expect.any(Number) as number });
  const { rounds, checkpoint } = lastJson((await rft('--rounds', '2', '--resume')).stdout) as Result;
  expect(rounds).toEqual([first[0], expect.objectContaining({ attempts: 4 })]);
  expect(JSON.parse(await readFile(checkpoint, 'utf8'))).toMatchObject({ version: 1, model: 'nano' });
});

test('a round without a success is told, and trains nothing', { timeout: 240_000 }, async () => {
  const dir = await aFolder();
  const { url, close } = await servedModel({ directory: dir });
  onTestFinished(close);
  const settings = join(dir, 'settings.json');
  // No random policy finds the way in the vault.
  const few = { ...cycle, generate: { tasks: 2 } };
  await writeFile(settings, JSON.stringify({ families: ['vault'], sessions: 2, browsers: 1, cycle: few }));
  const flags = ['--engine', url, '--model', 'nano', '--settings', settings, '--directory', join(dir, 'run')];
  const { stdout, stderr } = await inProcess('train', 'rft', ...flags, '--attempts', '1', '--rounds', '2', '--json');
  expect(stderr).toContain('round 1: 0 of 2 tasks solved; there is nothing to learn from');
  const { rounds } = lastJson(stdout) as Result;
  expect(rounds.map(({ solved, selected, loss }) => [solved, selected, loss])).toEqual([
    [0, 0, undefined],
    [0, 0, undefined],
  ]);
});
