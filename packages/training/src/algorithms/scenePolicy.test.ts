import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCheckpoint, sceneVocabularyHash } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScreenshotReader, readDecisions, trainableTurns } from '../rollouts/dataset.js';
import { evaluateHeldOut } from '../flywheel/heldOut.js';
import { type GivenSettings, Settings } from '../flywheel/settings.js';
import { fineTune, pretrainCritic, recordDemonstrations } from '../flywheel/stages.js';
import { Workspace } from '../flywheel/workspace.js';
import { ormScores } from '../value/orm.js';
import { ormQuery } from '../value/ormQuery.js';
import { trainRl } from './rlLoop.js';
import { tinyScene } from './tinyEngine.test.fixture.js';

const architecture = tinyScene;
const settingsWith = (ppo: GivenSettings['ppo'] = {}) =>
  Settings.parse({
    families: ['menu'],
    demonstrations: { menu: 6 },
    sft: { peak: 1e-2, demonstrations: 8, thoughts: true },
    ppo: { decisions: 12, minibatch: 6, epochs: 1, replay: { steps: 0 }, ...ppo },
  });

let dir: string;
let workspace: Workspace;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-scene-'));
  workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 4, architecture });
});
afterAll(async () => {
  await workspace.close();
  await rm(dir, { recursive: true });
});

const weights = async () => {
  const path = workspace.path('now.safetensors');
  await workspace.save(path);
  return (await loadCheckpoint(path)).tensors;
};

async function stored(purpose: string): Promise<Episode[]> {
  await workspace.lake.flush();
  const episodes: Episode[] = [];
  for await (const episode of workspace.lake.episodes({ purpose })) episodes.push(episode);
  return episodes;
}

it('learns from demonstrations', async () => {
  const settings = settingsWith();
  const demonstrations = await recordDemonstrations(workspace, settings);
  expect(demonstrations.every(({ turns }) => turns.every(({ targets, reading }) => targets && reading))).toBe(true);
  const { curve } = await fineTune(workspace, settings, { steps: 30 });
  const mean = (steps: typeof curve) =>
    steps.reduce((sum, { demonstrationLoss }) => sum + demonstrationLoss, 0) / steps.length;
  expect(mean(curve.slice(-5))).toBeLessThan(0.8 * mean(curve.slice(0, 5)));
}, 240_000);

it('gives sampled turns the same log-probabilities in training', async () => {
  const jobs = workspace.jobs('menu', 'train', 100, 6, 'sampled');
  await workspace.play(workspace.policy(), jobs);
  const reader = new ScreenshotReader(workspace.lake);
  const episodes = await stored('sampled');
  const decisions = (await Promise.all(episodes.map((one) => readDecisions(one, workspace.view, reader)))).flat();
  expect(decisions).toHaveLength(episodes.reduce((sum, { turns }) => sum + turns.length, 0));
  expect(decisions.some(({ turn }) => turn > 0)).toBe(true);
  const { logprobs } = await workspace.engine.forward(decisions.map(({ datum }) => datum));
  for (const [i, { datum }] of decisions.entries()) {
    const sampled = datum.sequences[0]?.logprobs ?? [];
    expect(sampled.length).toBeGreaterThan(0);
    for (const [t, logprob] of sampled.entries()) {
      expect(Math.abs((logprobs[i]?.[0]?.[t] ?? NaN) - logprob)).toBeLessThan(1e-3);
    }
  }
}, 240_000);

it('keeps its turns apart from those of a policy without a reader', async () => {
  const [episode] = await stored('sampled');
  expect(episode?.turns[0]?.sample?.vocabulary).toBe(sceneVocabularyHash);
  expect(trainableTurns(episode!, { reads: true })).toHaveLength(episode?.turns.length ?? 0);
  expect(trainableTurns(episode!, { reads: false })).toEqual([]);
  const unread = { ...episode!, turns: episode!.turns.map(({ reading: _, ...turn }) => turn) };
  expect(trainableTurns(unread, { reads: true })).toEqual([]);
  const [demonstration] = await stored('demonstration');
  for (const reads of [true, false]) expect(trainableTurns(demonstration!, { reads }).length).toBeGreaterThan(0);
});

it.each<[string, GivenSettings['ppo']]>([
  ['PPO with a critic', { advantage: 'critic', criticEpisodes: 8 }],
  ['VinePPO', { advantage: 'vineppo', vineppo: { every: 1, continuations: 2 } }],
  ['GRPO', { advantage: 'group', group: { size: 3, filter: false } }],
])(
  'trains by %s',
  async (_, ppo) => {
    const settings = settingsWith(ppo);
    const before = await weights();
    const start = workspace.path('start.safetensors');
    await workspace.save(start);
    const pretrained =
      settings.ppo.advantage === 'critic'
        ? await pretrainCritic(workspace, settings, { policy: start, name: 'critic.safetensors' })
        : undefined;
    const [iteration] = await trainRl(workspace, settings, () => true, pretrained && { critic: pretrained.critic });
    await pretrained?.critic.close();
    if (pretrained) expect(iteration?.explainedVariance).toBeTypeOf('number');
    expect(iteration?.decisions).toBeGreaterThanOrEqual(12);
    // One version sampled all turns, so the first minibatch's ratios are 1.
    expect(iteration?.ratioLow).toBeGreaterThan(0.5);
    const after = await weights();
    const changed = Object.keys(before).filter((name) => before[name]?.data.some((v, i) => v !== after[name]?.data[i]));
    expect(changed.filter((name) => !name.startsWith('adam.')).length).toBeGreaterThan(20);
  },
  240_000,
);

it('reads pixels where it is evaluated', async () => {
  const heldOut = { families: ['menu'], episodes: { menu: 2 }, split: 'test', purpose: 'eval' } as const;
  const { results } = await evaluateHeldOut(workspace, heldOut);
  expect(results[0]?.n).toBe(2);
  const readings = (await stored('eval')).flatMap(({ turns }) => turns.map(({ reading }) => reading));
  expect(readings.length).toBeGreaterThan(1);
  for (const reading of readings) {
    expect(reading?.reader).toMatch(/^own-/);
    expect(reading?.lines.length).toBeGreaterThan(0);
  }
}, 240_000);

it('judges outcomes by the last screen, which it reads if no turn has', async () => {
  const reader = new ScreenshotReader(workspace.lake);
  const episodes = [...(await stored('eval')), ...(await stored('demonstration')).slice(0, 2)];
  const queries = await Promise.all(episodes.map((episode) => ormQuery(episode, workspace, reader)));
  for (const [i, { datum }] of queries.entries()) {
    const [screenshot] = datum.screenshots;
    expect(screenshot?.hash).toBe(episodes[i]?.turns.at(-1)?.observation.screenshot);
    expect(screenshot?.lines?.length).toBeGreaterThan(0);
    expect(datum.sequences[0]?.scene?.past).toHaveLength(episodes[i]?.turns.length ?? 0);
  }
  for (const score of await ormScores(workspace.engine, queries)) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(1);
  }
  await expect(ormQuery(episodes.at(-1)!, { architecture }, reader)).rejects.toMatchObject({ code: 'bad_input' });
}, 240_000);
