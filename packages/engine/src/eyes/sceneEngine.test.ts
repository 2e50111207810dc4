import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCheckpoint, saveCheckpoint } from '../checkpoint/checkpoint.js';
import { EmbeddedEngine } from '../nano/embeddedEngine.js';
import { EngineThread } from '../nano/engineThread.js';
import { mergePolicies } from '../nano/mergedPolicy.js';
import type { NativeDatum, NativeSampleRequest } from '../nano/nativeEngine.js';
import { vocabularyHash } from '../nano/vocabulary.js';
import { acceptedTurn } from './acceptedTurn.js';
import { context, lineOf, past, screen, size, tiny } from './scene.test.fixture.js';
import type { SceneContext } from './scene.js';
import { sceneOf, sceneVocabularyHash } from './sceneTokens.js';

let dir: string;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-scene-'));
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  await rm(dir, { recursive: true });
});

function engineOf(role: 'policy' | 'critic' = 'policy', seed = 7): EmbeddedEngine {
  const engine = new EmbeddedEngine({ architecture: { ...tiny, role }, seed, threads: 1 });
  open.push(engine);
  return engine;
}

const contexts: SceneContext[] = [
  { ...context, instruction: `${context.instruction}, then "ctrl+s"` },
  { instruction: 'press "Save"', past: [] },
  { instruction: 'list the files', past: [past, past], commands: true },
];
const requests = Array.from({ length: 4 }, (_, i): NativeSampleRequest => {
  const input = { screenshots: [screen], tokens: [], scene: contexts[i % 3], clock: i % 3 };
  // Random thoughts are long.
  return { input, temperature: 1, thinks: false, seed: i };
});
const scene = sceneOf(screen, contexts[0]!, 1);
const demonstrations: NativeDatum[] = [
  { type: 'click', point: { x: 0.4, y: 0.7 } } as const,
  { type: 'type', text: 'Pear\n' } as const,
  { type: 'hotkey', keys: 'ctrl s' } as const,
].map((action) => {
  const accepted = acceptedTurn(scene, action, { random: () => 0.9 });
  return { screenshots: [screen], sequences: [{ tokens: [], scene: contexts[0]!, clock: 1, ...accepted }] };
});

async function learn(engine: EmbeddedEngine | EngineThread, steps: number): Promise<number[]> {
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    losses.push((await engine.forwardBackward({ data: demonstrations, loss: { name: 'cross_entropy' } })).loss);
    await engine.optimStep({ learningRate: 1e-2 });
  }
  return losses;
}

it('samples turns whose log-probabilities training computes, alone or together', async () => {
  const engine = engineOf();
  const together = await engine.sample(requests);
  const data = together.map(({ tokens }, i): NativeDatum => {
    const { screenshots, ...input } = requests[i]!.input;
    return { screenshots, sequences: [{ ...input, action: tokens }] };
  });
  const { logprobs } = await engine.forward(data);
  for (const [i, request] of requests.entries()) {
    const { tokens, logprobs: sampled, turn } = together[i]!;
    expect(turn?.action).toBeDefined();
    expect(sampled).toEqual(logprobs[i]?.[0]?.map((logprob) => expect.closeTo(logprob, 4) as number));
    const [alone] = await engine.sample([request]);
    expect(alone?.tokens).toEqual(tokens);
  }
}, 180_000);

it('counts as sampled what training computes for combinations of keys and line breaks after copies', async () => {
  const engine = engineOf();
  const { logprobs } = await engine.forward(demonstrations);
  const { vocabulary } = scene;
  const keys = demonstrations[2]!.sequences[0]!.action;
  expect(vocabulary.decode(keys).action).toEqual({ type: 'hotkey', keys: 'ctrl s' });
  expect(vocabulary.decode(demonstrations[1]!.sequences[0]!.action).action).toEqual({ type: 'type', text: 'Pear\n' });
  // All that may start a hotkey: two combinations would share the probability, and no other copy may.
  const starts = vocabulary
    .ranges('keysStart')
    .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
  const hotkeys = starts.map((start): NativeDatum => {
    const action = start === keys[1] ? [keys[0]!, start] : [keys[0]!, start, vocabulary.end];
    return { screenshots: [screen], sequences: [{ tokens: [], scene: contexts[0]!, clock: 1, action }] };
  });
  const computed = await engine.forward(hotkeys);
  const total = computed.logprobs.reduce((sum, [first]) => sum + Math.exp(first?.[1] ?? -Infinity), 0);
  expect(total).toBeCloseTo(1, 4);
  expect(logprobs[2]?.[0]?.[1]).toBeCloseTo(computed.logprobs[starts.indexOf(keys[1]!)]?.[0]?.[1] ?? 0, 4);
}, 180_000);

it('learns, and resumes from a checkpoint as if it had not stopped', async () => {
  const [whole, halted, resumed] = [engineOf(), engineOf(), engineOf('policy', 8)];
  const losses = await learn(whole, 8);
  expect(losses.at(-1)).toBeLessThan(0.8 * losses[0]!);
  const file = join(dir, 'halted.safetensors');
  await learn(halted, 3);
  await halted.save(file);
  expect(await resumed.load(file)).toEqual({ policyVersion: 3 });
  expect(resumed.parameters.data).toEqual(halted.parameters.data);
  expect(await learn(resumed, 5)).toEqual(losses.slice(3));
  expect(resumed.parameters.data).toEqual(whole.parameters.data);
  expect(await resumed.sample(requests)).toEqual(await whole.sample(requests));
}, 180_000);

