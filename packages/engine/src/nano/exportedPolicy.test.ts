import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../random.js';
import type { Architecture } from './architecture.js';
import { contextTokens } from './context.js';
import type { Screenshot } from './nativeEngine.js';
import { describeExport } from './exportedFormat.js';
import { type ExportOptions, type ExportedFiles, exportPolicy } from './exportedPolicy.js';
import { EmbeddedEngine } from './embeddedEngine.js';
import { loadPolicyCheckpoint } from './policyCheckpoint.js';
import { vocabularyOf } from './vocabulary.js';

interface ExampleDecision {
  open(directory: string): Promise<unknown>;
  decide(policy: unknown, screenshots: Uint8Array[], instruction: string, past?: number[][]): Promise<number[]>;
  following(about: unknown, turn: readonly number[]): string | undefined;
}
const stranger = (await import(new URL('../../examples/exported.js', import.meta.url).href)) as ExampleDecision;

const architecture: Architecture = {
  screenshots: 2,
  width: 128,
  heads: 2,
  imageLayers: 1,
  decoderLayers: 1,
  stem: 8,
  role: 'policy',
};
const screen = { width: 60, height: 40 };
const vocabulary = vocabularyOf(screen);
const random = new Random(5);
const shots: Screenshot[] = Array.from({ length: 2 }, (_, i) => ({
  hash: `shot ${i}`,
  pixels: Uint8Array.from({ length: screen.width * screen.height * 3 }, () => random.int(256)),
  size: screen,
}));
const thought = 'the button "save" is here';
const lessons = [
  { instruction: 'press "save"', action: vocabulary.encode({ type: 'click', point: { x: 0.9, y: 0.2 } }, thought) },
  { instruction: 'type "a b" at <point>300 700</point>', action: vocabulary.encode({ type: 'type', text: 'a "b" c' }) },
  { instruction: '点击 "保存"', action: vocabulary.encode({ type: 'hotkey', keys: 'ctrl c' }) },
  { instruction: 'scroll, then wait!', action: vocabulary.encode({ type: 'scroll', direction: 'down' }) },
];

let directory: string;
let checkpoint: string;
let whole: { to: string; files: ExportedFiles };
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-export-'));
  checkpoint = join(directory, 'policy.safetensors');
  const engine = new EmbeddedEngine({ architecture, seed: 3, threads: 1 });
  const data = lessons.map(({ instruction, action }) => ({
    screenshots: shots,
    sequences: [{ tokens: contextTokens(vocabulary, instruction, []), action }],
  }));
  for (let step = 0; step < 60; step++) {
    await engine.forwardBackward({ data, loss: { name: 'cross_entropy' } });
    await engine.optimStep({ learningRate: 3e-3 });
  }
  await engine.save(checkpoint);
  await engine.close();
  whole = await exported('whole');
}, 30_000);
afterAll(() => rm(directory, { recursive: true }));

async function exported(name: string, options: Partial<ExportOptions> = {}) {
  const to = join(directory, name);
  const files = await exportPolicy(to, await loadPolicyCheckpoint(checkpoint), { screen, screenshots: 2, ...options });
  return { to, files };
}

async function decided(frozen?: 'w8a8' | 'w4a8'): Promise<number[][]> {
  const engine = new EmbeddedEngine({ architecture, seed: 1, threads: 1, frozen });
  await engine.load(checkpoint, { optimiser: false });
  const sampled = await engine.sample(
    lessons.map(({ instruction }) => ({
      input: {
        screenshots: shots,
        tokens: contextTokens(vocabulary, instruction, [{ actions: [{ type: 'press', key: 'tab' }] }]),
      },
      temperature: 0,
      seed: 1,
    })),
  );
  await engine.close();
  return sampled.map(({ tokens }) => tokens);
}

async function decidedByStranger(to: string): Promise<number[][]> {
  const policy = await stranger.open(to);
  const past = [vocabulary.encode({ type: 'press', key: 'tab' })];
  const turns: number[][] = [];
  for (const { instruction } of lessons) {
    turns.push(
      await stranger.decide(
        policy,
        shots.map(({ pixels }) => pixels),
        instruction,
        past,
      ),
    );
  }
  return turns;
}

describe('an exported policy', () => {
  it('decides without gyre what the engine decides, from operators of ONNX alone', async () => {
    const { to } = whole;
    const turns = await decided();
    expect(await decidedByStranger(to)).toEqual(turns);
    expect(turns).toEqual(lessons.map(({ action }) => action));
    for (const name of ['encode', 'prefill', 'step']) {
      expect((await readFile(join(to, `${name}.onnx`))).includes('com.microsoft')).toBe(false);
    }
  });

  it('decides the same when it is quantised as the engine is', async () => {
    const [eight, four] = [
      await exported('eight', { precision: 'w8a8' }),
      await exported('four', { precision: 'w4a8' }),
    ];
    expect(await decidedByStranger(eight.to)).toEqual(await decided('w8a8'));
    expect(await decidedByStranger(four.to)).toEqual(await decided('w4a8'));
    expect((await readFile(join(eight.to, 'encode.onnx'))).includes('com.microsoft')).toBe(false);
    expect(eight.files['encode.onnx']).toBeLessThan(0.6 * whole.files['encode.onnx']!);
    expect(four.files['step.onnx']).toBeLessThan(eight.files['step.onnx']!);
  });

  it.each(['F16', 'BF16'] as const)('takes half the room in %s, and decides the same', async (half) => {
    const { to, files } = await exported(half, { half });
    expect(files['step.onnx']).toBeLessThan(0.6 * whole.files['step.onnx']!);
    expect(await decidedByStranger(to)).toEqual(await decided());
  });

  it('has a grammar that allows what the vocabulary allows', () => {
    const about = JSON.parse(JSON.stringify(describeExport(screen))) as {
      grammar: { classes: Record<string, [number, number][]> };
    };
    for (let walk = 0; walk < 300; walk++) {
      const turn: number[] = [];
      for (let next = vocabulary.next(turn); next !== undefined && turn.length < 40; next = vocabulary.next(turn)) {
        expect(stranger.following(about, turn)).toBe(next);
        const ranges = about.grammar.classes[next]!;
        expect(ranges).toEqual(vocabulary.ranges(next).map(({ first, last }) => [first, last]));
        const closes = vocabulary.allows(next, vocabulary.end) && random.int(4) === 0;
        const [first, last] = ranges[random.int(ranges.length)]!;
        turn.push(closes ? vocabulary.end : first + random.int(last - first + 1));
      }
      if (turn.length < 40) expect(stranger.following(about, turn)).toBe(undefined);
    }
  });

  it('is refused to a critic, to more screenshots than it takes, and where nothing can be written', async () => {
    const policy = await loadPolicyCheckpoint(checkpoint);
    const critic = { ...policy, architecture: { ...architecture, role: 'critic' as const } };
    await expect(exportPolicy(directory, critic, { screen })).rejects.toMatchObject({
      detail: { field: 'checkpoint' },
    });
    await expect(exportPolicy(directory, policy, { screen, screenshots: 3 })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'screenshots', fix: 'use 2 or fewer' },
    });
    const file = join(directory, 'a file');
    await writeFile(file, '');
    await expect(exportPolicy(file, policy, { screen })).rejects.toMatchObject({ code: 'storage' });
  });
});
