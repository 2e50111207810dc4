import { once } from 'node:events';
import { BrowserPool, browserOf, type LeaseOptions, type Session } from '@gyre/sandbox';
import { families, type TaskFamily } from '@gyre/tasks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { FailureBody } from './failure.js';
import { type OpenenvOptions, type OpenenvServer, serveOpenenv } from './server.js';
import type { Result, State } from './wire.js';

interface Answer {
  type: string;
  data: Result & State & FailureBody;
}

const basics: readonly TaskFamily[] = Object.values(families);
let pool: BrowserPool;
const leased: Session[] = [];
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 4 });
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});
afterAll(() => pool.close());

async function serve(options: Partial<OpenenvOptions> = {}): Promise<OpenenvServer> {
  const lease = async (terms: LeaseOptions) => {
    const session = await pool.lease(terms);
    leased.push(session);
    return session;
  };
  const server = await serveOpenenv({ pool: { lease }, families: basics, sessions: 2, ...options });
  opened.push(server);
  return server;
}

async function connect({ url }: OpenenvServer) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  opened.push({ close: () => socket.terminate() });
  const heard: Answer[] = [];
  const waiting: ((answer: Answer) => void)[] = [];
  socket.on('message', (raw: Buffer) => {
    const answer = JSON.parse(raw.toString()) as Answer;
    const next = waiting.shift();
    if (next) next(answer);
    else heard.push(answer);
  });
  const hear = (): Promise<Answer> => {
    const first = heard.shift();
    return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
  };
  await once(socket, 'open');
  const say = (text: string) => {
    socket.send(text);
    return hear();
  };
  return { socket, hear, say, ask: (type: string, data?: unknown) => say(JSON.stringify({ type, data })) };
}

const post = async (url: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, never> };
};

const click = (x: number, y: number) => ({ type: 'click', point: { x, y } });

