import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Datum,
  EmbeddedEngine,
  type Engine,
  NativeTokenEngine,
  type SampleRequest,
  serveTinker,
  TinkerClient,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { pixels } from '@gyre/agent';
import { afterEach, expect, test } from 'vitest';
import { ColourEngine, type DoubleOptions, vllmDouble } from './doubles.test.fixture.js';
import { stateOf } from '../doctor.js';
import { serverChecks } from './serverChecks.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function trainer(engine: Engine, { name = 'double' } = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gyre-doctor-'));
  closing.push(() => rm(directory, { recursive: true }));
  const server = await serveTinker({ engine, name, checkpoint: (saved) => join(directory, saved) });
  closing.push(() => server.close());
  return server.url;
}

async function sampler(options: DoubleOptions): Promise<string> {
  const defaults = {
    ...{ updatesAdapters: true, adapterPrefix: 'model_', maxModelLength: 4_096 },
    pixels: 'float32' as const,
  };
  const double = await vllmDouble(() => ({ text: 'ok' }), { ...defaults, ...options });
  closing.push(double.close);
  return double.url;
}

const keys = { engineKey: undefined, samplerKey: undefined };

/** Returns `[state, finding, fix]` by name. */
async function checksOf(options: { engine?: string; sampler?: string; model?: string }) {
  const checks = await serverChecks({
    ...{ engine: undefined, sampler: undefined, model: undefined, ...keys, ...options },
    signal: new AbortController().signal,
  });
  return Object.fromEntries(checks.map((check) => [check.name, { state: stateOf(check), ...check }]));
}

const missingOf = (checks: Awaited<ReturnType<typeof checksOf>>) =>
  Object.values(checks)
    .filter(({ ok }) => !ok)
    .map(({ name }) => name);

async function pairOf(
  engine: ColourEngine,
  options: DoubleOptions = {},
): Promise<Awaited<ReturnType<typeof checksOf>>> {
  const samples: DoubleOptions['samples'] = async (request) => (await engine.sample([request]))[0]!;
  return checksOf({ engine: await trainer(engine), sampler: await sampler({ samples, ...options }), model: 'double' });
}

test('a trainer and the vLLM that has its weights pass, with the gap and the arithmetic of the context', async () => {
  const checks = await pairOf(new ColourEngine());
  expect(missingOf(checks)).toEqual([]);
  expect(checks['context length']).toMatchObject({
    finding: '5 screenshots of 1280x720 x 4 tokens + 2,048 for text and answer = 2,068 of 4,096',
  });
  expect(checks.gap?.finding).toBe('0.000 without pictures, 0.000 with pictures, in nats (128 tokens)');
  expect(checks['weight sync']?.finding).toMatch(
    /moved log-probabilities by 0\.[3-9]\d+ nats; gap 0\.000 without pictures/,
  );
  expect(checks.pixels?.finding).toBe('normalised (float32)');
  expect(checks['pictures trained']?.state).toBe('ready');
  expect(checks['pictures sampled']?.state).toBe('ready');
  expect(checks.asample?.state).toBe('ready');
  expect(checks.adapter?.state).toBe('optional');
  expect(checks.vLLM?.finding).toBe('serves double (vLLM 0.32.0)');
});

test('the model is unloaded at the end, so that the checks can run again', async () => {
  const engine = await trainer(new ColourEngine());
  expect(missingOf(await checksOf({ engine }))).toEqual([]);
  expect(missingOf(await checksOf({ engine }))).toEqual([]);
});

test('raw pixels are found in what vLLM renders, and by the gap that they make', async () => {
  const normalising = new ColourEngine();
  const samples: DoubleOptions['samples'] = async (request) => (await normalising.sample([request]))[0]!;
  const checks = await pairOf(new ColourEngine({ pixelScale: 4 }), { pixels: 'uint8', samples });
  const fix = expect.stringContaining('--no-mm-device-do-normalize') as string;
  expect(checks.pixels).toMatchObject({ state: 'missing', finding: expect.stringContaining('uint8') as string, fix });
  expect(checks.gap).toMatchObject({
    state: 'missing',
    finding: expect.stringContaining('only after pictures') as string,
    fix,
  });
});

test('pixels of an unknown form are said to be unknown', async () => {
  const url = await vllmDouble(() => ({ text: 'ok' }));
  closing.push(url.close);
  expect((await checksOf({ sampler: url.url })).pixels).toMatchObject({
    state: 'optional',
    finding: expect.stringContaining('unknown') as string,
  });
});

