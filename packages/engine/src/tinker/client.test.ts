import { GyreError } from '@gyre/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { BigramEngine } from './bigramEngine.test.fixture.js';
import { type ModelRecord, TinkerClient, type TinkerClientOptions } from './client.js';
import { serveTinker, type TinkerServerOptions } from './server/serveTinker.js';
import { tinkerDatum } from './tinkerData.js';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(options: Partial<TinkerServerOptions> = {}) {
  const engine = new BigramEngine();
  const server = await serveTinker({ engine, ...options });
  closing.push(() => server.close());
  return { engine, server };
}

async function connect(url: string, options: Partial<TinkerClientOptions> = {}) {
  const client = await TinkerClient.open({ url, backoffMs: 1, ...options });
  closing.push(() => client.close());
  return client;
}

async function opened(options: Partial<TinkerClientOptions> = {}, served: Partial<TinkerServerOptions> = {}) {
  const { engine, server } = await serve(served);
  const client = await connect(server.url, options);
  const model = await client.createModel({ baseModel: 'bigram', rank: 8 });
  return { engine, server, client, model };
}

const sentence = { input: [{ tokens: [1, 2, 3, 4] }], weights: [1, 1, 1] };
const data = [tinkerDatum(sentence, { loss: 'cross_entropy', pictureToken: 0 })];
const training = { data, loss: 'cross_entropy' };
const sampling = { maxTokens: 5, temperature: 1, seed: 3 };

/** Delivers requests of a path, and loses the first answers. */
function losing(path: string, losses: number) {
  const sent: string[] = [];
  const carry: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (!(url as string).endsWith(`/${path}`)) return answer;
    sent.push(path);
    if (sent.length > losses) return answer;
    await answer.arrayBuffer();
    throw new TypeError('fetch failed', { cause: new Error('the socket hung up') });
  };
  return { sent, carry };
}

describe('a Tinker client', () => {
  it('trains, saves, samples and unloads', async () => {
    const { client, model, engine } = await opened();
    expect(await client.capabilities()).toEqual([{ model: 'bigram', maxContext: undefined }]);
    const before = await model.forward(training);
    expect(before.outputs.get('logprobs')).toEqual([[1, 2, 3].map(() => Math.fround(Math.log(1 / 12)))]);
    expect(engine.calls).toEqual([]);
    const { metrics } = await model.forwardBackward(training);
    expect(metrics.get('total_loss:sum')).toBeCloseTo(3 * Math.log(12), 12);
    expect(await model.optimStep({ learningRate: 20 })).toEqual({
      'skyrl.ai/grad_norm': expect.closeTo(Math.sqrt(3 * (11 / 12)), 10),
    });
    const after = await model.forward(training);
    expect(after.outputs.get('logprobs')![0]!.every((logprob) => logprob > -0.001)).toBe(true);
    expect(await model.saveWeights('mine')).toBe(`tinker://${model.id}/weights/mine`);
    const modelPath = await model.saveWeightsForSampler('gyre-1');
    const request = { ...sampling, modelPath, input: [{ tokens: [9, 1] }], stop: [4] };
    const greedy = await client.sample({ ...request, temperature: 0 });
    expect(greedy).toMatchObject({ tokens: [2, 3, 4], end: 'stop' });
    expect(await client.sample({ ...request, maxTokens: 2, temperature: 0 })).toMatchObject({ end: 'length' });
    await model.unload();
    const fresh = await client.createModel({ baseModel: 'bigram', rank: 8 });
    expect(await fresh.forward(training)).toEqual(before);
  });

  it('sends requests in the order of the calls', async () => {
    const { model, engine } = await opened();
    await Promise.all([
      model.forwardBackward(training),
      model.optimStep({ learningRate: 1 }),
      model.forwardBackward(training),
      model.optimStep({ learningRate: 2 }),
    ]);
    expect(engine.calls).toEqual(['cross_entropy', 'step 1', 'cross_entropy', 'step 2']);
  });

  it('keeps its session alive', async () => {
    const beats: string[] = [];
    const carry: typeof fetch = (url, init) => {
      if ((url as string).endsWith('session_heartbeat')) beats.push(init?.body as string);
      return fetch(url, init);
    };
    const { client, server } = await opened({ heartbeatMs: 100, fetch: carry }, { sessionTimeoutMs: 2_000 });
    const second = await connect(server.url, { heartbeatMs: 1e6 });
    await expect.poll(() => beats.length, { timeout: 10_000 }).toBeGreaterThan(25);
    await expect((await connect(server.url)).createModel({ baseModel: 'bigram', rank: 8 })).rejects.toMatchObject({
      message: expect.stringMatching(/one model at a time, now .*: unload it, close its client/),
      detail: { field: 'base_model' },
    });
    await expect(second.createModel({ baseModel: 'bigram', rank: 8 })).rejects.toMatchObject({
      detail: { field: 'base_model' },
    });
    // Without heartbeats a session loses its model.
    client.close();
    const count = beats.length;
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(beats.length).toBeLessThanOrEqual(count + 1);
    expect((await second.createModel({ baseModel: 'bigram', rank: 8 })).id).toMatch(/^model_/);
  });
});

