import { afterEach, describe, expect, it } from 'vitest';
import type { Datum, Picture } from '../engine.js';
import { Random } from '../random.js';
import type { Architecture } from './architecture.js';
import { contextTokens } from './context.js';
import { contextId, contextTokenOf } from './contextId.js';
import { EmbeddedEngine } from './embeddedEngine.js';
import { gridOf } from './grid.js';
import { nativePieces, readPieces } from './nativePieces.js';
import { NativeTokenEngine } from './nativeTokenEngine.js';
import { textSize, vocabularyOf } from './vocabulary.js';

const tiny: Architecture = {
  ...{ screenshots: 2, width: 16, heads: 2, imageLayers: 1, decoderLayers: 1, stem: 8 },
  role: 'policy',
};
const size = { width: 32, height: 32 };
const { cells } = gridOf(size);
const vocabulary = vocabularyOf(size);
const random = new Random(3);
const pictures = Array.from({ length: 2 }, (_, i): Picture => {
  const png = Uint8Array.from({ length: 32 * 32 * 3 }, () => random.int(256));
  return { hash: `picture ${i}`, png, size };
});
const past = [{ actions: [{ type: 'execute_bash' as const, command: 'ls' }], answer: 'a b' }];
const tokens = contextTokens(vocabulary, 'type "ab" and "c", <point>10 900</point>, 12', past, { commands: true });
const prompt = nativePieces({ pictures, tokens, clock: 3 });
const action = vocabulary.encode({ type: 'click', point: { x: 0.3, y: 0.8 } });
const input = [...prompt, { tokens: action }];
const before = 2 * cells + tokens.length;
const listOf = (...values: number[]) => [...new Array<number>(before).fill(0), ...values];

let native: EmbeddedEngine;
function engineOf(thinks?: boolean): NativeTokenEngine {
  native = new EmbeddedEngine({ architecture: tiny, seed: 7, threads: 1 });
  return new NativeTokenEngine({ engine: native, pixels: ({ png }) => Promise.resolve(png), thinks });
}

const screenshots = pictures.map(({ hash, png }) => ({ hash, pixels: png, size }));
const sequence = { tokens, action, clock: 3 };

describe('pieces', () => {
  it('hold every slot, role and age of a context, and the clock', () => {
    const read = readPieces(input);
    expect(read).toMatchObject({ pictures, tokens, clock: 3, action, length: before + 1 + action.length });
    expect(read.commands).toBe(true);
  });

  it('give a token without slot, role and age its own id, and different tokens different ids', () => {
    expect(contextId({ token: 1234, slot: 0, role: 0, age: 0 })).toBe(1234);
    const largestPlain = { token: 131_072 + textSize - 1, slot: 0, role: 0, age: 6 };
    const largestSpelt = { token: textSize - 1, slot: 39, role: textSize - 1, age: 6 };
    for (const largest of [largestPlain, largestSpelt, { ...largestSpelt, token: 0, slot: 1, role: 0, age: 0 }]) {
      expect(contextTokenOf(contextId(largest))).toEqual(largest);
      expect(contextId(largest)).toBeLessThan(2 ** 31);
    }
  });
});