test('a sampler that keeps the old weights is found after the step', async () => {
  const stale = new ColourEngine();
  const samples: DoubleOptions['samples'] = async (request) => (await stale.sample([request]))[0]!;
  const checks = await pairOf(new ColourEngine(), { samples });
  expect(missingOf(checks)).toEqual(['weight sync']);
  expect(checks['weight sync']).toMatchObject({
    finding: expect.stringContaining('still has the weights from before') as string,
    fix: expect.stringMatching(
      /Point the trainer at the vLLM of --sampler.*VLLM_ALLOW_RUNTIME_LORA_UPDATING=True/,
    ) as string,
  });
});

test('an adapter whose vision modules the sampler leaves out is found by the gap with pictures alone', async () => {
  const engine = new ColourEngine();
  const checks = await pairOf(engine, { samples: (request) => engine.sampleWithoutVision(request) });
  expect(missingOf(checks)).toEqual(['weight sync']);
  expect(checks['weight sync']).toMatchObject({
    finding: expect.stringContaining("leaves out the adapter's vision modules") as string,
    fix: expect.stringContaining('trainer.policy.model.lora.exclude_modules=".*visual.*"') as string,
  });
});

test('a trainer that drops pictures is found', async () => {
  const seeing = new ColourEngine();
  const samples: DoubleOptions['samples'] = async (request) => (await seeing.sample([request]))[0]!;
  const checks = await pairOf(new ColourEngine({ seesPictures: false }), { samples });
  expect(checks['pictures trained']).toMatchObject({
    state: 'missing',
    finding: expect.stringContaining('the trainer drops pictures') as string,
    fix: expect.stringContaining('--backend fsdp') as string,
  });
  expect(checks['pictures sampled']?.state).toBe('ready');
});

test('a sampler that drops pictures is found', async () => {
  const blind = new ColourEngine({ seesPictures: false });
  const samples: DoubleOptions['samples'] = async (request) => (await blind.sample([request]))[0]!;
  const checks = await pairOf(new ColourEngine(), { samples });
  expect(checks['pictures sampled']?.finding).toContain('the sampler drops pictures');
  expect(checks['pictures trained']?.state).toBe('ready');
});

test('a trainer whose steps do nothing is found', async () => {
  const checks = await pairOf(new ColourEngine({ learns: false }));
  expect(missingOf(checks)).toEqual(['weight sync']);
  expect(checks['weight sync']?.finding).toContain('moved log-probabilities by 0.000 nats');
});

test('another base model at the sampler is found by the gap', async () => {
  const changed = new ColourEngine();
  const data = [{ input: [{ tokens: [1, 2, 3, 4, 5, 6] }], weights: [1, 1, 1, 1, 1] }];
  await changed.forwardBackward(data);
  await changed.optimStep({ learningRate: 1e-3 });
  await changed.publish();
  const samples: DoubleOptions['samples'] = async (request) => (await changed.sample([request]))[0]!;
  const { gap } = await pairOf(new ColourEngine(), { samples });
  expect(gap).toMatchObject({ state: 'missing', fix: expect.stringContaining('base model') as string });
});

test('a vLLM without the adapter of the trainer is found', async () => {
  const checks = await pairOf(new ColourEngine(), { adapterPrefix: 'nothing' });
  expect(missingOf(checks)).toEqual(['sampling']);
  expect(checks.sampling).toMatchObject({
    finding: expect.stringMatching(/did not load its adapter.*model_/) as string,
    fix: expect.stringContaining('/skyrl/v1/load_lora_adapter') as string,
  });
});

test.each([
  [{ scaleOut: false }, 'token endpoints', '--enable-scale-out'],
  [{ updatesAdapters: false }, 'LoRA loading', 'VLLM_ALLOW_RUNTIME_LORA_UPDATING=True'],
  [{ enablesLora: false }, 'LoRA loading', '--enable-lora'],
  [{ maxModelLength: 2_000 }, 'context length', '--max-model-len 2068'],
  [{ maxPictures: 0 }, 'pictures rendered', 'vision-language model'],
  [{ maxPictures: 4 }, 'pictures per prompt', `--limit-mm-per-prompt '{"image": 5}'`],
] as const)('a vLLM with %o is found, with its cure', async (options, name, cure) => {
  const checks = await checksOf({ sampler: await sampler(options) });
  expect(missingOf(checks)).toEqual([name]);
  expect(checks[name]?.fix).toContain(cure);
});

