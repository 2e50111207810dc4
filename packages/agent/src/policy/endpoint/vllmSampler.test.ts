import { type Piece, type SampleRequest, VllmSampler, type VllmSamplerOptions, VllmServer } from '@gyre/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { frameOf } from '../../loop/frame.test.fixture.js';
import { doubleTokens, padded, sampledAs, type Script, vllmDouble } from './double/vllmDouble.test.fixture.js';

const size = { width: 160, height: 160 };
const { start, end, pad } = doubleTokens;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Asked {
  model: string;
  token_ids: number[];
  sampling_params: object;
  features?: { mm_hashes: object; mm_placeholders: object; kwargs_data: { image: (string | null)[] } };
}

async function opened(
  script: Script = () => ({ text: 'ok' }),
  options: Parameters<typeof vllmDouble>[1] & Omit<VllmSamplerOptions, 'server'> = {},
) {
  const double = await vllmDouble(script, options);
  closing.push(double.close);
  const server = new VllmServer({ url: double.url, model: 'double', retries: 0, timeoutMs: 5_000 });
  return { double, server, sampler: new VllmSampler({ server, ...options }), requests: double.requests as Asked[] };
}

const weights = (policyVersion: number) => ({ path: `tinker://m/gyre-${policyVersion}`, modelId: 'm', policyVersion });
const shot = (byte: number): Piece => ({ picture: frameOf(new Uint8Array([byte]), size), length: padded });
const request = (input: readonly Piece[], changed: Partial<SampleRequest> = {}): SampleRequest => ({
  ...{ input, maxTokens: 100, temperature: 0.7, topP: 0.9, seed: 5 },
  ...changed,
});
const input = [{ tokens: [1, 2] }, shot(1), { tokens: [3] }, shot(2), { tokens: [4, 5] }];
const pads = new Array<number>(padded).fill(pad);

