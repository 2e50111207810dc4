import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCheckpoint, saveCheckpoint } from '../checkpoint/checkpoint.js';
import { Random } from '../random.js';
import type { Architecture } from './architecture.js';
import { type ContextToken, contextTokens } from './context.js';
import type { NativeDatum, NativeSampleRequest, Screenshot } from './nativeEngine.js';
import { glyphLabels } from './glyphs.js';
import { EmbeddedEngine } from './embeddedEngine.js';
import { EngineThread } from './engineThread.js';
import { vocabularyOf } from './vocabulary.js';

const tiny: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 1,
  decoderLayers: 2,
  stem: 8,
  role: 'policy',
};

const size = { width: 32, height: 32 };
const vocabulary = vocabularyOf(size);
const random = new Random(3);
const shots: Screenshot[] = Array.from({ length: 6 }, (_, i) => ({
  hash: `shot ${i}`,
  pixels: Uint8Array.from({ length: 32 * 32 * 3 }, () => random.int(256)),
  size,
}));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-native-'));
});
afterAll(() => rm(dir, { recursive: true }));

function engineOf(overrides: Partial<Architecture> = {}, threads = 1): EmbeddedEngine {
  return new EmbeddedEngine({ architecture: { ...tiny, ...overrides }, seed: 7, threads });
}

function requests(count: number, text = 'type "abc"') {
  const tokens = contextTokens(vocabulary, text, [{ actions: [{ type: 'hotkey', keys: 'enter' }] }]);
  return Array.from({ length: count }, (_, i) => ({
    input: { screenshots: [shots[i % shots.length]!], tokens },
    temperature: 1,
    seed: i,
  }));
}

function demonstrations(): NativeDatum[] {
  const tokens = contextTokens(vocabulary, 'press "save"', []);
  const long = contextTokens(vocabulary, 'tick "abcdefg", choose "hijklmn" and type "opqrstu"', []);
  const glyphs = glyphLabels(vocabulary.grid, [
    { char: 'a', box: { x: 4, y: 2, width: 8, height: 14 }, word: 'ab', index: 0 },
  ]);
  return shots.map((shot, i) => ({
    screenshots: [shot],
    sequences: [
      {
        tokens: i % 2 ? long : tokens,
        action: vocabulary.encode(i % 3 ? { type: 'click', point: { x: 0.3, y: 0.8 } } : { type: 'type', text: 'hi' }),
      },
    ],
    glyphs,
  }));
}

async function learn(engine: EmbeddedEngine | EngineThread, data: NativeDatum[], steps: number): Promise<number[]> {
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const { loss } = await engine.forwardBackward({ data, loss: { name: 'cross_entropy', glyphWeight: 1 } });
    await engine.optimStep({ learningRate: 1e-2 });
    losses.push(loss);
  }
  return losses;
}

