import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCheckpoint, pixelPolicyName, weightsFile } from '@gyre/engine';
import { expect, onTestFinished, test } from 'vitest';
import { CycleStages } from './cycleStages.js';
import { Settings } from './settings.js';
import { verticalsOf } from './specialists.js';
import { Workspace } from './workspace.js';

test('each specialist trains from the same weights, and the result is their mean', { timeout: 300_000 }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-specialists-'));
  const workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 4 });
  onTestFinished(async () => {
    await workspace.close();
    await rm(dir, { recursive: true });
  });
  await workspace.engine.load(weightsFile(pixelPolicyName), { optimiser: false });
  const settings = Settings.parse({
    families: ['click', 'vault', 'maze'],
    ppo: { decisions: 10, minibatch: 5, epochs: 1, learningRate: 1e-3, replay: { steps: 0 } },
    cycle: { rl: { iterations: 1 }, specialists: [['maze']] },
  });
  const stages = new CycleStages(workspace, settings, () => undefined);
  const practice = { click: 1, vault: 1, maze: 1 };
  const { turns, iterations } = await stages.rl(1, {
    ...{ minutes: 9, familyWeights: practice, progress: () => 0, turns: Infinity, stepsBefore: 100 },
  });
  const records = (await readFile(join(dir, 'updates.jsonl'), 'utf8')).trim().split('\n');
  const drawn = records.map((line) => (JSON.parse(line) as { environmentSteps: number }).environmentSteps);
  expect(drawn).toEqual(iterations.map(({ environmentSteps }) => 100 + environmentSteps));
  expect(iterations.map(({ success }) => Object.keys(success))).toEqual([['maze'], ['click', 'vault']]);
  expect(iterations[0]!.environmentSteps).toBeLessThan(turns);
  expect(iterations[1]!.environmentSteps).toBe(turns);

  const finalWeights = join(dir, 'final.safetensors');
  await workspace.engine.save(finalWeights);
  const weightsOf = async (name: string) => (await loadCheckpoint(name)).tensors;
  const tensorsOf = (name: string) => weightsOf(join(dir, 'weights', `${name}.safetensors`));
  const [before, specialist1, specialist2, merged] = [
    await tensorsOf('before-specialists'),
    await tensorsOf('specialist-1'),
    await tensorsOf('specialist-2'),
    await weightsOf(finalWeights),
  ];
  let [changed, off] = [0, 0];
  for (const [name, { data }] of Object.entries(merged)) {
    if (name.startsWith('adam.')) continue;
    const [first, second, start] = [specialist1, specialist2, before].map((each) => each[name]!.data);
    for (let i = 0; i < data.length; i++) {
      if (first![i] !== start![i] && second![i] !== start![i]) changed++;
      off = Math.max(off, Math.abs(data[i]! - (first![i]! + second![i]!) / 2) / Math.max(1, Math.abs(data[i]!)));
    }
  }
  expect(off).toBeLessThan(1e-6);
  expect(changed).toBeGreaterThan(0);
});

test('one more specialist trains on the remaining families', () => {
  expect(verticalsOf(['a', 'b', 'c', 'd'], [['b'], ['d', 'a']])).toEqual([['b'], ['d', 'a'], ['c']]);
  expect(verticalsOf(['a', 'b'], [])).toEqual([['a', 'b']]);
  expect(verticalsOf(['a', 'b'], [['a'], ['b']])).toEqual([['a'], ['b']]);
});

test.each<[string[][], string]>([
  [[['menu']], 'cycle.specialists.0.0'],
  [[['click'], ['vault', 'click']], 'cycle.specialists.1.1'],
])('specialists %j are refused', (specialists, field) => {
  const parsed = Settings.safeParse({ families: ['click', 'vault'], cycle: { specialists } });
  expect(parsed.error?.issues[0]?.path.join('.')).toBe(field);
});