describe('models of a process that was killed', () => {
  const recordOf = (ids: Set<string>): ModelRecord => ({
    ids: async () => [...ids],
    add: async (id) => void ids.add(id),
    remove: async (id) => void ids.delete(id),
  });

  it('are unloaded by its successor', async () => {
    const record = recordOf(new Set());
    const { server } = await opened({ heartbeatMs: 1e6, record });
    expect(await record.ids()).toHaveLength(1);
    const stranger = await connect(server.url);
    await expect(stranger.createModel({ baseModel: 'bigram', rank: 8 })).rejects.toThrow('one model at a time');
    const successor = await connect(server.url, { record });
    const model = await successor.createModel({ baseModel: 'bigram', rank: 8 });
    expect(await record.ids()).toEqual([model.id]);
    await model.unload();
    expect(await record.ids()).toEqual([]);
  });

  it('do no harm if the server has forgotten them, or refuses', async () => {
    const record = recordOf(new Set(['model_unknown', '..']));
    const { model } = await opened({ record });
    expect(model.id).toMatch(/^model_/);
  });
});

describe('a lost answer', () => {
  it.each(['forward_backward', 'optim_step', 'save_weights', 'save_weights_for_sampler'])(
    'to %s is fetched again, and nothing is done twice',
    async (path) => {
      const { sent, carry } = losing(path, 2);
      const { model, engine } = await opened({ fetch: carry });
      await model.forwardBackward(training);
      await model.optimStep({ learningRate: 1 });
      await model.saveWeights('a');
      await model.saveWeightsForSampler('a');
      expect(sent).toHaveLength(3);
      expect(engine.calls).toEqual(['cross_entropy', 'step 1']);
    },
  );

  it('of a result is fetched again', async () => {
    const { sent, carry } = losing('retrieve_future', 1);
    const { model, engine } = await opened({ fetch: carry });
    await model.forwardBackward(training);
    expect(sent).toHaveLength(3);
    expect(engine.calls).toEqual(['cross_entropy']);
  });

  it('to unload_model does no harm', async () => {
    const { sent, carry } = losing('unload_model', 1);
    const { client, model } = await opened({ fetch: carry });
    await model.unload();
    expect(sent).toHaveLength(2);
    expect((await client.createModel({ baseModel: 'bigram', rank: 8 })).id).not.toBe(model.id);
  });

  it('to load_weights is fetched again', async () => {
    const { sent, carry } = losing('load_weights', 1);
    const { client, model } = await opened({ fetch: carry });
    const path = await model.saveWeights('a');
    await model.unload();
    const loaded = await client.createModel({ baseModel: 'bigram', rank: 8 });
    await loaded.loadWeights(path);
    expect(sent).toHaveLength(2);
  });

  it('to asample and create_model is an error: a second request would be another one', async () => {
    const { sent, carry } = losing('asample', 1);
    const { client, model } = await opened({ fetch: carry });
    const modelPath = await model.saveWeightsForSampler('a');
    const request = { ...sampling, modelPath, input: [{ tokens: [1] }] };
    const failure = { code: 'infra', detail: { part: 'model_server' } };
    await expect(client.sample(request)).rejects.toMatchObject(failure);
    expect(sent).toHaveLength(1);
    const { server } = await serve();
    const lost = losing('create_model', 1);
    const second = await connect(server.url, { fetch: lost.carry });
    await expect(second.createModel({ baseModel: 'bigram', rank: 8 })).rejects.toMatchObject(failure);
    expect(lost.sent).toHaveLength(1);
  });
});

