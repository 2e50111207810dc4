import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Datum, Engine, Loss, Picture } from '../engine.js';
import type { Architecture } from '../nano/architecture.js';
import { contextTokens } from '../nano/context.js';
import { EmbeddedEngine } from '../nano/embeddedEngine.js';
import { nativePieces } from '../nano/nativePieces.js';
import { NativeTokenEngine } from '../nano/nativeTokenEngine.js';
import { vocabularyHash, vocabularyOf } from '../nano/vocabulary.js';
import { Random } from '../random.js';
import { BigramEngine } from './bigramEngine.test.fixture.js';
import { TinkerClient } from './client.js';
import type { PublishedWeights } from './sampler.js';
import { serveTinker, type TinkerServer } from './server/serveTinker.js';
import { TinkerEngine, type TinkerEngineOptions } from './tinkerEngine.js';

const tiny: Architecture = {
  ...{ screenshots: 1, width: 16, heads: 2, imageLayers: 1, decoderLayers: 1, stem: 8 },
  role: 'policy',
};
const size = { width: 32, height: 32 };
const vocabulary = vocabularyOf(size);
const baseModel = 'nano';

async function pictureOf(seed: number): Promise<Picture> {
  const random = new Random(seed);
  const pixels = Uint8Array.from({ length: size.width * size.height * 3 }, () => random.int(256));
  const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
  return { hash: `picture ${seed}`, png, size };
}

const pixels = async ({ png }: Picture) => new Uint8Array(await sharp(png).removeAlpha().raw().toBuffer());

const native = () =>
  new NativeTokenEngine({ engine: new EmbeddedEngine({ architecture: tiny, seed: 7, threads: 1 }), pixels });