test('a model that neither server has is found at both, with the names that they have', async () => {
  const engine = await trainer(new ColourEngine(), { name: 'qwen' });
  const checks = await checksOf({ engine, sampler: await sampler({}), model: 'other' });
  expect(checks['base model']).toMatchObject({ state: 'missing', finding: 'the server has qwen, not other' });
  expect(checks.vLLM).toMatchObject({
    state: 'missing',
    finding: 'serves double, not other (vLLM 0.32.0)',
    fix: expect.stringContaining('--served-model-name other') as string,
  });
});

test('servers that do not answer are missing', async () => {
  const closed = 'http://127.0.0.1:9';
  const checks = await checksOf({ engine: closed, sampler: `${closed}/v1` });
  expect(missingOf(checks)).toEqual(['Tinker server', 'vLLM']);
}, 30_000);

test('the URL of the sampler may lack /v1', async () => {
  const url = (await sampler({})).replace(/\/v1$/, '');
  expect(missingOf(await checksOf({ sampler: url }))).toEqual([]);
});

test('a server that trains another model is said to be busy', async () => {
  const engine = await trainer(new ColourEngine());
  const client = await TinkerClient.open({ url: engine });
  await client.createModel({ baseModel: 'double', rank: 8 });
  expect((await checksOf({ engine }))['LoRA model']).toMatchObject({
    state: 'missing',
    fix: 'End the run that trains on this server.',
  });
  client.close();
});

test('without a sampler, the native policy is checked with pictures through the Tinker protocol', async () => {
  const architecture = {
    ...{ screenshots: 1, width: 16, heads: 2, imageLayers: 0, decoderLayers: 1, stem: 8 },
    role: 'policy' as const,
  };
  const native = new EmbeddedEngine({ architecture, seed: 1, threads: 1 });
  closing.push(() => native.close());
  const checks = await checksOf({
    engine: await trainer(new NativeTokenEngine({ engine: native, pixels }), { name: 'nano' }),
  });
  expect(missingOf(checks)).toEqual([]);
  expect(checks.vLLM).toMatchObject({ state: 'optional', fix: expect.stringContaining('--sampler URL') as string });
  expect(checks['pictures trained']?.state).toBe('ready');
  expect(checks['pictures sampled']?.state).toBe('ready');
  expect(checks['weight sync']?.finding).toMatch(/gap 0\.0\d\d with pictures/);
});

test("a vLLM with SkyRL's route can get its adapters", async () => {
  const url = await sampler({ isOfSkyrl: true, updatesAdapters: false });
  expect((await checksOf({ sampler: url }))['LoRA loading']?.state).toBe('ready');
});

test('a Tinker server that drops pictures in asample passes, since vLLM samples', async () => {
  const seeing = new ColourEngine();
  class Forgetful extends ColourEngine {
    override sample(requests: readonly SampleRequest[]) {
      return super.sample(
        requests.map((request) => ({ ...request, input: request.input.filter((piece) => 'tokens' in piece) })),
      );
    }
  }
  const samples: DoubleOptions['samples'] = async (request) => (await seeing.sample([request]))[0]!;
  const checks = await pairOf(new Forgetful(), { samples });
  expect(checks.asample).toMatchObject({
    state: 'optional',
    finding: 'the Tinker server drops pictures in asample',
    fix: expect.stringContaining('colocate_all=true') as string,
  });
  expect(checks['pictures sampled']?.state).toBe('ready');
});

test('a trainer that answers without the log-probabilities of pictures is found, and the texts are compared', async () => {
  class Jax extends ColourEngine {
    override async forward(data: readonly Datum[]) {
      const text = data.map((datum) => ({ ...datum, input: datum.input.filter((piece) => 'tokens' in piece) }));
      return super.forward(text);
    }
  }
  const checks = await pairOf(new Jax());
  expect(missingOf(checks)).toEqual(['pictures trained']);
  expect(checks['pictures trained']).toMatchObject({
    finding: expect.stringContaining('lacks log-probabilities') as string,
    fix: expect.stringContaining('--backend fsdp') as string,
  });
  expect(checks['weight sync']?.finding).toContain('(64 tokens)');
});

