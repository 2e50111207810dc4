import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine } from '@gyre/engine';
import type { PerceptionSample } from '@gyre/tasks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyScene } from '../algorithms/tinyEngine.test.fixture.js';
import type { SheetSource } from '../ct/pageFeed.js';
import { Workspace } from '../flywheel/workspace.js';
import {
  collectDemonstrations,
  collectHeldOut,
  collectPractice,
  type DemonstratedFamilies,
  type Demonstration,
} from './demonstrations.js';
import { PackedEpisode } from './packedEpisode.js';
import { ScreenshotReader } from '../rollouts/dataset.js';
import { sceneDecision } from '../rollouts/sceneDecision.js';
import { rightDecisions } from './heldOut.js';
import { BaseRecipe } from './recipe.js';
import { trainBase } from './trainBase.js';

const size = { width: 160, height: 160 };
const box = { x: 20, y: 20, width: 40, height: 16 };

/** A page with one button, drawn by its number. */
const sheets: SheetSource = {
  samples: () => 4,
  sheet: async (_, index) =>
    Array.from({ length: 4 }, (_, i): PerceptionSample => {
      const pixels = new Uint8Array(size.width * size.height * 3).fill(250 - index - i);
      for (let y = box.y; y < box.y + box.height; y++) {
        pixels.fill(90, 3 * (y * size.width + box.x), 3 * (y * size.width + box.x + box.width));
      }
      const questions = [
        { kind: 'position', instruction: 'press it', answer: { type: 'point', boxes: [box] } },
      ] as const;
      return { pixels, size, glyphs: [], elements: [], questions };
    }),
};

const recipe = BaseRecipe.parse({
  steps: 6,
  batch: 6,
  warmup: 0,
  decay: 2,
  demonstrations: [{ families: ['menu', 'tabs'], each: 3, share: 3, practice: 2 }],
  practiceEvery: 3,
  pages: [{ size, questions: 1, share: 1 }],
  without: ['tabs'],
});

let dir: string;
let workspace: Workspace;
let demonstrations: DemonstratedFamilies[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-base-'));
  workspace = await Workspace.open({
    ...{ dir, seed: 1, threads: 1, browsers: 1, sessions: 2, architecture: tinyScene },
  });
  demonstrations = await collectDemonstrations(workspace, recipe);
});
afterAll(async () => {
  await workspace.close();
  await rm(dir, { recursive: true });
});

const namesOf = (turns: readonly Demonstration[]) => turns.map(({ episode, turn }) => `${episode.id} ${turn}`);

const engineOf = () => new EmbeddedEngine({ architecture: tinyScene, seed: 3, threads: 1, optimiser: 'muon' });

async function trained(engine: EmbeddedEngine, { from = 0, to = recipe.steps } = {}): Promise<number[]> {
  const losses: number[] = [];
  const stop = new AbortController();
  const onStep = ({ step, loss }: { step: number; loss: number }): void => {
    losses.push(loss);
    if (step === to) stop.abort();
  };
  const { lake } = workspace;
  const practise = (rounds: number) => collectPractice(workspace, recipe, rounds);
  await trainBase({ engine, lake, recipe, from, demonstrations, practise, sheets, onStep, signal: stop.signal });
  return losses;
}

test('demonstrations are those of the recipe, with readings and targets, and are played once', async () => {
  expect(demonstrations).toHaveLength(1);
  expect(demonstrations[0]).toHaveLength(1);
  const [turns = []] = demonstrations[0] ?? [];
  expect(new Set(turns.map(({ episode }) => episode.family))).toEqual(new Set(['menu']));
  expect(new Set(turns.map(({ episode }) => episode.id)).size).toBe(3);
  for (const { episode, turn } of turns) {
    expect(episode.unpack().turns[turn]).toMatchObject({ reading: { reader: 'simulated' }, targets: [{}] });
  }
  const again = await collectDemonstrations(workspace, recipe, { onEpisode: () => expect.unreachable() });
  expect(again[0]?.[0]?.map(({ episode }) => episode.id)).toEqual(turns.map(({ episode }) => episode.id));
});