describe('a native policy behind the protocol', () => {
  let [direct, remote]: [Engine, Engine] = [undefined as never, undefined as never];
  let served: Engine;
  let server: TinkerServer;
  let directory: string;
  let data: Datum[];
  let prompts: Datum['input'][];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gyre-tinker-'));
    [direct, served] = [native(), native()];
    const checkpoint = (name: string) => join(directory, `${name}.safetensors`);
    server = await serveTinker({ engine: served, name: baseModel, checkpoint });
    const client = await TinkerClient.open({ url: server.url, samplesPictures: true });
    const options = { client, vocabulary: vocabularyHash, pictures: true };
    remote = await TinkerEngine.open({ ...options, model: { baseModel, rank: 0 } });
    const past = [{ actions: [{ type: 'execute_bash' as const, command: 'ls' }], answer: 'a b' }];
    const tokens = contextTokens(vocabulary, 'type "ab" and "c", <point>10 900</point>', past, { commands: true });
    const pictures = [await pictureOf(1), await pictureOf(2)];
    prompts = pictures.map((picture) => nativePieces({ pictures: [picture], tokens, clock: 3 }));
    data = prompts.map((prompt, i) => {
      const action = vocabulary.encode({ type: 'click', point: { x: 0.3 + i / 2, y: 0.8 } });
      const before = prompt.reduce((sum, piece) => sum + ('tokens' in piece ? piece.tokens.length : piece.length), -1);
      const listOf = (value: number) => [...new Array<number>(before).fill(0), ...action.map(() => value)];
      return {
        input: [...prompt, { tokens: action }],
        weights: listOf(0.25),
        logprobs: listOf(-4),
        advantages: listOf(i === 0 ? 1 : -2),
      };
    });
  });
  afterAll(async () => {
    await remote.close();
    await server.close();
    await Promise.all([direct.close(), served.close()]);
    await rm(directory, { recursive: true });
  });

  const step = async (engine: Engine, loss: Loss) => {
    const result = await engine.forwardBackward(data, loss);
    return { ...result, ...(await engine.optimStep({ learningRate: 1e-2 })) };
  };

  it('has the log-probabilities of the engine itself', async () => {
    const expected = await direct.forward(data);
    expect(expected.logprobs.flat().filter((logprob) => logprob !== 0)).toHaveLength(6);
    expect(await remote.forward(data)).toEqual(expected);
  });

  it('learns as the engine itself does', async () => {
    const losses: number[] = [];
    for (let k = 0; k < 3; k++) {
      const [expected, result] = [
        await step(direct, { name: 'cross_entropy' }),
        await step(remote, { name: 'cross_entropy' }),
      ];
      // The SDK has a name of its own for it.
      const metrics = { ...expected.metrics, 'loss:sum': expected.metrics['total_loss:sum'] };
      expect(result).toEqual({ ...expected, metrics });
      losses.push(result.metrics['total_loss:sum']!);
    }
    expect(losses[2]).toBeLessThan(losses[0]!);
    expect(losses[1]).toBeLessThan(losses[0]!);
    const ppo: Loss = { name: 'ppo', clipLow: 0.2, clipHigh: 0.28 };
    const [expected, result] = [await step(direct, ppo), await step(remote, ppo)];
    expect(result.logprobs).toEqual(expected.logprobs);
    expect(result.metrics['total_loss:sum']).toBeCloseTo(expected.metrics['total_loss:sum']!, 6);
    expect(result.gradientNorm).toBeCloseTo(expected.gradientNorm!, 6);
    await expect(remote.forwardBackward(data, { ...ppo, name: 'cispo' })).rejects.toMatchObject({
      ...{ code: 'bad_input', detail: { field: 'loss' } },
    });
  });

  it('samples with pictures, from the published weights', async () => {
    const requests = prompts.map((input, i) => ({ input, maxTokens: 1000, temperature: 1, seed: i }));
    expect(await remote.publish()).toEqual({ policyVersion: 4 });
    const sampled = await remote.sample(requests);
    const expected = await direct.sample(requests);
    // The requests form another batch, whose sums round differently.
    const near = (logprobs: number[]) => logprobs.map((logprob) => expect.closeTo(logprob, 4) as number);
    expect(sampled).toEqual(expected.map((each) => ({ ...each, logprobs: near(each.logprobs) })));
  });

  it('saves and loads', async () => {
    const saved = await remote.forward(data);
    await remote.save('mine');
    await step(remote, { name: 'cross_entropy' });
    const trained = await remote.forward(data);
    expect(trained.logprobs).not.toEqual(saved.logprobs);
    await remote.load('mine');
    const loaded = await remote.forward(data);
    expect(loaded.logprobs).toEqual(saved.logprobs);
    expect(loaded.policyVersion).toBeGreaterThan(trained.policyVersion);
    // With the moments of the optimiser.
    await step(remote, { name: 'cross_entropy' });
    const again = await remote.forward(data);
    expect(again.logprobs).toEqual(trained.logprobs);
    await expect(remote.load('another')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'name' } });
    expect((await remote.forward(data)).logprobs).toEqual(again.logprobs);
  });

  it('refuses a wrong number of tokens for a picture, with both numbers', async () => {
    const [piece, ...rest] = data[0]!.input;
    const input = [{ picture: (piece as { picture: Picture }).picture, length: 5 }, ...rest];
    const length = rest.reduce((sum, each) => sum + ('tokens' in each ? each.tokens.length : 0), 5);
    const datum = { input, weights: new Array<number>(length - 1).fill(0) };
    await expect(remote.forward([datum])).rejects.toMatchObject({
      ...{ code: 'bad_input', message: expect.stringMatching(/an image takes \d+ tokens, not 5/) },
      detail: { field: 'input' },
    });
  });
});

