import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { requestOf, serve } from './serveTinker.test.fixture.js';

type Served = Awaited<ReturnType<typeof serve>>;

const step = (modelId: string, rate: number) => ({ model_id: modelId, adam_params: { learning_rate: rate } });
type Body = Partial<Record<'path' | 'checkpoints' | 'training_runs' | 'sessions', unknown>>;
const bodyOf = (answer: { json: object }) => answer.json as Body;

describe('refusals', () => {
  it('have a length, without which the SDK repeats them for ever', async () => {
    const { server, create } = await serve();
    const body = Buffer.from(requestOf(await create(), { loss: 'dro' }));
    const headers = { 'content-type': 'application/x-protobuf' };
    const answer = await fetch(`${server.url}/api/v1/forward_backward`, { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(answer.headers.get('content-length')).toBe(String(text.length));
    expect(text).toMatch(/\\"dro\\" is none of cross_entropy/);
  });

  it('are never statuses that the SDK repeats', async () => {
    const { send, post, create, open } = await serve();
    const modelId = await create();
    const model = { session_id: await open(), model_seq_id: 0, base_model: 'bigram' };
    const answers = await Promise.all([
      post('create_model', model),
      post('create_model', { ...model, optimizer_config: { type: 'dimuon' } }),
      post('load_weights', { ...model, path: 'tinker://a/weights/b', weights_access_token: 'a' }),
      post('forward_backward', requestOf(modelId, { data: [] })),
      post('create_sampling_session', { ...model, sampling_session_seq_id: 0 }),
      post('save_weights_external', {}),
      send('GET', 'audit'),
      send('GET', 'training_runs/%'),
      send('GET', 'training_runs?limit=-1'),
      send('PATCH', 'training_runs'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 422, 422, 400, 422, 404, 404, 400, 422, 404]);
    for (const { json } of answers) expect(json.detail).toMatch(/\w+/);
  });
});

describe('a model', () => {
  it('is created once', async () => {
    const { post, open } = await serve();
    const session = await open();
    const request = { session_id: session, model_seq_id: 3, base_model: 'bigram' };
    const first = await post('create_model', request);
    expect(first.json.model_id).toMatch(/^model_[\da-f]{12}$/);
    expect((await post('create_model', request)).json.request_id).toBe(first.json.request_id);
    expect(await post('create_model', { ...request, user_metadata: {} })).toMatchObject({ status: 400 });
  });

  it('is created from saved weights by one request, under the id that the SDK derives', async () => {
    const { post, resultOf, create, open, engine } = await serve();
    const modelId = await create();
    await post('forward_backward', requestOf(modelId));
    await post('optim_step', step(modelId, 1));
    const { path } = bodyOf(await resultOf('save_weights', { model_id: modelId, path: 'a' }));
    const saved = await engine.forward([{ input: [{ tokens: [1, 2] }], weights: [1] }]);
    await post('unload_model', { model_id: modelId });
    const session = await open();
    const request = { session_id: session, model_seq_id: 0, path, optimizer: true };
    expect(bodyOf(await resultOf('load_weights', { ...request, path: 'tinker://a/weights/b' }))).toMatchObject({
      ...{ error: expect.stringMatching('no saved weights tinker://a/weights/b'), category: 'user' },
    });
    expect(bodyOf(await resultOf('load_weights', { ...request, model_seq_id: 1 }))).toEqual({
      ...{ type: 'load_weights', path, model_id: `${session}:train:1` },
    });
    const loaded = await engine.forward([{ input: [{ tokens: [1, 2] }], weights: [1] }]);
    expect(loaded.logprobs).toEqual(saved.logprobs);
    expect(await post('load_weights', { model_id: `${session}:train:1`, path })).toMatchObject({ status: 400 });
  });

  it('is not reserved by a request that has to be repeated', async () => {
    const { post, open, engine } = await serve({ limits: { pending: 1 } });
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    engine.save = (path) => released.then(() => ({ path, policyVersion: 0 }));
    const request = { model_seq_id: 0, base_model: 'bigram' };
    const first = await open();
    await post('create_model', { ...request, session_id: first });
    await post(`sessions/${first}/finish`, {});
    const second = { ...request, session_id: await open() };
    expect((await post('create_model', second)).status).toBe(429);
    release();
    await expect.poll(async () => (await post('create_model', second)).status).toBe(200);
  });

  it('ends with its session', async () => {
    const { post, send, open } = await serve();
    const session = await open();
    const request = { session_id: session, model_seq_id: 0, base_model: 'bigram' };
    await post('create_model', request);
    expect((await post(`sessions/${session}/finish`, { reason: { type: 'success' } })).status).toBe(200);
    expect((await post('session_heartbeat', { session_id: session })).status).toBe(410);
    expect((await send('GET', `sessions/${session}`)).status).toBe(200);
    expect((await post('create_model', { ...request, session_id: await open() })).status).toBe(200);
  });
});

describe('log-probabilities of a prompt', () => {
  const sampleOf = (path: unknown) => ({
    ...{ model_path: path, prompt_logprobs: true, sampling_params: { max_tokens: 1 } },
    prompt: { chunks: [{ type: 'encoded_text', tokens: [1, 2, 3] }] },
  });

  it('come with a sample, and are those of training', async () => {
    const { resultOf, create, engine } = await serve();
    const modelId = await create();
    const { path } = bodyOf(await resultOf('save_weights_for_sampler', { model_id: modelId, path: 'a' }));
    const { bytes } = await resultOf('asample', sampleOf(path));
    const { logprobs } = await engine.forward([{ input: [{ tokens: [1, 2, 3] }], weights: [0, 0] }]);
    // Field 2 ends the message: three floats.
    const last = bytes.subarray(-12);
    expect([0, 4, 8].map((offset) => last.readFloatLE(offset))).toEqual([
      ...[NaN, ...logprobs[0]!.map((logprob) => Math.fround(logprob))],
    ]);
  });

  it('are refused for weights that are no more under training', async () => {
    const { post, resultOf, create } = await serve();
    const modelId = await create();
    const { path } = bodyOf(await resultOf('save_weights_for_sampler', { model_id: modelId, path: 'a' }));
    await post('optim_step', step(modelId, 1));
    expect(bodyOf(await resultOf('asample', sampleOf(path)))).toMatchObject({
      error: expect.stringMatching('publish again'),
    });
  });
});

describe('weights', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Stands for an engine of files. */
  async function serveFolder(): Promise<Served> {
    const served = await serve({ folder });
    const { engine } = served;
    const save = engine.save.bind(engine);
    engine.save = async (path) => {
      writeFileSync(path, 'weights');
      return save(path);
    };
    return served;
  }

  it('are listed, described and deleted, after a restart too', async () => {
    folder = mkdtempSync(join(tmpdir(), 'gyre-checkpoints-'));
    const first = await serveFolder();
    const modelId = await first.create();
    await first.resultOf('save_weights', { model_id: modelId, path: 'a.b-c' });
    await first.resultOf('save_weights_for_sampler', { model_id: modelId, path: 'now' });
    const path = `tinker://${modelId}/weights/a.b-c`;
    const saved = {
      ...{ checkpoint_id: 'weights/a.b-c', checkpoint_type: 'training', tinker_path: path, size_bytes: 7 },
      public: false,
    };
    const sampler = { checkpoint_id: 'sampler_weights/now', tinker_path: `tinker://${modelId}/sampler_weights/now` };
    const listed = await first.send('GET', `training_runs/${encodeURIComponent(modelId)}/checkpoints`);
    expect(bodyOf(listed).checkpoints).toMatchObject([sampler, saved]);
    expect(bodyOf(await first.send('GET', `training_runs/${modelId}`))).toMatchObject({
      ...{ training_run_id: modelId, base_model: 'bigram', is_lora: false },
      ...{ last_checkpoint: saved, last_sampler_checkpoint: sampler },
    });

    writeFileSync(join(folder, '0b0e9f4e-6dc3-4a0b-9a54-0d5a8cf5a0a1-train-2.b.safetensors'), '');
    writeFileSync(join(folder, 'notes.txt'), '');
    const second = await serveFolder();
    const ids = bodyOf(await second.send('GET', 'training_runs')).training_runs as { training_run_id: string }[];
    expect(ids.map(({ training_run_id: id }) => id).sort()).toEqual(
      ['0b0e9f4e-6dc3-4a0b-9a54-0d5a8cf5a0a1:train:2', modelId].sort(),
    );
    rmSync(join(folder, '0b0e9f4e-6dc3-4a0b-9a54-0d5a8cf5a0a1-train-2.b.safetensors'));
    expect(bodyOf(await second.send('GET', 'checkpoints?limit=1&offset=0'))).toMatchObject({
      ...{ checkpoints: [saved], cursor: { offset: 0, limit: 1, total_count: 1 } },
    });
    expect(bodyOf(await second.send('GET', 'training_runs')).training_runs).toMatchObject([
      { training_run_id: modelId, last_sampler_checkpoint: null },
    ]);
    expect(bodyOf(await second.post('weights_info', { tinker_path: path }))).toMatchObject({ base_model: 'bigram' });
    const place = `training_runs/${modelId}/checkpoints/weights/a.b-c`;
    expect((await second.send('PUT', `${place}/ttl`, { body: { ttl_seconds: null } })).status).toBe(200);
    expect((await second.send('PUT', `${place}/ttl`, { body: { ttl_seconds: 7200 } })).status).toBe(422);
    expect((await second.send('GET', `${place}/archive`)).status).toBe(405);
    expect((await second.send('DELETE', place)).status).toBe(200);
    expect((await second.send('DELETE', place)).status).toBe(404);
    expect((await second.post('weights_info', { tinker_path: path })).status).toBe(404);
    expect(readdirSync(folder)).toEqual(['initial.safetensors', 'notes.txt']);
    for (const hostile of ['..%2f..%2finitial', '%2e%2e', '..'])
      expect((await second.send('DELETE', `training_runs/a/checkpoints/weights/${hostile}`)).status).toBe(404);
    expect(readdirSync(folder)).toEqual(['initial.safetensors', 'notes.txt']);
  });

  it('that an engine keeps elsewhere are listed until the server ends, and not deleted', async () => {
    const { send, create, resultOf } = await serve();
    const modelId = await create();
    await resultOf('save_weights', { model_id: modelId, path: 'a' });
    await resultOf('save_weights_for_sampler', { model_id: modelId, path: 'b' });
    const place = `training_runs/${modelId}/checkpoints`;
    expect((await send('DELETE', `${place}/weights/a`)).status).toBe(405);
    expect((await send('DELETE', `${place}/sampler_weights/b`)).status).toBe(200);
    expect((await send('DELETE', `${place}/sampler_weights/b`)).status).toBe(404);
    expect(bodyOf(await send('GET', place)).checkpoints).toMatchObject([{ checkpoint_id: 'weights/a' }]);
    expect((await send('GET', 'training_runs/unknown/checkpoints')).status).toBe(404);
  });

  it('are deleted where the engine keeps them', async () => {
    const discarded: string[] = [];
    const discard = async (checkpoint: string) => void discarded.push(checkpoint);
    const { send, create, resultOf } = await serve({ checkpoint: (name) => `at/${name}`, discard });
    const modelId = await create();
    await resultOf('save_weights', { model_id: modelId, path: 'a' });
    const place = `training_runs/${modelId}/checkpoints/weights/a`;
    const remove = async (path: string) => (await send('DELETE', path)).status;
    expect([await remove(place), await remove(place)]).toEqual([200, 200]);
    expect(await remove('training_runs/model_of_before/checkpoints/weights/b')).toBe(200);
    for (const hostile of ['..%2fb', '%2e%2e', '.b'])
      expect(await remove(`training_runs/${modelId}/checkpoints/weights/${hostile}`)).toBe(404);
    expect(await remove('training_runs/..%2fa/checkpoints/weights/b')).toBe(404);
    expect(discarded).toEqual([`at/${modelId}.a`, `at/${modelId}.a`, 'at/model_of_before.b']);
    expect(bodyOf(await send('GET', 'checkpoints')).checkpoints).toEqual([]);
  });

  it('of a sampler are forgotten with its path', async () => {
    const { post, send, create, open, resultOf } = await serve();
    const modelId = await create();
    const { path } = bodyOf(await resultOf('save_weights_for_sampler', { model_id: modelId, path: 'a' }));
    const session = { session_id: await open(), sampling_session_seq_id: 4 };
    const { json } = await post('create_sampling_session', { ...session, model_path: path });
    const id = `${session.session_id}:sample:4`;
    expect(json.sampling_session_id).toBe(id);
    expect(bodyOf(await send('GET', `samplers/${id}`))).toEqual({
      ...{ sampler_id: id, base_model: 'bigram', model_path: path },
    });
    expect(bodyOf(await send('GET', `sessions/${session.session_id}`))).toMatchObject({ sampler_ids: [id] });
    await send('DELETE', `training_runs/${modelId}/checkpoints/sampler_weights/a`);
    expect((await send('GET', `samplers/${id}`)).status).toBe(404);
    expect(bodyOf(await send('GET', 'sessions')).sessions).toContain(session.session_id);
  });
});