describe('a sampler over vLLM', () => {
  it('sends tokens with pictures in their places, each once', async () => {
    const { sampler, double, requests } = await opened();
    double.adapters.set('m', 'loaded by the trainer');
    await sampler.use(weights(3));
    const tokens = [...sampledAs('ok'), end];
    const expected = { tokens, logprobs: [-0.5, -0.5, -0.5], end: 'stop', policyVersion: 3 };
    expect(await sampler.sample([request(input)])).toEqual([expected]);
    const [first] = requests;
    expect(first).toMatchObject({
      model: 'm',
      token_ids: [1, 2, ...pads, 3, ...pads, 4, 5],
      sampling_params: { max_tokens: 100, temperature: 0.7, top_p: 0.9, seed: 5, logprobs: 1 },
      features: { mm_placeholders: { image: [2, 7].map((offset) => ({ offset, length: padded })) } },
    });
    expect(first?.features?.kwargs_data.image.map((data) => typeof data)).toEqual(['string', 'string']);
    await sampler.sample([request([...input, shot(3)])]);
    expect(requests[1]?.features?.kwargs_data.image.map((data) => data === null)).toEqual([true, true, false]);
    expect(double.renders).toHaveLength(3);
  });

  it('sends the pictures again that the server has forgotten', async () => {
    const { sampler, double, requests } = await opened();
    double.adapters.set('m', '');
    await sampler.use(weights(0));
    await sampler.sample([request(input)]);
    double.pictures.clear();
    expect(await sampler.sample([request(input)])).toHaveLength(1);
    expect(requests.at(-1)?.features?.kwargs_data.image).not.toContain(null);
    expect(double.renders).toHaveLength(4);
  });

  it('never samples a vision token, and ends at a stop token or at maxTokens', async () => {
    const { sampler, double, requests } = await opened(undefined, { forbidden: [7] });
    double.adapters.set('m', '');
    await sampler.use(weights(0));
    const [o, k] = sampledAs('ok');
    const text = [{ tokens: [start] }];
    const [cut, stopped] = await sampler.sample([
      request(text, { maxTokens: 1 }),
      request(text, { stop: [k!], temperature: 0 }),
    ]);
    expect(cut).toMatchObject({ tokens: [o], end: 'length' });
    expect(stopped).toMatchObject({ tokens: [o, k], end: 'stop' });
    const forbidden = Object.fromEntries([7, pad, 1003, 1004].map((token) => [token, -100]));
    for (const each of requests) expect(each.sampling_params).toMatchObject({ logit_bias: forbidden });
    expect(requests.map(({ features }) => features)).toEqual([undefined, undefined]);
  });

  it('loads each version of an adapter under a new name, and unloads the old one when no request uses it', async () => {
    const { sampler, double, requests } = await opened(
      (_, number) => ({ text: 'ok', afterMs: [500, 150][number] ?? 0 }),
      { updatesAdapters: true, adapterPath: async ({ policyVersion }) => `/adapters/${policyVersion}` },
    );
    await sampler.use(weights(6));
    const slowest = sampler.sample([request(input)]);
    await expect.poll(() => requests.length).toBe(1);
    const slow = sampler.sample([request(input)]);
    await expect.poll(() => requests.length).toBe(2);
    await sampler.use(weights(7));
    expect(Object.fromEntries(double.adapters)).toEqual({ 'm-gyre-6': '/adapters/6', 'm-gyre-7': '/adapters/7' });
    expect(await sampler.sample([request(input)])).toMatchObject([{ policyVersion: 7 }]);
    expect(await slow).toMatchObject([{ policyVersion: 6 }]);
    expect(double.adapters.has('m-gyre-6')).toBe(true);
    expect(await slowest).toMatchObject([{ policyVersion: 6 }]);
    expect(requests.map(({ model }) => model)).toEqual(['m-gyre-6', 'm-gyre-6', 'm-gyre-7']);
    expect([...double.adapters.keys()]).toEqual(['m-gyre-7']);
    await sampler.use(weights(8));
    expect([...double.adapters.keys()]).toEqual(['m-gyre-8']);
  });

  it('replaces an adapter of an earlier run that has the same name', async () => {
    const adapterPath = async () => '/adapters/new';
    const { sampler, double } = await opened(undefined, { updatesAdapters: true, adapterPath });
    double.adapters.set('m-gyre-0', '/adapters/old');
    await sampler.use(weights(0));
    expect(double.adapters.get('m-gyre-0')).toBe('/adapters/new');
  });

  it('says how to start a server that lacks an endpoint', async () => {
    const { sampler } = await opened(undefined, { scaleOut: false });
    await sampler.use(weights(0));
    await expect(sampler.sample([request(input)])).rejects.toMatchObject({
      ...{ code: 'bad_input', message: expect.stringContaining('404') },
      detail: { fix: expect.stringMatching(/--enable-scale-out.*serves "double"/) },
    });
    const { sampler: loading } = await opened(undefined, { adapterPath: async () => '/adapters/0' });
    await expect(loading.use(weights(0))).rejects.toMatchObject({
      ...{ code: 'bad_input' },
      detail: { fix: expect.stringContaining('VLLM_ALLOW_RUNTIME_LORA_UPDATING=True') },
    });
  });

  it('refuses to sample before weights are published, an unknown model, and a picture of another length', async () => {
    const { sampler, double } = await opened();
    await expect(sampler.sample([request(input)])).rejects.toMatchObject({ detail: { field: 'sampler' } });
    await sampler.use(weights(0));
    await expect(sampler.sample([request([{ tokens: [1] }])])).rejects.toMatchObject({
      message: expect.stringContaining('The model `m` does not exist'),
    });
    double.adapters.set('m', '');
    const { picture } = shot(1) as Extract<Piece, { picture: unknown }>;
    await expect(sampler.sample([request([{ picture, length: 5 }])])).rejects.toMatchObject({
      ...{ code: 'bad_input', message: 'the server gives a picture 4 tokens, not 5' },
    });
  });

  it('stops waiting for an aborted request', async () => {
    const { sampler, double } = await opened(() => 'hang');
    double.adapters.set('m', '');
    await sampler.use(weights(0));
    const control = new AbortController();
    const waiting = sampler.sample([request(input, { signal: control.signal })]);
    await expect.poll(() => double.requests.length).toBe(1);
    control.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    await expect.poll(() => double.abandoned).toEqual([0]);
  });
});