describe('a Tinker engine', () => {
  async function opened(options: Partial<TinkerEngineOptions> = {}) {
    const bigram = new BigramEngine();
    const server = await serveTinker({ engine: bigram });
    const client = await TinkerClient.open({ url: server.url });
    const model = { baseModel: 'bigram', rank: 8 };
    const engine = await TinkerEngine.open({ client, model, vocabulary: 'twelve', ...options });
    const close = async () => {
      await engine.close();
      await server.close();
    };
    return { bigram, engine, close };
  }
  const datum = { input: [{ tokens: [1, 2] }, { tokens: [3] }, { tokens: [] }], weights: [1, 0.5] };

  it('samples text by asample, from the last published version', async () => {
    const { engine, close } = await opened();
    const request = { input: [{ tokens: [1] }], maxTokens: 2, temperature: 0, seed: 1 };
    expect((await engine.sample([request]))[0]).toMatchObject({ tokens: [0, 0], policyVersion: 0 });
    await engine.forwardBackward([datum], { name: 'cross_entropy' });
    await engine.optimStep({ learningRate: 5 });
    expect((await engine.sample([request]))[0]).toMatchObject({ tokens: [0, 0], policyVersion: 0 });
    expect(await Promise.all([engine.publish(), engine.publish()])).toEqual([
      { policyVersion: 1 },
      { policyVersion: 1 },
    ]);
    const [sampled] = await engine.sample([request]);
    expect(sampled).toMatchObject({ tokens: [2, 3], end: 'length', policyVersion: 1 });
    const trained = await engine.forward([{ input: [{ tokens: [1, 2, 3] }], weights: [0, 0] }]);
    expect(trained).toEqual({ logprobs: [sampled?.logprobs], policyVersion: 1 });
    await close();
  });

  it('tells its sampler which weights to use, before it trains', async () => {
    const used: (PublishedWeights & { readonly steps: number })[] = [];
    const { bigram, engine, close } = await opened({
      sampler: {
        use: async (weights) => void used.push({ ...weights, steps: bigram.calls.length }),
        sample: async () => [],
      },
    });
    await engine.publish();
    await Promise.all([
      engine.forwardBackward([datum], { name: 'cross_entropy' }),
      engine.optimStep({ learningRate: 1 }),
      engine.publish(),
      engine.publish(),
    ]);
    const modelId = used[0]?.modelId;
    expect(used).toEqual([
      { path: `tinker://${modelId}/sampler_weights/gyre-0`, modelId, policyVersion: 0, steps: 0 },
      { path: `tinker://${modelId}/sampler_weights/gyre-1`, modelId, policyVersion: 1, steps: 2 },
    ]);
    await close();
  });

  it('loads into its new model, and replaces a used one', async () => {
    const { bigram, engine, close } = await opened();
    await engine.forwardBackward([datum], { name: 'cross_entropy' });
    await engine.optimStep({ learningRate: 5 });
    const saved = await engine.forward([datum]);
    await engine.save('mine');
    const first = new BigramEngine();
    await engine.optimStep({ learningRate: 1 });
    await engine.load('mine');
    expect((await engine.forward([datum])).logprobs).toEqual(saved.logprobs);
    expect(saved).not.toEqual(await first.forward([datum]));
    expect(bigram.calls).toEqual(['cross_entropy', 'step 5', 'step 1']);
    await close();
  });

  it('refuses what it could not send as it is', async () => {
    const { engine, close } = await opened();
    const forward = (changed: object) => engine.forward([{ ...datum, ...changed }]);
    const bad = (field: string) => ({ code: 'bad_input', detail: { field } });
    await expect(forward({ weights: [1] })).rejects.toMatchObject(bad('weights'));
    await expect(forward({ input: [] })).rejects.toMatchObject(bad('input'));
    await expect(forward({ input: [{ tokens: [1] }], weights: [] })).rejects.toMatchObject(bad('input'));
    await expect(forward({ input: [{ tokens: [1, 2 ** 31, 3] }] })).rejects.toMatchObject(bad('tokens'));
    const picture = { picture: await pictureOf(1), length: 2 };
    await expect(forward({ input: [picture, { tokens: [1] }] })).rejects.toMatchObject(bad('input'));
    await expect(engine.forwardBackward([datum], { name: 'importance_sampling' })).rejects.toMatchObject(
      bad('logprobs'),
    );
    expect(await engine.forward([])).toEqual({ logprobs: [], policyVersion: 0 });
    await close();
  });
});

it('keeps two publications at the server', async () => {
  const deleted: string[] = [];
  const server = await serveTinker({ engine: new BigramEngine() });
  const client = await TinkerClient.open({
    url: server.url,
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (init?.method === 'DELETE') deleted.push(`${(url as string).split('/').at(-1)!}: ${answer.status}`);
      return answer;
    },
  });
  const engine = await TinkerEngine.open({ client, model: { baseModel: 'bigram', rank: 0 }, vocabulary: 'twelve' });
  for (let step = 0; step < 4; step++) {
    await engine.publish();
    await engine.publish();
    await engine.optimStep({ learningRate: 0.1 });
  }
  expect(deleted).toEqual(['gyre-0: 200', 'gyre-1: 200']);
  await engine.close();
  await server.close();
});