describe('a Tinker client', () => {
  const bad = (field: string, message: RegExp) => ({
    ...{ code: 'bad_input', message: expect.stringMatching(message) },
    detail: { field, fix: expect.any(String) },
  });

  it('tells what the server refuses, with its words and field', async () => {
    const { client, model } = await opened();
    await expect(client.createModel({ baseModel: 'gpt', rank: 8 })).rejects.toMatchObject(
      bad('base_model', /create_model with 404: base_model: this server has bigram/),
    );
    await expect(model.forwardBackward({ ...training, loss: 'dppo' })).rejects.toMatchObject(
      bad('loss_fn', /"dppo" is none of cross_entropy, importance_sampling/),
    );
    await expect(model.forwardBackward({ ...training, loss: 'importance_sampling' })).rejects.toMatchObject(
      bad('logprobs', /importance_sampling needs them/),
    );
    const short = [
      { ...data[0]!, inputs: new Map([...data[0]!.inputs, ['weights', { type: 'f32' as const, values: [1] }]]) },
    ];
    await expect(model.forwardBackward({ ...training, data: short })).rejects.toMatchObject(
      bad('data.0.weights', /has 1 values, but the chunks have 3 tokens/),
    );
    const infinite = new Map([...data[0]!.inputs, ['weights', { type: 'f32' as const, values: [1, Infinity, 1] }]]);
    await expect(
      model.forwardBackward({ ...training, data: [{ ...data[0]!, inputs: infinite }] }),
    ).rejects.toMatchObject(bad('data.0.weights', /not finite/));
    const shifted = [{ ...data[0]!, chunks: [{ tokens: [1, 3, 3] }] }];
    await expect(model.forwardBackward({ ...training, data: shifted })).rejects.toMatchObject(
      bad('data.0.target_tokens', /number 0 is not the next token/),
    );
    const unknown = tinkerDatum(
      { ...sentence, input: [{ tokens: [1, 2, 3, 99] }] },
      { loss: 'cross_entropy', pictureToken: 0 },
    );
    await expect(model.forwardBackward({ ...training, data: [unknown] })).rejects.toMatchObject(
      bad('input', /a token is unknown: use ids below 12/),
    );
    await expect(model.saveWeights('../a')).rejects.toMatchObject(bad('path', /letters, digits/));
    await expect(model.loadWeights('tinker://a/weights/b')).rejects.toMatchObject(bad('path', /first request/));
    await model.unload();
    await expect(model.forward(training)).rejects.toMatchObject(bad('model_id', /there is no model/));
    const fresh = await client.createModel({ baseModel: 'bigram', rank: 8 });
    await expect(fresh.loadWeights('tinker://a/weights/b')).rejects.toMatchObject(
      bad('path', /there are no saved weights tinker:\/\/a\/weights\/b/),
    );
  });

  it('tells that a number was used by another request', async () => {
    const { model, server, engine } = await opened();
    const body = JSON.stringify({ model_id: model.id, seq_id: 1, adam_params: { learning_rate: 3 } });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${server.url}/api/v1/optim_step`, { method: 'POST', headers, body });
    await expect(model.forwardBackward(training)).rejects.toMatchObject(bad('seq_id', /400: .* was another request/));
    expect(engine.calls).toEqual(['step 3']);
  });

  it('takes the death of a trainer for a fault of the server, which SkyRL answers with 400', async () => {
    const { engine, model } = await opened();
    // SkyRL 0.4 with its PolicyWorker killed.
    const words = 'The actor died unexpectedly before finishing this task. class_name: FSDPPolicyWorkerBase';
    engine.forwardBackward = () => Promise.reject(new GyreError('bad_input', words));
    await expect(model.forwardBackward(training)).rejects.toMatchObject({
      ...{ code: 'infra', message: expect.stringContaining('with 400: The actor died') as string },
      detail: { fix: 'restart SkyRL with its Ray, then resume the run' },
    });
  });

  it('is refused without a token', async () => {
    const { server } = await serve({ tokens: ['a-secret-of-the-server'] });
    await expect(connect(server.url)).rejects.toMatchObject(bad('apiKey', /401: the token is missing or unknown/));
    const client = await connect(server.url, { apiKey: 'a-secret-of-the-server' });
    expect(await client.capabilities()).toHaveLength(1);
  });

  it('does not send a picture to asample, unless the server keeps it', async () => {
    const { client, model, server } = await opened();
    const picture = { hash: 'a', png: new Uint8Array(8), size: { width: 1, height: 1 } };
    const modelPath = await model.saveWeightsForSampler('a');
    const request = { ...sampling, modelPath, input: [{ picture, length: 4 }, { tokens: [1] }] };
    await expect(client.sample(request)).rejects.toMatchObject(bad('input', /drop them without an error/));
    const keeping = await connect(server.url, { samplesPictures: true });
    await expect(keeping.sample(request)).rejects.toMatchObject(bad('prompt.chunks.0.data', /no PNG/));
  });

  it('names a server that does not answer, or otherwise than the protocol', async () => {
    const gone = await serveTinker({ engine: new BigramEngine() });
    await gone.close();
    await expect(connect(gone.url, { retries: 1 })).rejects.toMatchObject({
      ...{ code: 'infra', message: expect.stringMatching(/does not answer \(fetch failed: .*ECONNREFUSED/) },
      detail: { field: 'url', part: 'model_server' },
    });
    await expect(connect('127.0.0.1:1')).rejects.toMatchObject(bad('url', /is not the URL/));
    const answering = (body: unknown, status = 200) => {
      const fetch = () => Promise.resolve(Response.json(body, { status }));
      return connect('http://127.0.0.1:1', { fetch, retries: 1 });
    };
    await expect(answering({ session: 1 })).rejects.toMatchObject({
      ...{ code: 'infra', message: expect.stringMatching(/create_session unexpectedly: session_id: /) },
    });
    await expect(answering({ detail: 'down' }, 503)).rejects.toMatchObject({ code: 'infra', message: /503: down/ });
    const location = { detail: [{ loc: ['body', 'tags', 0], msg: 'no text' }] };
    await expect(answering(location, 422)).rejects.toMatchObject(bad('tags.0', /422: /));
  });

  it('waits for a result as long as it takes', async () => {
    const { engine, model } = await opened({}, { holdMs: 20 });
    const { forwardBackward } = BigramEngine.prototype;
    engine.forwardBackward = async (...request) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return forwardBackward.apply(engine, request);
    };
    await model.forwardBackward(training);
    expect(engine.calls).toEqual(['cross_entropy']);
  });

  it('stops waiting when it is aborted or closed', async () => {
    const { engine, model, client } = await opened();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const { forward } = BigramEngine.prototype;
    engine.forward = async (requests) => {
      await released;
      return forward.apply(engine, [requests]);
    };
    const over = new AbortController();
    const waiting = model.forward({ ...training, signal: over.signal });
    const second = model.forward(training);
    setTimeout(() => over.abort(new Error('over')), 50);
    await expect(waiting).rejects.toThrow('over');
    await expect(model.forward({ ...training, signal: over.signal })).rejects.toThrow('over');
    setTimeout(() => client.close(), 50);
    await expect(second).rejects.toThrow('the Tinker client is closed');
    release();
  });

  it('reports a failure of the engine as one of the server', async () => {
    const faults: unknown[] = [];
    const { engine, model } = await opened({ retries: 0 }, { onFault: (fault) => faults.push(fault) });
    engine.optimStep = () => Promise.reject(new GyreError('numeric', 'a weight is NaN', { field: 'learningRate' }));
    await expect(model.optimStep({ learningRate: 1 })).rejects.toMatchObject({
      ...{ code: 'infra', message: expect.stringMatching(/optim_step with 500: a weight is NaN/) },
    });
    engine.optimStep = () => Promise.reject(new Error('/secret/path'));
    await expect(model.optimStep({ learningRate: 1 })).rejects.toThrow(/internal error of the server/);
    expect(faults).toHaveLength(2);
  });
});

describe('weights at a server', () => {
  const json = (status: number, body: object) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

  /** Answers DELETE and the list of checkpoints in the place of the server. */
  const answering = (deletion: Response, list: Response): Partial<TinkerClientOptions> => ({
    fetch: async (url, init) => {
      if (init?.method === 'DELETE') return deletion;
      return (url as string).endsWith('/checkpoints') ? list : fetch(url, init);
    },
  });

  it('are deleted once, by their path', async () => {
    const discarded: string[] = [];
    const { client, model } = await opened({}, { discard: async (name) => void discarded.push(name) });
    expect(await client.deleteWeights(await model.saveWeights('first'))).toBe(true);
    expect(discarded).toEqual([`${model.id}.first`]);
    const published = await model.saveWeightsForSampler('second');
    for (const path of [published, published]) expect(await client.deleteWeights(path)).toBe(true);
    expect(discarded).toHaveLength(1);
    for (const path of ['first', 'tinker://m', 'tinker://m/weights/../x', 'tinker://m/weights/a/b', 'file:///x']) {
      await expect(client.deleteWeights(path)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'path' } });
    }
  });

  const path = 'tinker://m/weights/a';
  const listed = json(200, { checkpoints: [{ checkpoint_id: 'a', tinker_path: path }] });
  const sampled = json(200, { checkpoints: [{ checkpoint_id: 'a', tinker_path: 'tinker://m/sampler_weights/a' }] });
  it.each([
    ['a deletion without a body', new Response(null, { status: 204 }), listed, true],
    ['weights that are gone', json(404, { detail: 'Checkpoint not found' }), json(200, { checkpoints: [] }), true],
    ['publications that stay', json(404, { detail: 'Not Found' }), sampled, false, 'tinker://m/a'],
    [
      'weights of a run of the SDK',
      new Response(null, { status: 204 }),
      listed,
      true,
      'tinker://a-1:train:0/weights/b',
    ],
    ['weights that stay', json(404, { detail: 'Not Found' }), listed, false],
    ['a server without the routes', json(404, { detail: 'Not Found' }), json(404, { detail: 'Not Found' }), false],
    ['a server that deletes none', json(501, { detail: 'no' }), listed, false],
    ['a method that is not allowed', json(405, { detail: 'Method Not Allowed' }), listed, false],
  ])('are told apart: %s', async (_, deletion, list, isGone, weights = path) => {
    const { client } = await opened(answering(deletion, list.clone()));
    expect(await client.deleteWeights(weights)).toBe(isGone);
  });

  it('throw for a refused deletion', async () => {
    const { client } = await opened(answering(json(403, { detail: 'not yours' }), listed.clone()));
    await expect(client.deleteWeights(path)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'apiKey' } });
  });
});

describe('an archive', () => {
  /** Answers downloads in the place of servers, by address. */
  async function downloaded(answers: (address: string, headers: Headers) => Response | Promise<Response>) {
    const { client, server } = await opened({
      ...{ apiKey: 'secret', retries: 2 },
      fetch: async (url, init) => {
        const address = url as string;
        return /archive|elsewhere/.test(address) ? answers(address, new Headers(init?.headers)) : fetch(url, init);
      },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of await client.archive('tinker://m/sampler_weights/a')) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks).toString(), server };
  }

  it('is read in chunks, after failures that pass, where the answer names its address', async () => {
    const requests: [string, string | null][] = [];
    let failures = 1;
    const { bytes, server } = await downloaded((address, headers) => {
      requests.push([address, headers.get('x-api-key')]);
      if (address.startsWith('https://elsewhere/')) return new Response('bytes');
      if (failures-- > 0) return new Response('', { status: 503 });
      return Response.json({ url: 'https://elsewhere/signed?key=1' });
    });
    expect(bytes).toBe('bytes');
    const route = `${server.url}/api/v1/training_runs/m/checkpoints/sampler_weights/a/archive`;
    expect(requests).toEqual([
      [route, 'secret'],
      [route, 'secret'],
      ['https://elsewhere/signed?key=1', null],
    ]);
  });

  const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });
  it.each([
    ['a refusal', () => new Response('{"detail":"no such run"}', { status: 404 }), 'bad_input', 'no such run'],
    ['JSON', () => Response.json({ type: 'none' }), 'infra', 'not an archive'],
    ['a redirect to a file', () => redirect('file:///etc/passwd'), 'infra', 'not an archive'],
    ['redirects without end', () => redirect('/archive'), 'infra', 'not an archive'],
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed')), 'infra', 'does not answer'],
  ] as const)('is not taken from %s', async (_, answer, code, words) => {
    await expect(downloaded(answer)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
  });

  it('ends when no data arrives', async () => {
    const stuck = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('part')) });
    const { client } = await opened({
      timeoutMs: 300,
      fetch: async (url, init) => {
        if (!(url as string).endsWith('/archive')) return fetch(url, init);
        init?.signal?.addEventListener('abort', () => controllers.forEach((controller) => controller.error('stalled')));
        return new Response(stuck.pipeThrough(tapped()));
      },
    });
    const chunks: unknown[] = [];
    await expect(
      (async () => {
        for await (const chunk of await client.archive('tinker://m/a')) chunks.push(chunk);
      })(),
    ).rejects.toMatchObject({ code: 'infra' });
    expect(chunks).toHaveLength(1);
  });
});

const controllers: TransformStreamDefaultController[] = [];
/** Lets an abort end the stream, as fetch does. */
const tapped = () => new TransformStream({ start: (controller) => void controllers.push(controller) });