test('decisions are right if they do what a demonstration accepts', async () => {
  const heldOut = await collectHeldOut(workspace, { ...recipe, heldOut: 2 });
  expect(new Set(heldOut.map(({ episode }) => episode.seed))).toEqual(new Set([2_000_000, 2_000_001]));
  const again = (await collectDemonstrations(workspace, recipe))[0];
  expect(again?.map(namesOf)).toEqual(demonstrations[0]?.map(namesOf));
  const engine = engineOf();
  const { lake } = workspace;
  const before = await rightDecisions(engine, lake, heldOut);
  const reader = new ScreenshotReader(lake);
  const data = await Promise.all(
    heldOut.map(async ({ episode, turn }) => (await sceneDecision(episode.unpack(), turn, reader)).datum),
  );
  for (let step = 0; step < 40; step++) {
    await engine.forwardBackward({ data, loss: { name: 'cross_entropy' } });
    await engine.optimStep({ learningRate: 5e-3 });
  }
  expect(before).toBeLessThan(heldOut.length);
  expect(await rightDecisions(engine, lake, heldOut)).toBe(heldOut.length);
  await engine.close();
});

test('practice plays each round once, and keeps what the oracle advised in the states that the policy reached', async () => {
  const [[first = []] = []] = await collectPractice(workspace, recipe, 1);
  expect(new Set(first.map(({ episode }) => episode.seed))).toEqual(new Set([1_000_000, 1_000_001]));
  for (const { episode, turn, advised } of first) {
    const { advice, reading } = episode.unpack().turns[turn]!;
    expect(advised).toBe(true);
    expect(advice?.actions).toHaveLength(1);
    expect(reading?.reader).toBe('simulated');
    const { datum } = await sceneDecision(episode.unpack(), turn, new ScreenshotReader(workspace.lake), { advised });
    expect(datum.sequences[0]?.action.length).toBeGreaterThan(0);
  }
  const [[second = []] = []] = await collectPractice(workspace, recipe, 2);
  expect(namesOf(second.slice(0, first.length))).toEqual(namesOf(first));
  expect(new Set(second.map(({ episode }) => episode.id)).size).toBe(4);
  const onEpisode = (): void => expect.unreachable();
  const [[same = []] = []] = await collectPractice(workspace, recipe, 2, { onEpisode });
  expect(namesOf(same)).toEqual(namesOf(second));
});

test('the loss falls, and an interrupted training continues bit for bit through practice', async () => {
  const [unbroken, first, second] = [engineOf(), engineOf(), engineOf()];
  const losses = await trained(unbroken);
  expect(losses).toHaveLength(recipe.steps);
  expect(losses.at(-1)).toBeLessThan(losses[0]! - 0.5);
  const before = await trained(first, { to: 3 });
  const path = join(dir, 'half.safetensors');
  await first.save(path);
  expect((await second.load(path)).policyVersion).toBe(3);
  const after = await trained(second, { from: 3 });
  expect([...before, ...after]).toEqual(losses);
  expect(second.parameters.data).toEqual(unbroken.parameters.data);
  await Promise.all([unbroken, first, second].map((engine) => engine.close()));
});

test('another demonstration takes the place of one that the policy cannot say', async () => {
  const engine = engineOf();
  const [turns = []] = demonstrations[0] ?? [];
  const { turn } = turns[0]!;
  const episode = turns[0]!.episode.unpack();
  // Nothing on the screen reads this, and it cannot be spelt.
  const unsaid = { ...episode.turns[turn]!, actions: [{ type: 'type' as const, text: '剩' }] };
  const changed = { ...episode, turns: episode.turns.with(turn, unsaid) };
  const misread = { episode: new PackedEpisode(changed), turn, advised: false };
  const { lake } = workspace;
  const training = { engine, lake, recipe: { ...recipe, steps: 1, pages: [] }, from: 0, sheets };
  expect(await trainBase({ ...training, demonstrations: [[[misread, ...turns]]] })).toBe(1);
  await expect(trainBase({ ...training, demonstrations: [[[misread]]] })).rejects.toMatchObject({
    ...{ code: 'bad_input', detail: { field: 'demonstrations' } },
  });
  expect(await rightDecisions(engine, lake, [misread])).toBe(0);
  await engine.close();
});