describe('a native engine by tokens and pictures', () => {
  afterEach(() => native.close());

  it('samples what the native engine samples', async () => {
    const engine = engineOf();
    const seeds = [1, 2, 3, 4, 5];
    const requests = seeds.map((seed) => ({ input: prompt, maxTokens: 1000, temperature: 1, seed }));
    const sampled = await engine.sample(requests);
    const expected = await native.sample(
      seeds.map((seed) => ({ input: { screenshots, tokens, clock: 3 }, temperature: 1, seed })),
    );
    expect(sampled).toEqual(expected.map((one) => ({ ...one, end: 'stop' })));
    const cut = await engine.sample(requests.map((request) => ({ ...request, maxTokens: 1 })));
    expect(cut.map((one) => one.tokens)).toEqual(expected.map((one) => one.tokens.slice(0, 1)));
    for (const [i, { end }] of cut.entries()) expect(end).toBe(expected[i]!.tokens.length > 1 ? 'length' : 'stop');
    const first = expected[0]!.tokens[0]!;
    const [stopped] = await engine.sample([{ ...requests[0]!, stop: [first] }]);
    expect(stopped).toMatchObject({ tokens: [first], end: 'stop' });
  });

  it('samples nothing after a whole action', async () => {
    const engine = engineOf();
    const request = { maxTokens: 9, temperature: 1, seed: 1 };
    const nothing = { tokens: [], logprobs: [], end: 'stop', policyVersion: 0 };
    const [open] = await engine.sample([{ ...request, input: prompt }]);
    const inputs = [input, prompt, input];
    expect(await engine.sample(inputs.map((each) => ({ ...request, input: each })))).toEqual([nothing, open, nothing]);
    expect(await engine.sample([{ ...request, input }])).toEqual([nothing]);
  });

  it('thinks where it has to', async () => {
    const engine = engineOf(true);
    const [sampled] = await engine.sample([{ input: prompt, maxTokens: 1000, temperature: 1, seed: 1 }]);
    expect(sampled?.tokens[0]).toBe(vocabulary.think);
  });

  it('gives the log-probabilities of the action in their places', async () => {
    const engine = engineOf();
    const { logprobs, policyVersion } = await engine.forward([{ input, weights: listOf(1, 1, 1) }]);
    const expected = await native.forward([{ screenshots, sequences: [sequence] }]);
    expect(logprobs).toEqual([listOf(...expected.logprobs[0]![0]!)]);
    expect(policyVersion).toBe(0);
  });

  it('sums losses and gradients, of which the native engine takes means', async () => {
    const engine = engineOf();
    const data: Datum[] = [
      { input, weights: listOf(1, 1, 1) },
      { input, weights: listOf(0.5, 0, 2) },
    ];
    const { logprobs, metrics } = await engine.forwardBackward(data, { name: 'cross_entropy' });
    const { gradientNorm } = await engine.optimStep({ learningRate: 0 });
    const mean = await native.forwardBackward({
      data: [{ screenshots, sequences: [sequence, { ...sequence, weights: [0.5, 0, 2] }] }],
      loss: { name: 'cross_entropy' },
    });
    const ofMean = await native.optimStep({ learningRate: 0 });
    const [a = 0, b = 0, c = 0] = logprobs[0]!.slice(before);
    expect(metrics['total_loss:sum']).toBeCloseTo(-(1.5 * a + b + 3 * c), 4);
    expect(metrics['total_loss:sum']! / mean.loss).toBeCloseTo(5.5, 4);
    expect(gradientNorm / ofMean.gradientNorm).toBeCloseTo(5.5, 3);
  });

  it('has the losses of the Tinker API', async () => {
    const engine = engineOf();
    const now = (await engine.forward([{ input, weights: listOf(1, 1, 1) }])).logprobs[0]!;
    const logprobs = now.map((logprob, i) => (i < before ? 0 : logprob - Math.log(2)));
    const data = [{ input, weights: listOf(1, 1, 1), logprobs, advantages: listOf(3, -3, 0) }];
    const lossOf = async (loss: Parameters<typeof engine.forwardBackward>[1]) =>
      (await engine.forwardBackward(data, loss)).metrics['total_loss:sum'];
    expect(await lossOf({ name: 'importance_sampling' })).toBeCloseTo(0, 4);
    expect(await lossOf({ name: 'ppo', clipLow: 0.2, clipHigh: 0.28 })).toBeCloseTo(-3 * 1.28 + 3 * 2, 4);
    await expect(engine.forwardBackward(data, { name: 'cispo', clipLow: 0.2, clipHigh: 0.28 })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'loss' },
    });
  });

  it('publishes the version that it samples from', async () => {
    const engine = engineOf();
    await engine.forwardBackward([{ input, weights: listOf(1, 1, 1) }], { name: 'cross_entropy' });
    await engine.optimStep({ learningRate: 1e-3 });
    expect(await engine.publish()).toEqual({ policyVersion: 1 });
    const [sampled] = await engine.sample([{ input: prompt, maxTokens: 9, temperature: 0, seed: 1 }]);
    expect(sampled?.policyVersion).toBe(1);
  });

  it('refuses what does not fit', async () => {
    const engine = engineOf();
    const sample = (pieces: typeof input) => engine.sample([{ input: pieces, maxTokens: 9, temperature: 1, seed: 1 }]);
    const bad = (field: string) => ({ code: 'bad_input', detail: { field } });
    await expect(sample([...prompt, { tokens: action.slice(0, 1) }])).rejects.toMatchObject(bad('input'));
    await expect(sample(prompt.slice(0, 2))).rejects.toMatchObject(bad('input'));
    await expect(sample(prompt.slice(2))).rejects.toMatchObject(bad('input'));
    await expect(sample(prompt.toReversed())).rejects.toMatchObject(bad('input'));
    for (const token of [-1, 0.5, 200_000, 2 ** 31 - 1])
      await expect(sample([...prompt.slice(0, 2), { tokens: [token] }, ...prompt.slice(2)])).rejects.toMatchObject(
        bad('input'),
      );
    await expect(sample([{ picture: pictures[0]!, length: 7 }, ...prompt.slice(2)])).rejects.toMatchObject(
      bad('input'),
    );
    const forward = (weights: number[]) => engine.forward([{ input, weights }]);
    await expect(forward([1, 1, 1])).rejects.toMatchObject(bad('weights'));
    await expect(forward(listOf(1, 1, 1).fill(1))).rejects.toMatchObject(bad('weights'));
    const aborted = AbortSignal.abort(new Error('over'));
    const request = { input: prompt, maxTokens: 9, temperature: 1, seed: 1, signal: aborted };
    await expect(engine.sample([request])).rejects.toThrow('over');
  });
});