it('decides as its checkpoint does once merged in half precision, which drops what only training needs', async () => {
  const learner = new EmbeddedEngine({ architecture: tiny, seed: 7, threads: 1, optimiser: 'muon', average: true });
  const [trained, shipped] = [engineOf('policy', 1), engineOf('policy', 2)];
  open.push(learner);
  await learn(learner, 4);
  const [whole, small] = [join(dir, 'whole.safetensors'), join(dir, 'small.safetensors')];
  await learner.save(whole);
  await saveCheckpoint(small, await mergePolicies([whole], undefined, 'F16'));
  expect((await stat(small)).size).toBeLessThan(0.25 * (await stat(whole)).size);
  const { tensors } = await loadCheckpoint(small);
  expect(Object.keys(tensors).sort()).toEqual(shipped.parameters.specs.map(({ name }) => name).sort());

  await trained.load(whole, { optimiser: false });
  await shipped.load(small);
  // The average, not the latest weights.
  expect(trained.parameters.data).not.toEqual(learner.parameters.data);
  const greedy = requests.map((request) => ({ ...request, temperature: 0 }));
  const [expected, decided] = [await trained.sample(greedy), await shipped.sample(greedy)];
  expect(decided.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens));
  for (const [i, { logprobs }] of decided.entries()) {
    expect(logprobs).toEqual(expected[i]!.logprobs.map((logprob) => expect.closeTo(logprob, 2) as number));
  }
}, 180_000);

it('refuses a checkpoint whose scenes were cut differently', async () => {
  const engine = engineOf();
  const file = join(dir, 'cut.safetensors');
  await engine.save(file);
  const { tensors, metadata } = await loadCheckpoint(file);
  expect(metadata.vocabulary).toBe(sceneVocabularyHash);
  await saveCheckpoint(file, { tensors, metadata: { ...metadata, vocabulary: vocabularyHash } });
  await expect(engine.load(file)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'checkpoint' } });
});

it('lends its common weights to a critic, whose value falls towards the return', async () => {
  const [policy, critic] = [engineOf(), engineOf('critic', 9)];
  const file = join(dir, 'policy.safetensors');
  await policy.save(file);
  await critic.load(file);
  for (const { name } of critic.parameters.specs) {
    const isCommon = policy.parameters.specs.some((spec) => spec.name === name);
    if (isCommon) expect(critic.parameters.view(name)).toEqual(policy.parameters.view(name));
    else expect(name).toMatch(/^value\./);
  }
  const data = demonstrations.map(({ screenshots, sequences: [sequence] }, i) => ({
    screenshots,
    sequences: [{ ...sequence!, scene: contexts[i], return: i }],
  }));
  const losses: number[] = [];
  for (let step = 0; step < 15; step++) {
    const loss = { name: 'ppo_critic', valueClip: 1e9 } as const;
    losses.push((await critic.forwardBackward({ data, loss })).loss);
    await critic.optimStep({ learningRate: 3e-3 });
  }
  expect(losses.at(-1)).toBeLessThan(0.5 * losses[0]!);
  await expect(critic.forwardBackward({ data, loss: { name: 'cross_entropy' } })).rejects.toMatchObject({
    code: 'bad_input',
  });
}, 180_000);

it('does the same in a thread', async () => {
  const here = engineOf();
  const thread = await EngineThread.start({ architecture: tiny, seed: 7, threads: 1 });
  open.push(thread);
  expect(await thread.sample(requests)).toEqual(await here.sample(requests));
  expect(await learn(thread, 2)).toEqual(await learn(here, 2));
  const request = { data: demonstrations, loss: { name: 'reading' } } as const;
  await expect(thread.forwardBackward(request)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'loss' } });
}, 180_000);

it('finds regions anew if the same pixels are read otherwise', () => {
  const { pixels } = screen;
  const tokens = (lines: typeof screen.lines) =>
    sceneOf({ ...screen, lines }, context).screen.map(({ kind, box }) => [kind, box]);
  const reread = [lineOf('Save', 30, 40)];
  const first = tokens(screen.lines);
  const fresh = sceneOf({ hash: 'copy', pixels: Uint8Array.from(pixels), size, lines: reread }, context).screen;
  expect(tokens(reread)).toEqual(fresh.map(({ kind, box }) => [kind, box]));
  expect(tokens(screen.lines)).toEqual(first);
});

it('refuses what it cannot do', async () => {
  const engine = engineOf();
  const input = { screenshots: [screen], tokens: [] };
  await expect(engine.sample([{ input, temperature: 1, seed: 1 }])).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'scene' },
  });
  await expect(engine.readGlyphs([screen])).rejects.toMatchObject({ code: 'bad_input' });
  expect(() => new EmbeddedEngine({ architecture: tiny, seed: 1, frozen: 'w8a8' })).toThrow(
    expect.objectContaining({ code: 'bad_input' }),
  );
});