describe('a WebSocket', () => {
  test('plays a task from reset to the verdict, which comes last', async () => {
    const client = await connect(await serve());
    const { type, data } = await client.ask('reset', { task: 'form/train/3', episode_id: 'mine', unknown: 1 });
    expect(type).toBe('observation');
    expect(data).toMatchObject({ reward: null, done: false, observation: { step: 0, last_action_error: null } });
    const { observation } = data;
    expect(Buffer.from(observation.screenshot, 'base64').subarray(1, 4).toString()).toBe('PNG');

    let [last, earned] = [data, 0];
    while (!last.done) {
      expect(last.observation).toMatchObject({ end: null, verdict: null });
      const solved = await browserOf(leased.at(-1)!).evaluate<object[] | { actions: object[] }>(
        'globalThis.gyreTask.solve()',
      );
      const [action] = Array.isArray(solved) ? solved : solved.actions;
      // As pydantic serialises it.
      last = (await client.ask('step', { ...action, button: null, metadata: {} })).data;
      earned += last.reward ?? 0;
    }
    expect(last.observation).toMatchObject({ end: 'finished', verdict: { success: true, source: 'verifier' } });
    expect(earned).toBeGreaterThan(0);
    expect((await client.ask('state')).data).toEqual({
      episode_id: 'mine',
      step_count: last.observation.step,
      task: 'form/train/3',
      done: true,
    });
    expect((await client.ask('step', click(0, 0))).data).toMatchObject({ code: 'EXECUTION_ERROR' });
  });

  test('accepts turns as models print them; an unparsable one wastes a step', async () => {
    const client = await connect(await serve());
    const { instruction } = (await client.ask('reset', { family: 'form', seed: 1 })).data.observation;
    expect(instruction).not.toBe('');
    const t5 = (point: string) =>
      `<seed:tool_call><function=click><parameter=point><point>${point}</point></parameter></function></seed:tool_call>`;
    const step = async (data: object) => (await client.ask('step', data)).data.observation;
    expect(await step({ text: t5('1 1') })).toMatchObject({ step: 1, last_action_error: null });
    expect(await step({ text: "Action: click(point='<point>1 1</point>')" })).toMatchObject({
      last_action_error: null,
    });
    expect((await step({ text: 'click it' })).last_action_error).toContain('doubao');
    expect((await step({ text: t5('here') })).last_action_error).toContain('t5');
    expect((await step({ type: 'press', key: 'no such key' })).last_action_error).toContain('refused press');
    const ended = await step({ type: 'finished' });
    expect(ended).toMatchObject({ step: 6, end: 'finished', verdict: { success: false } });
  });

  test('returns notices in the metadata of an observation, separate from refusals', async () => {
    const client = await connect(await serve());
    await client.ask('reset', { family: 'form', seed: 1 });
    const step = async (data: object) => (await client.ask('step', data)).data.observation;
    const call = '<function=click><parameter=point><point>1 1</point></parameter></function>';
    const read = await step({ text: call, format: 't5' });
    expect(read).toMatchObject({ step: 1, last_action_error: null });
    expect(read.metadata.notices).toHaveLength(1);
    expect(await step(click(0, 0))).toMatchObject({ last_action_error: null, metadata: { notices: [] } });
    const { metadata } = await step({ type: 'navigate', url: 'http://127.0.0.1:9/' });
    expect(metadata.notices.join()).toContain('net::ERR_');
  });

  test('ends an episode whose budget is spent', async () => {
    const client = await connect(await serve());
    let { data } = await client.ask('reset', { family: 'click', seed: 1 });
    while (!data.done) data = (await client.ask('step', click(0, 0))).data;
    const { step, step_budget: budget, end, verdict } = data.observation;
    expect({ step, end, success: verdict?.success }).toEqual({ step: budget, end: 'out_of_budget', success: false });
  });

  test('has an environment of its own, the same for the same seed', async () => {
    const server = await serve();
    const [a, b] = await Promise.all([connect(server), connect(server)]);
    const resets = await Promise.all([a.ask('reset', { seed: 5 }), b.ask('reset', { seed: 5 })]);
    const [first, second] = resets.map(({ data }) => data.observation);
    expect(first).toEqual(second);
    const otherObservation = (await b.ask('reset', { seed: 6 })).data.observation;
    expect(otherObservation.screenshot_sha256).not.toBe(first?.screenshot_sha256);
    await a.ask('step', click(0.5, 0.5));
    expect([(await a.ask('state')).data.step_count, (await b.ask('state')).data.step_count]).toEqual([1, 0]);
    // Answers keep the order of requests, even unawaited.
    a.socket.send(JSON.stringify({ type: 'reset', data: { seed: 5 } }));
    expect((await a.ask('state')).type).toBe('observation');
    expect(await a.hear()).toMatchObject({ type: 'state', data: { step_count: 0 } });
  });

  test.each([
    ['{', 'INVALID_JSON'],
    ['[]', 'VALIDATION_ERROR'],
    ['{"type":"jump"}', 'UNKNOWN_TYPE'],
    ['{"type":"step","data":{"type":"click","point":{"x":0,"y":0}}}', 'EXECUTION_ERROR'],
    ['{"type":"step","data":{"type":"click","point":{"x":7,"y":0}}}', 'VALIDATION_ERROR'],
    ['{"type":"step"}', 'VALIDATION_ERROR'],
    ['{"type":"reset","data":{"seed":-1}}', 'VALIDATION_ERROR'],
    ['{"type":"reset","data":{"family":"slider"}}', 'VALIDATION_ERROR'],
    ['{"type":"reset","data":{"task":"click"}}', 'VALIDATION_ERROR'],
  ])('answers %s with %s, and lives on', async (text, code) => {
    const client = await connect(await serve());
    expect(await client.say(text)).toMatchObject({ type: 'error', data: { code, message: expect.any(String) } });
    expect(await client.ask('state')).toMatchObject({ type: 'state', data: { episode_id: null } });
  });

  test('is refused with the session counts while all sessions are in use', async () => {
    const server = await serve({ sessions: 1 });
    const first = await connect(server);
    await first.ask('reset', {});
    const second = await connect(server);
    expect((await second.hear()).data).toMatchObject({ code: 'CAPACITY_REACHED', active_sessions: 1, max_sessions: 1 });
    second.socket.send('{"type":"state"}');
    await once(second.socket, 'close');
    const leasedBefore = pool.stats.leased;
    first.socket.terminate();
    await expect.poll(() => [server.count, pool.stats.leased]).toEqual([0, leasedBefore - 1]);
    expect((await (await connect(server)).ask('reset', {})).type).toBe('observation');
  });

  test('is disconnected when idle', async () => {
    const server = await serve({ idleMs: 300 });
    const client = await connect(server);
    await client.ask('reset', {});
    expect((await client.hear()).data).toMatchObject({ code: 'SESSION_ERROR' });
    await expect.poll(() => server.count).toBe(0);
  });

  test('continues in a fresh session when its browser dies, as if it had not', async () => {
    const client = await connect(await serve());
    await client.ask('reset', { seed: 5 });
    for (const pid of await pool.pids()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => leased.at(-1)?.state, { timeout: 5_000 }).toBe('broken');
    const { data: unlucky } = await client.ask('step', click(0.5, 0.5));
    expect((await client.ask('state')).data).toMatchObject({ step_count: 1, done: false });
    await client.ask('reset', { seed: 5 });
    const { data: calm } = await client.ask('step', click(0.5, 0.5));
    expect(unlucky.observation).toMatchObject({ step: 1, screenshot_sha256: calm.observation.screenshot_sha256 });
  });

  test('gets a failure if its actions break the page', async () => {
    const impatient = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1, timeoutMs: 1_500 });
    try {
      const lease = (terms: LeaseOptions) => impatient.lease({ ...terms, loadMs: 500 });
      const client = await connect(await serve({ pool: { lease } }));
      await client.ask('reset', { seed: 5 });
      const stop = { type: 'navigate', url: 'data:text/html,<script>for(;;);</script>' };
      const { data } = await client.ask('step', stop);
      expect(data).toMatchObject({
        ...{ done: true, reward: 0 },
        observation: { end: 'agent_fault', verdict: { success: false, score: 0, source: 'verifier' } },
      });
      expect((await client.ask('reset', { seed: 5 })).type).toBe('observation');
    } finally {
      await impatient.close();
    }
  });

  test('gets an error if no session can be leased', async () => {
    const lease = () => Promise.reject(new Error('no browser'));
    const client = await connect(await serve({ pool: { lease } }));
    expect((await client.ask('reset', {})).data).toMatchObject({ code: 'FACTORY_ERROR', retry: true });
  });
});