describe('the native policy', () => {
  it('samples whole actions whose log-probabilities are those that training computes', async () => {
    const engine = engineOf();
    const batch = requests(5);
    const sampled = await engine.sample(batch);
    const data: NativeDatum[] = sampled.map(({ tokens }, i) => ({
      screenshots: batch[i]?.input.screenshots ?? [],
      sequences: [{ tokens: batch[i]?.input.tokens ?? [], action: tokens }],
    }));
    const { logprobs } = await engine.forward(data);
    for (const [i, { tokens, logprobs: sampledLogprobs }] of sampled.entries()) {
      expect(vocabulary.next(tokens) === undefined || tokens.length === 64).toBe(true);
      for (const [t, logprob] of sampledLogprobs.entries()) expect(logprobs[i]?.[0]?.[t]).toBeCloseTo(logprob, 4);
    }
    await engine.close();
  });

  it('gives a request the same sample whatever company it has, and whenever that comes', async () => {
    const engine = engineOf();
    const batch = requests(9);
    const together = await engine.sample(batch);
    const random = new Random(5);
    const apart = batch.map(async (request) => {
      for (let wait = random.int(12); wait > 0; wait--) await new Promise(setImmediate);
      return (await engine.sample([request]))[0];
    });
    for (const [i, request] of batch.entries()) {
      const [alone] = await engine.sample([request]);
      expect(alone?.tokens).toEqual(together[i]?.tokens);
      expect((await apart[i])?.tokens).toEqual(together[i]?.tokens);
    }
    await engine.close();
  });

  it('finishes what is under way with the weights that it began with', async () => {
    const [engine, reference] = [engineOf(), engineOf()];
    const batch = requests(3);
    const before = await reference.sample(batch);
    const underWay = engine.sample(batch);
    const gradient = engine.forwardBackward({ data: demonstrations(), loss: { name: 'cross_entropy' } });
    const step = engine.optimStep({ learningRate: 0.1 });
    const later = engine.sample(batch);
    expect(await underWay).toEqual(before);
    expect([(await gradient).loss > 0, (await step).policyVersion]).toEqual([true, 1]);
    expect((await later).map(({ policyVersion }) => policyVersion)).toEqual([1, 1, 1]);
    expect((await later).map(({ tokens }) => tokens)).not.toEqual(before.map(({ tokens }) => tokens));
    await Promise.all([engine, reference].map((each) => each.close()));
  });

  it('tells only who asked of a request that does not fit', async () => {
    const engine = engineOf();
    const [good, bad] = requests(2).map((request): NativeSampleRequest => request);
    if (!good || !bad) throw new Error('no requests');
    const input = { ...bad.input, screenshots: [{ hash: 'cut', pixels: new Uint8Array(3), size }] };
    const answers = await Promise.allSettled([engine.sample([good]), engine.sample([{ ...bad, input }])]);
    expect(answers).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'bad_input' } }]);
    await engine.close();
  });

  it('learns what it is shown, by pixels and by kept features alike', async () => {
    const engine = engineOf();
    const data = demonstrations();
    const losses = await learn(engine, data, 60);
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 4);
    const pixels = await engine.forwardBackward({ data, loss: { name: 'cross_entropy' } });
    const features = await engine.forwardBackward({ data, loss: { name: 'cross_entropy' }, freezeEncoder: true });
    expect(features.loss).toBeCloseTo(pixels.loss, 5);
    await engine.close();
  });

  it('raises the probability of what had a positive advantage and lowers that of what had a negative one', async () => {
    const engine = engineOf();
    const tokens = contextTokens(vocabulary, 'press "save"', []);
    const actions = [
      { x: 0.2, y: 0.2 },
      { x: 0.8, y: 0.8 },
    ].map((point) => vocabulary.encode({ type: 'click', point }));
    const bare = actions.map((action): NativeDatum => ({
      screenshots: [shots[0]!],
      sequences: [{ tokens, action }],
    }));
    const before = await engine.forward(bare);
    const data = bare.map(({ screenshots, sequences }, i): NativeDatum => {
      const logprobs = before.logprobs[i]?.[0] ?? [];
      const [sequence] = sequences;
      if (!sequence) throw new Error('no sequence');
      return {
        screenshots,
        sequences: [{ ...sequence, logprobs, advantages: logprobs.map(() => (i === 0 ? 1 : -1)) }],
      };
    });
    for (let step = 0; step < 3; step++) {
      await engine.forwardBackward({ data, loss: { name: 'ppo', clipLow: 0.2, clipHigh: 0.28 }, freezeEncoder: true });
      await engine.optimStep({ learningRate: 1e-3, part: 'decoder' });
    }
    const after = await engine.forward(bare);
    const change = (i: number): number => (after.logprobs[i]?.[0]?.[1] ?? 0) - (before.logprobs[i]?.[0]?.[1] ?? 0);
    expect(change(0)).toBeGreaterThan(0);
    expect(change(1)).toBeLessThan(0);
    await engine.close();
  });

  it('takes the worse of ratio and clipped ratio, and bounds what should become less likely where asked', async () => {
    const engine = engineOf();
    const tokens = contextTokens(vocabulary, 'press "save"', []);
    const action = vocabulary.encode({ type: 'click', point: { x: 0.2, y: 0.2 } });
    const cases = [0.5, 1.1, 2, 20].flatMap((ratio) => [3, -3].map((advantage) => ({ ratio, advantage })));
    const bare = cases.map((): NativeDatum => ({ screenshots: [shots[0]!], sequences: [{ tokens, action }] }));
    const now = (await engine.forward(bare)).logprobs;
    const data = bare.map(({ screenshots, sequences: [sequence] }, i): NativeDatum => {
      const logprobs = now[i]![0]!.map((logprob) => logprob - Math.log(cases[i]!.ratio));
      return {
        screenshots,
        sequences: [{ ...sequence!, logprobs, advantages: action.map(() => cases[i]!.advantage) }],
      };
    });
    const lossOf = async (dualClip?: number) => {
      const loss = { name: 'ppo', clipLow: 0.2, clipHigh: 0.28, ...(dualClip && { dualClip }) } as const;
      return (await engine.forwardBackward({ data, loss, freezeEncoder: true })).loss;
    };
    // By hand: .5 and -.8, 1.1 and -1.1, 1.28 and -2, 1.28 and -20, times 3; with dual clip the last is -3.
    const gained = [0.5 - 0.8, 1.1 - 1.1, 1.28 - 2];
    const mean = (last: number) => -(3 * [...gained, 1.28 - last].reduce((sum, one) => sum + one, 0)) / 8;
    expect(await lossOf()).toBeCloseTo(mean(20), 3);
    expect(await lossOf(3)).toBeCloseTo(mean(3), 3);
    await engine.close();
  });

  it('weighs one loss against another of the same step', async () => {
    const engine = engineOf();
    const data = demonstrations();
    const by = async (...weights: (number | undefined)[]): Promise<[number, number[]]> => {
      let sum = 0;
      for (const weight of weights) {
        const loss = { name: 'cross_entropy', glyphWeight: 1, ...(weight !== undefined && { weight }) } as const;
        sum += (await engine.forwardBackward({ data, loss })).loss;
      }
      const { gradientNorm } = await engine.optimStep({ learningRate: 0 });
      return [sum, [gradientNorm]];
    };
    const [whole, [norm = NaN]] = await by(undefined);
    const [tenth, [small = NaN]] = await by(0.1);
    expect([tenth / whole, small / norm]).toEqual([expect.closeTo(0.1, 5), expect.closeTo(0.1, 4)]);
    const [again, [together = NaN]] = await by(0.25, 0.75);
    expect([again / whole, together / norm]).toEqual([expect.closeTo(1, 5), expect.closeTo(1, 4)]);
    await engine.close();
  });

  it('clips values around those before the update, and takes the worse of the two', async () => {
    const critic = engineOf({ role: 'critic' });
    const tokens = contextTokens(vocabulary, 'press "save"', []);
    const bare = shots.map((shot): NativeDatum => ({ screenshots: [shot], sequences: [{ tokens, action: [] }] }));
    const values = (await critic.forward(bare)).values.map(([value = NaN]) => value);
    const old = values.map((value, i) => value + [-1, 0.1, 1][i % 3]!);
    const returns = values.map((value, i) => value + [-2, 2][i % 2]!);
    const data = bare.map(({ screenshots, sequences }, i): NativeDatum => {
      const [sequence] = sequences;
      return { screenshots, sequences: [{ ...sequence!, return: returns[i]!, value: old[i]! }] };
    });
    const clipped = (value: number, i: number) => Math.min(Math.max(value, old[i]! - 0.2), old[i]! + 0.2);
    const worse = values.map((value, i) =>
      Math.max((value - returns[i]!) ** 2, (clipped(value, i) - returns[i]!) ** 2),
    );
    const { loss } = await critic.forwardBackward({ data, loss: { name: 'ppo_critic', valueClip: 0.2 } });
    expect(loss).toBeCloseTo(worse.reduce((sum, error) => sum + error, 0) / (2 * values.length), 5);
    await critic.close();
  });

  it('begins a command only where that is allowed', async () => {
    const engine = engineOf();
    const heads = async (commands: boolean) => {
      const tokens = contextTokens(vocabulary, 'press', [], { commands });
      const input = { screenshots: [shots[0]!], tokens };
      const requests = Array.from({ length: 400 }, (_, seed) => ({ input, temperature: 3, seed }));
      return (await engine.sample(requests)).map(({ tokens: [head, ...rest] }) => {
        return head === vocabulary.think ? rest[rest.indexOf(vocabulary.end) + 1] : head;
      });
    };
    expect(await heads(false)).not.toContain(vocabulary.start);
    expect(await heads(true)).toContain(vocabulary.start);
    await engine.close();
  });

  it('does not move a frozen encoder at all', async () => {
    const engine = engineOf();
    const view = engine.parameters.view('image.stem.patch.w');
    const before = view.slice();
    const data = demonstrations();
    await engine.forwardBackward({ data, loss: { name: 'cross_entropy' }, freezeEncoder: true });
    await engine.optimStep({ learningRate: 1e-2, part: 'decoder' });
    expect(view).toEqual(before);
    await engine.close();
  });

  it('takes several screenshots, the newest of which is pointed at', async () => {
    const engine = engineOf({ screenshots: 2 });
    const tokens = contextTokens(vocabulary, 'press "save"', []);
    const batch = [shots.slice(0, 1), shots.slice(0, 2)].map((screenshots) => ({
      input: { screenshots, tokens },
      temperature: 0,
      seed: 1,
    }));
    const [first, second] = await engine.sample(batch);
    expect(first?.logprobs).not.toEqual(second?.logprobs);
    await engine.close();
  });

  it('sees screens of any size with the same weights, in one request', async () => {
    const engine = engineOf();
    const sizes = [
      { width: 32, height: 32 },
      { width: 201, height: 33 },
      { width: 48, height: 224 },
    ];
    const data = sizes.map((screen, i): NativeDatum => {
      const vocabularyOfSize = vocabularyOf(screen);
      const random = new Random(i);
      const pixels = Uint8Array.from({ length: screen.width * screen.height * 3 }, () => random.int(256));
      return {
        screenshots: [{ hash: `size ${i}`, pixels, size: screen }],
        sequences: [
          {
            tokens: contextTokens(vocabularyOfSize, 'press "save"', []),
            action: vocabularyOfSize.encode({ type: 'click', point: { x: 0.99, y: 0.99 } }),
          },
        ],
        glyphs: glyphLabels(vocabularyOfSize.grid, []),
      };
    });
    const losses = await learn(engine, data, 40);
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 3);
    const sampled = await engine.sample(
      data.map(({ screenshots, sequences }) => ({
        input: { screenshots, tokens: sequences[0]?.tokens ?? [] },
        temperature: 0,
        seed: 1,
      })),
    );
    for (const [i, { tokens }] of sampled.entries()) expect(tokens).toEqual(data[i]?.sequences[0]?.action);
    await engine.close();
  });

  it('refuses screenshots of several sizes in one decision', async () => {
    const engine = engineOf({ screenshots: 2 });
    const smaller = { hash: 'other', pixels: new Uint8Array(48 * 32 * 3), size: { width: 48, height: 32 } };
    const input = { screenshots: [shots[0]!, smaller], tokens: contextTokens(vocabulary, 'press', []) };
    await expect(engine.sample([{ input, temperature: 1, seed: 1 }])).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'screenshots' },
    });
    await engine.close();
  });

  it('writes as long a text as there is room for, closes it, and serves others meanwhile', async () => {
    const engine = engineOf();
    const thought = 'the button "save" is under the red circle';
    const tokens = contextTokens(vocabulary, 'press "save"', []);
    const action = vocabulary.encode({ type: 'type', text: 'a longer text than the first room' }, thought);
    expect(action.length).toBeGreaterThan(40);
    const data: NativeDatum[] = [{ screenshots: [shots[0]!], sequences: [{ tokens, action }] }];
    const press = contextTokens(vocabulary, 'type "a"', []);
    const key = vocabulary.encode({ type: 'hotkey', keys: 'enter' });
    const brief: NativeDatum = { screenshots: [shots[1]!], sequences: [{ tokens: press, action: key }] };
    await learn(engine, [...data, brief], 120);
    const ask = async (shot: number, tokens: ContextToken[]) => {
      const input = { screenshots: [shots[shot]!], tokens };
      const [sampled] = await engine.sample([{ input, temperature: 0, seed: 1 }]);
      return sampled;
    };
    const over: string[] = [];
    const long = ask(0, tokens).finally(() => over.push('long'));
    await new Promise(setImmediate);
    expect((await ask(1, press).finally(() => over.push('brief')))?.tokens).toEqual(key);
    const sampled = await long;
    expect(over).toEqual(['brief', 'long']);
    expect(sampled?.tokens).toEqual(action);
    const { logprobs } = await engine.forward(data);
    for (const [t, logprob] of (sampled?.logprobs ?? []).entries())
      expect(logprobs[0]?.[0]?.[t]).toBeCloseTo(logprob, 3);
    await engine.close();
  });

  it('is resumed from a checkpoint bit for bit', async () => {
    const [unbroken, first, second] = [engineOf(), engineOf(), engineOf()];
    const data = demonstrations();
    await learn(unbroken, data, 6);
    await learn(first, data, 3);
    const path = join(dir, 'resume.safetensors');
    await first.save(path);
    await second.load(path);
    expect(second.policyVersion).toBe(3);
    await learn(second, data, 3);
    expect(second.parameters.data).toEqual(unbroken.parameters.data);
    await Promise.all([unbroken, first, second].map((engine) => engine.close()));
  });

  it('resumes Muon bit for bit, and refuses moments of another optimiser', async () => {
    const muon = () => new EmbeddedEngine({ architecture: tiny, seed: 7, threads: 1, optimiser: 'muon' });
    const [unbroken, first, second, adamw] = [muon(), muon(), muon(), engineOf()];
    const data = demonstrations();
    await learn(unbroken, data, 4);
    await learn(first, data, 2);
    const path = join(dir, 'muon.safetensors');
    await first.save(path);
    await second.load(path);
    await learn(second, data, 2);
    expect(second.parameters.data).toEqual(unbroken.parameters.data);
    const refusal = { code: 'bad_input', detail: { field: 'optimiser' } };
    await expect(adamw.load(path, { optimiser: true })).rejects.toMatchObject(refusal);
    await adamw.load(path);
    expect(adamw.parameters.data).toEqual(first.parameters.data);
    await adamw.save(path);
    await expect(second.load(path, { optimiser: true })).rejects.toMatchObject(refusal);
    const unknown = { architecture: tiny, seed: 1, optimiser: 'sgd' as 'muon' };
    expect(() => new EmbeddedEngine(unknown)).toThrow('unknown optimiser sgd');
    await Promise.all([unbroken, first, second, adamw].map((engine) => engine.close()));
  });

  it('saves the average of the weights, and resumes from the last ones bit for bit', async () => {
    const averaging = () =>
      new EmbeddedEngine({ architecture: tiny, seed: 7, threads: 1, optimiser: 'muon', average: true });
    const [unbroken, first, second, player] = [averaging(), averaging(), averaging(), engineOf()];
    const data = demonstrations();
    await learn(unbroken, data, 6);
    await learn(first, data, 3);
    const path = join(dir, 'average.safetensors');
    await first.save(path);
    await second.load(path);
    await learn(second, data, 3);
    expect(second.parameters.data).toEqual(unbroken.parameters.data);
    const savedBy = async (engine: EmbeddedEngine): Promise<Float32Array> => {
      await engine.save(path);
      await player.load(path);
      return player.parameters.data.slice();
    };
    const average = await savedBy(unbroken);
    expect(await savedBy(second)).toEqual(average);
    expect(average).not.toEqual(unbroken.parameters.data);
    // A checkpoint without an average gets one.
    const plain = join(dir, 'plain.safetensors');
    const muon = new EmbeddedEngine({ architecture: tiny, seed: 7, threads: 1, optimiser: 'muon' });
    await learn(muon, data, 1);
    await muon.save(plain);
    await second.load(plain);
    expect(second.parameters.data).toEqual(muon.parameters.data);
    await Promise.all([unbroken, first, second, player, muon].map((engine) => engine.close()));
  });

  it('computes the same numbers again, here, with two threads, and in a thread of its own', async () => {
    const [first, again, two] = [engineOf(), engineOf(), engineOf({}, 2)];
    const apart = await EngineThread.start({ architecture: tiny, seed: 7, threads: 1 });
    const data = demonstrations();
    const losses = await learn(first, data, 4);
    expect(await learn(again, data, 4)).toEqual(losses);
    expect(await learn(apart, data, 4)).toEqual(losses);
    expect(again.parameters.data).toEqual(first.parameters.data);
    expect(await learn(two, data, 4)).toEqual(losses);
    expect(two.parameters.data).toEqual(first.parameters.data);
    await Promise.all([first, again, two, apart].map((engine) => engine.close()));
  });

  it('gives a critic the weights of a policy, and learns values', async () => {
    const policy = engineOf();
    const path = join(dir, 'policy.safetensors');
    await policy.save(path);
    const critic = engineOf({ role: 'critic' });
    await critic.load(path);
    expect(critic.parameters.view('decoder.1.q.w')).toEqual(policy.parameters.view('decoder.1.q.w'));
    const tokens = contextTokens(vocabulary, 'press "save"', []);
    const data = shots.map((shot, i): NativeDatum => ({
      screenshots: [shot],
      sequences: [{ tokens, action: [], clock: i, return: i / 5 }],
    }));
    let loss = Infinity;
    for (let step = 0; step < 60; step++) {
      ({ loss } = await critic.forwardBackward({ data, loss: { name: 'ppo_critic', valueClip: 1e9 } }));
      await critic.optimStep({ learningRate: 3e-3 });
    }
    expect(loss).toBeLessThan(0.02);
    await Promise.all([policy, critic].map((engine) => engine.close()));
  });

  it('refuses a checkpoint that is cut off or of another shape, and keeps its weights', async () => {
    const engine = engineOf();
    const path = join(dir, 'whole.safetensors');
    await engine.save(path);
    const before = engine.parameters.data.slice();
    const bytes = await readFile(path);
    await writeFile(join(dir, 'cut.safetensors'), bytes.subarray(0, bytes.length - 10));
    await expect(engine.load(join(dir, 'cut.safetensors'))).rejects.toMatchObject({ code: 'corrupt' });
    const incompatible = engineOf({ width: 32 });
    await expect(incompatible.load(path)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'checkpoint' } });
    expect(engine.parameters.data).toEqual(before);
    await Promise.all([engine, incompatible].map((each) => each.close()));
  });

  it('samples the same with frozen and trainable weights, also after loading', async () => {
    const [plain, frozen] = [
      engineOf(),
      new EmbeddedEngine({ architecture: tiny, seed: 1, threads: 1, frozen: 'f32' }),
    ];
    await learn(plain, demonstrations(), 20);
    const path = join(dir, 'frozen.safetensors');
    await plain.save(path);
    const tokensOf = async (engine: EmbeddedEngine) => (await engine.sample(requests(3))).map(({ tokens }) => tokens);
    const before = await tokensOf(frozen);
    await frozen.load(path);
    expect(await tokensOf(frozen)).toEqual(await tokensOf(plain));
    expect(await tokensOf(frozen)).not.toEqual(before);
    await Promise.all([plain, frozen].map((engine) => engine.close()));
  });

  it('refuses to learn with frozen weights, and a precision that there is not', async () => {
    const engine = await EngineThread.start({ architecture: tiny, seed: 1, threads: 1, frozen: 'w8a8' });
    const refusal = { code: 'bad_input', detail: { field: 'frozen' } };
    const learning = engine.forwardBackward({ data: demonstrations(), loss: { name: 'cross_entropy' } });
    await expect(learning).rejects.toMatchObject(refusal);
    await expect(engine.optimStep({ learningRate: 1 })).rejects.toMatchObject(refusal);
    await engine.close();
    const unknownPrecision = { architecture: tiny, seed: 1, frozen: 'w2a8' as 'w8a8' };
    expect(() => new EmbeddedEngine(unknownPrecision)).toThrow('unknown precision w2a8');
    const elsewhere = { architecture: tiny, seed: 1, frozen: 'w8a8', backend: 'webgpu' } as const;
    expect(() => new EmbeddedEngine(elsewhere)).toThrow('the backend webgpu does not support weights frozen as w8a8');
  });

  it('takes the weights alone of a checkpoint without moments', async () => {
    const [from, to] = [engineOf(), new EmbeddedEngine({ architecture: tiny, seed: 8, threads: 1 })];
    const path = join(dir, 'bare.safetensors');
    await from.save(path);
    const { tensors, metadata } = await loadCheckpoint(path);
    const bare = Object.fromEntries(Object.entries(tensors).filter(([name]) => !name.startsWith('adam.')));
    await saveCheckpoint(path, { tensors: bare, metadata });
    await to.load(path);
    expect(to.parameters.data).toEqual(from.parameters.data);
    await Promise.all([from, to].map((engine) => engine.close()));
  });

  it('refuses a screenshot of another size and a loss that is not its own', async () => {
    const engine = engineOf();
    const input = {
      screenshots: [{ hash: 'x', pixels: new Uint8Array(12), size }],
      tokens: contextTokens(vocabulary, 'press', []),
    };
    await expect(engine.sample([{ input, temperature: 1, seed: 1 }])).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'screenshots' },
    });
    const data = demonstrations();
    await expect(engine.forwardBackward({ data, loss: { name: 'ppo_critic', valueClip: 1 } })).rejects.toMatchObject({
      code: 'bad_input',
    });
    await engine.close();
  });
});
