import { request as httpRequest } from 'node:http';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestOf, serve } from './serveTinker.test.fixture.js';

describe('a Tinker server', () => {
  it('gives the same future to a repeated request, and refuses another one under its number', async () => {
    const { post, create, engine } = await serve();
    const modelId = await create();
    const first = await post('forward_backward', requestOf(modelId));
    expect(first).toMatchObject({ status: 200, json: { status: 'pending' } });
    const repeated = await post('forward_backward', requestOf(modelId));
    expect(repeated.json.request_id).toBe(first.json.request_id);
    const changed = await post('forward_backward', requestOf(modelId, { forwardOnly: true }));
    expect(changed).toMatchObject({ status: 400, json: { field: 'seq_id' } });
    const step = { model_id: modelId, seq_id: 1, adam_params: { learning_rate: 1 } };
    expect((await post('optim_step', step)).status).toBe(400);
    // 0 is no number.
    const [unnumbered, second] = [
      await post('forward_backward', requestOf(modelId, { seqId: 0 })),
      await post('forward_backward', requestOf(modelId, { seqId: 0 })),
    ];
    expect(unnumbered.json.request_id).not.toBe(second.json.request_id);
    await post('retrieve_future', { request_id: second.json.request_id });
    expect(engine.calls).toEqual(['cross_entropy', 'cross_entropy', 'cross_entropy']);
  });

  it('answers results in protobuf, again and again, and what it does not know in 404', async () => {
    const { post, create } = await serve();
    const { json } = await post('forward_backward', requestOf(await create()));
    const result = await post('retrieve_future', { request_id: json.request_id });
    expect(result).toMatchObject({ status: 200, type: 'application/x-protobuf' });
    expect((await post('retrieve_future', { request_id: json.request_id })).bytes).toEqual(result.bytes);
    expect(await post('retrieve_future', { request_id: '99' })).toMatchObject({
      status: 404,
      json: { field: 'request_id' },
    });
  });

  it('bounds what it stores', async () => {
    const { post, create, engine } = await serve({ limits: { results: 2, pending: 2 }, holdMs: 10 });
    const modelId = await create();
    const ids: (string | undefined)[] = [];
    for (let seqId = 1; seqId <= 3; seqId++) {
      const { json } = await post('forward_backward', requestOf(modelId, { seqId }));
      await expect.poll(async () => (await post('retrieve_future', { request_id: json.request_id })).status).toBe(200);
      ids.push(json.request_id);
    }
    const statuses = ids.map(async (id) => (await post('retrieve_future', { request_id: id })).status);
    expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    engine.optimStep = () => released.then(() => ({ gradientNorm: 1 }));
    const step = (number: number) =>
      post('optim_step', { model_id: modelId, seq_id: number, adam_params: { learning_rate: 1 } });
    const waiting = await step(11);
    expect(await post('retrieve_future', { request_id: waiting.json.request_id })).toMatchObject({ status: 408 });
    await step(12);
    expect(await step(13)).toMatchObject({ status: 429, json: { detail: expect.stringMatching(/2 requests wait/) } });
    release();
    await expect.poll(async () => (await step(13)).status).toBe(200);
  });

  it('refuses JSON for tensors, and other bodies than a route takes', async () => {
    const { post, create, server } = await serve({ largestBody: 2_000 });
    const modelId = await create();
    expect(await post('forward_backward', { model_id: modelId })).toMatchObject({
      status: 415,
      json: { field: 'content-type' },
    });
    expect(await post('optim_step', requestOf(modelId))).toMatchObject({ status: 415 });
    expect(await post('forward_backward', Buffer.from('garbage'))).toMatchObject({
      status: 400,
      json: { field: 'body' },
    });
    expect(await post('forward_backward', new Uint8Array(1_000_000))).toMatchObject({
      status: 413,
      json: { field: 'data' },
    });
    expect(await post('forward', {})).toMatchObject({ status: 404 });
    expect(await post('constructor', {})).toMatchObject({ status: 404 });
    expect(await post('optim_step', { model_id: modelId, adam_params: {} })).toMatchObject({
      status: 422,
      json: { field: 'adam_params.learning_rate' },
    });
    const invalid = await fetch(`${server.url}/api/v1/create_model`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(invalid.status).toBe(400);
    expect((await fetch(`${server.url}/api/v1/healthz`)).status).toBe(200);
    expect((await fetch(server.url)).status).toBe(404);
  });

  it('reads zstd where Node has it, and refuses other encodings', async () => {
    const { post, create } = await serve({ largestBody: 10_000 });
    const modelId = await create();
    expect(
      await post('forward_backward', zlib.gzipSync(requestOf(modelId)), { 'content-encoding': 'gzip' }),
    ).toMatchObject({ status: 415 });
    const { zstdCompressSync: pack } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };
    const packed = (bytes: Uint8Array) =>
      post('forward_backward', pack?.(bytes) ?? bytes, { 'content-encoding': 'zstd' });
    const [small, large] = [await packed(requestOf(modelId)), await packed(new Uint8Array(1_000_000))];
    expect([small.status, large.status]).toEqual(pack ? [200, 413] : [415, 413]);
  });

  it('holds one model, which starts from the first weights', async () => {
    const { post, open, create, engine } = await serve();
    const modelId = await create();
    const second = { session_id: await open(), model_seq_id: 0, base_model: 'bigram' };
    const detail = expect.stringMatching(`one model at a time, now ${modelId} .* unload it, close its client, or wait`);
    expect(await post('create_model', second)).toMatchObject({ status: 400, json: { field: 'base_model', detail } });
    expect(await post('create_model', { ...second, model_role: 'critic' })).toMatchObject({
      ...{ status: 422, json: { field: 'model_role' } },
    });
    await post('forward_backward', requestOf(modelId));
    const step = { model_id: modelId, seq_id: 2, adam_params: { learning_rate: 1 } };
    await post('optim_step', step);
    expect((await post('unload_model', { model_id: modelId })).status).toBe(200);
    expect(await post('optim_step', step)).toMatchObject({ status: 404, json: { field: 'model_id' } });
    await create();
    const { logprobs } = await engine.forward([{ input: [{ tokens: [1, 2] }], weights: [1] }]);
    expect(logprobs).toEqual([[Math.log(1 / 12)].map((logprob) => expect.closeTo(logprob, 12))]);
  });

  it('loads weights only into a new model', async () => {
    const { post, create } = await serve();
    const modelId = await create();
    const load = { model_id: modelId, path: 'tinker://model_1/weights/a' };
    await post('save_weights', { model_id: modelId, path: 'a' });
    expect(await post('load_weights', load)).toMatchObject({ status: 400, json: { field: 'path' } });
    expect(await post('load_weights', { ...load, path: '/etc/passwd' })).toMatchObject({
      status: 422,
      json: { field: 'path' },
    });
    expect(await post('save_weights', { ...load, path: 'a/b' })).toMatchObject({
      status: 422,
      json: { field: 'path' },
    });
  });

  it('names what is wrong in a sample', async () => {
    const { post, create } = await serve();
    const modelId = await create();
    const { json } = await post('save_weights_for_sampler', { model_id: modelId, path: 'a' });
    const { json: saved } = await post('retrieve_future', { request_id: json.request_id });
    const sample = {
      model_path: saved.path,
      prompt: { chunks: [{ type: 'encoded_text', tokens: [1] }] },
      sampling_params: { max_tokens: 3 },
    };
    expect((await post('asample', sample)).status).toBe(200);
    const refused = async (changes: object) => (await post('asample', { ...sample, ...changes })).json.field;
    expect(await refused({ model_path: 'tinker://model_1/sampler_weights/a' })).toBe('model_path');
    expect(await refused({ sampling_session_id: 'sampler_1' })).toBe('sampling_session_id');
    expect(await refused({ sampling_params: {} })).toBe('sampling_params.max_tokens');
    expect(await refused({ sampling_params: { max_tokens: 3, stop: ['a'] } })).toBe('sampling_params.stop.0');
    const image = { type: 'image', data: '', format: 'png' };
    expect(await refused({ prompt: { chunks: [image] } })).toBe('prompt.chunks.0.expected_tokens');
    expect(await refused({ prompt: { chunks: [{ ...image, format: 'gif', expected_tokens: 4 }] } })).toBe(
      'prompt.chunks.0.format',
    );
  });

  it('samples by sessions, as the SDK does', async () => {
    const { post, open, create } = await serve();
    const modelId = await create();
    const session = { session_id: await open(), sampling_session_seq_id: 0 };
    const save = async (body: object) => {
      const { json } = await post('save_weights_for_sampler', { model_id: modelId, ...body });
      return (await post('retrieve_future', { request_id: json.request_id })).json;
    };
    const { path } = await save({ path: 'a' });
    const opened = await post('create_sampling_session', { ...session, model_path: path });
    const { sampling_session_id: unnamed } = await save({ sampling_session_seq_id: 1 });
    for (const id of [opened.json.sampling_session_id, unnamed]) {
      const chunks = [{ type: 'encoded_text', tokens: [1] }];
      const sample = { sampling_session_id: id, seq_id: 1, prompt: { chunks }, sampling_params: { max_tokens: 3 } };
      expect((await post('asample', sample)).status).toBe(200);
    }
  });

  it('gives an answer, never a failure, to any message', async () => {
    const { post, create, faults } = await serve({ holdMs: 1 });
    const modelId = await create();
    const requests = fc.record({
      seqId: fc.nat(3),
      loss: fc.constantFrom('cross_entropy', 'importance_sampling', ''),
      forwardOnly: fc.boolean(),
      lossConfig: fc.constantFrom(new Map(), new Map([['a', NaN]])),
      data: fc.array(
        fc.record({
          chunks: fc.array(fc.record({ tokens: fc.array(fc.nat(13), { maxLength: 3 }) }), { maxLength: 2 }),
          inputs: fc
            .dictionary(
              fc.constantFrom('target_tokens', 'weights', 'logprobs', 'advantages'),
              fc.record({ type: fc.constant('i64' as const), values: fc.array(fc.nat(12), { maxLength: 4 }) }),
            )
            .map((inputs) => new Map(Object.entries(inputs))),
        }),
        { maxLength: 2 },
      ),
    });
    const check = fc.asyncProperty(requests, async (changes) => {
      const { status, json } = await post('forward_backward', requestOf(modelId, changes));
      if (status !== 200) expect(json.detail).toMatch(/\w+/);
      expect([200, 400, 422]).toContain(status);
    });
    await fc.assert(check, { numRuns: 60 });
    expect(faults).toEqual([]);
  });
});

describe('access', () => {
  const statusOf = (url: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${url}/api/v1/get_server_capabilities`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject).end();
    });

  it('is for this machine, other than web pages', async () => {
    const { server } = await serve({ allowHosts: ['gyre.example'] });
    const { port } = new URL(server.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'gyre.example', 'gyre.example:80'])
      expect(await statusOf(server.url, { host }), host).toBe(200);
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[])
      expect(await statusOf(server.url, headers), JSON.stringify(headers)).toBe(403);
  });

  it('needs a token where one is set, and for other machines', async () => {
    const { server } = await serve({ tokens: ['a-secret-of-the-server'] });
    expect(await statusOf(server.url, {})).toBe(401);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(await statusOf(server.url, { 'x-api-key': 'another' })).toBe(401);
    expect(await statusOf(server.url, { 'x-api-key': 'a-secret-of-the-server' })).toBe(200);
    expect(await statusOf(server.url, { authorization: 'Bearer a-secret-of-the-server' })).toBe(200);
    await expect(serve({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'bad_input', detail: { field: '--host' } });
    const { port } = new URL(server.url);
    await expect(serve({ port: Number(port) })).rejects.toMatchObject({ code: 'infra', detail: { part: 'network' } });
  });
});