describe('HTTP', () => {
  test('plays on a fresh environment each time', async () => {
    const server = await serve();
    const first = await post(`${server.url}/reset`, { seed: 5 });
    expect(first.body).toMatchObject({ reward: null, done: false, observation: { step: 0 } });
    const { body } = await post(`${server.url}/step`, { seed: 5, action: click(0, 0) });
    expect(body).toMatchObject({ done: false, observation: { step: 1 } });
    expect(await post(`${server.url}/step`, { action: click(0, 0) })).toMatchObject({
      status: 422,
      body: { detail: { code: 'VALIDATION_ERROR', message: expect.stringContaining('/ws') as string } },
    });
    expect(await (await fetch(`${server.url}/state`)).json()).toMatchObject({ episode_id: null, step_count: 0 });
    expect(await (await fetch(`${server.url}/schema`)).json()).toMatchObject({
      action: { anyOf: expect.any(Array) as unknown[] },
      observation: { properties: { screenshot: { type: 'string' } } },
      state: { properties: { step_count: { type: 'integer' } } },
    });
    expect(server.count).toBe(0);
  });

  test('in production has only the tools, which return no reward', async () => {
    const server = await serve({ mode: 'production' });
    const statuses = await Promise.all(
      ['reset', 'step', 'state'].map(async (name) => (await post(`${server.url}/${name}`, {})).status),
    );
    expect(statuses).toEqual([404, 404, 404]);
    const client = await connect(server);
    expect((await client.ask('reset', {})).data).toMatchObject({ code: 'UNKNOWN_TYPE' });

    const rpc = async (method: string, params: object = {}) =>
      (await post(`${server.url}/mcp`, { jsonrpc: '2.0', id: 1, method, params })).body as {
        result?: { session_id?: string; tools?: { name: string }[]; content?: { type: string; text?: string }[] };
        error?: { code: number };
      };
    expect((await rpc('tools/list')).result?.tools?.map(({ name }) => name)).toEqual(['task', 'act']);
    expect((await rpc('initialize')).error?.code).toBe(-32601);
    expect((await rpc('tools/call', { name: 'task' })).error?.code).toBe(-32602);
    const { session_id } = (await rpc('openenv/session/create')).result ?? {};
    const act = { name: 'act', arguments: { action: click(0, 0) } };
    const { result } = await rpc('tools/call', { session_id, ...act });
    const [text, image] = result?.content ?? [];
    expect(JSON.parse(text?.text ?? '')).toEqual({
      instruction: expect.any(String) as string,
      size: expect.any(Object) as object,
      step: 1,
      step_budget: expect.any(Number) as number,
      last_action_error: null,
      notices: [],
      done: false,
    });
    expect(image?.type).toBe('image');
    await rpc('openenv/session/close', { session_id });
    const socketCall = await client.ask('mcp', { jsonrpc: '2.0', id: 2, method: 'tools/call', params: act });
    expect(socketCall.data).toMatchObject({ id: 2, result: { isError: false } });
    expect(server.count).toBe(1);
  });
});