test('another number of tokens for a picture is found at the trainer', async () => {
  class OtherSize extends ColourEngine {
    override async forward(data: readonly Datum[]) {
      if (data.some(({ input }) => input.some((piece) => 'picture' in piece))) {
        throw new GyreError('bad_input', 'Expected 63 tokens, got 70 from image', { field: 'data' });
      }
      return super.forward(data);
    }
  }
  expect((await pairOf(new OtherSize()))['pictures trained']).toMatchObject({
    finding: expect.stringContaining('Expected 63 tokens, got 70') as string,
    fix: expect.stringContaining('processor settings') as string,
  });
});

test.each([
  ['a stock vLLM', 'answered 404', 'map that route to /v1/load_lora_adapter by a proxy'],
  ['a vLLM for smaller ones', 'answered 400: LoRA rank 8 is greater than max_lora_rank 1.', '--max-lora-rank'],
])('a trainer that cannot load its adapter into %s is found', async (_, answer, cure) => {
  class Skyrl extends ColourEngine {
    override publish(): Promise<{ policyVersion: number }> {
      throw new GyreError('bad_input', `POST /skyrl/v1/load_lora_adapter ${answer}`, { field: 'path' });
    }
  }
  const checks = await pairOf(new Skyrl());
  expect(missingOf(checks)).toEqual(['publication']);
  expect(checks.publication?.fix).toContain(cure);
});

/** Passes requests on, but those that `answer` answers. */
async function proxy(target: string, answer: (path: string) => Buffer | 'nothing' | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const reply = answer(path);
    if (reply === 'nothing') return void request.socket.destroy();
    if (reply) return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(reply);
    void buffer(request).then(async (body) => {
      const headers = { 'content-type': request.headers['content-type'] ?? '' };
      const init = request.method === 'GET' ? {} : { method: 'POST', headers, body: new Uint8Array(body) };
      const passed = await fetch(new URL(path, target), init);
      response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await passed.arrayBuffer()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function archiveOf(tensors: readonly string[]): Buffer {
  const header = Buffer.from(JSON.stringify(Object.fromEntries(tensors.map((tensor) => [tensor, {}]))));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const content = Buffer.concat([length, header]);
  const head = Buffer.alloc(512);
  head.write('adapter_model.safetensors');
  head.write(content.length.toString(8).padStart(11, '0'), 124);
  head.write(' '.repeat(8), 148);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(sum.toString(8).padStart(6, '0'), 148);
  return gzipSync(Buffer.concat([head, content, Buffer.alloc(((512 - (content.length % 512)) % 512) + 1_024)]));
}

test.each([
  ['are left out', true, 'missing'],
  ['are applied', false, 'ready'],
] as const)('vision modules in the adapter are named where they %s', async (_, leavesOut, state) => {
  const engine = new ColourEngine();
  const samples: DoubleOptions['samples'] = async (request) =>
    leavesOut ? engine.sampleWithoutVision(request) : (await engine.sample([request]))[0]!;
  const archive = archiveOf(['model.visual.blocks.0.lora_A.weight', 'model.layers.0.lora_A.weight']);
  const requested: string[] = [];
  const url = await proxy(await trainer(engine), (path) => {
    if (!path.endsWith('/archive')) return undefined;
    requested.push(path);
    return archive;
  });
  const { adapter } = await checksOf({ engine: url, sampler: await sampler({ samples }) });
  expect(requested[0]).toMatch(/^\/api\/v1\/training_runs\/model_\w+\/checkpoints\/sampler_weights\/gyre-1\/archive$/);
  expect(adapter).toMatchObject({
    state,
    finding: expect.stringContaining('1 of 2 tensors are of vision modules') as string,
    fix: leavesOut ? (expect.stringContaining('exclude_modules=".*visual.*"') as string) : '',
  });
});

test('a vLLM that starts with the first publication is checked', async () => {
  let isUp = false;
  class Skyrl extends ColourEngine {
    override publish() {
      isUp = true;
      return super.publish();
    }
  }
  const engine = new Skyrl();
  const target = await sampler({ samples: async (request) => (await engine.sample([request]))[0]! });
  const url = await proxy(target, () => (isUp ? undefined : 'nothing'));
  expect(missingOf(await checksOf({ sampler: url }))).toEqual(['vLLM']);
  expect(missingOf(await checksOf({ engine: await trainer(engine), sampler: url }))).toEqual([]);
});

test('a refused key names the variable that it comes from', async () => {
  const server = await serveTinker({ engine: new ColourEngine(), name: 'double', tokens: ['a-token-of-this-test'] });
  closing.push(() => server.close());
  const checks = await checksOf({ engine: server.url });
  expect(checks['Tinker server']?.fix).toBe('Set TINKER_API_KEY to the API key of the server.');
});
