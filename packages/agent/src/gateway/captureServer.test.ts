import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Lake } from '@gyre/lake';
import { AccessTokens } from '@gyre/sandbox';
import { type Episode, GyreError, printT5 } from '@gyre/protocol';
import OpenAI, { APIError } from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Script, vllmDouble } from '../policy/endpoint/double/vllmDouble.test.fixture.js';
import { frameOf } from '../loop/frame.test.fixture.js';
import { type GatewayOptions, serveGateway } from './captureServer.js';
import { placeholderFrame } from './placeholderFrame.js';

const size = { width: 40, height: 30 };
const screen = async (background: string) => {
  const png = await sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();
  return frameOf(png, size);
};
const [red, green] = [await screen('red'), await screen('lime')];
const click = printT5({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] });

let directory: string;
let lake: Lake;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-gateway-'));
  lake = await Lake.open(directory);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await lake.close();
  await rm(directory, { recursive: true });
});

async function served(script: Script, options: Partial<GatewayOptions> = {}) {
  const double = await vllmDouble(script);
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const gateway = await serveGateway({ upstream: double.url, lake, log, ...options });
  closing.push(gateway.close, double.close);
  return { double, gateway, lines };
}

const agent = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'secret', maxRetries: 0 });

const picture = ({ png }: { png: Uint8Array }, kind = 'png') => ({
  type: 'image_url' as const,
  image_url: { url: `data:image/${kind};base64,${Buffer.from(png).toString('base64')}` },
});
const first = (screen = red): ChatCompletionMessageParam[] => [
  { role: 'system', content: 'be good' },
  { role: 'user', content: [{ type: 'text', text: 'press it' }, picture(screen)] },
];
const ask = (client: OpenAI, messages: ChatCompletionMessageParam[], more: object = {}) =>
  client.chat.completions.create({ model: 'double', messages, ...more, stream: false });

async function episodes(): Promise<Episode[]> {
  const listed: Episode[] = [];
  for await (const episode of lake.episodes()) listed.push(episode);
  return listed;
}
const end = (url: string, name: string, body?: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/s/${name}/end`, {
    method: 'POST',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const [ofOperator, ofAgents] = [AccessTokens.random(), AccessTokens.random()];
const operator = { token: ofOperator, scope: 'admin' as const };

describe('what an agent does', () => {
  test('is an episode with the screens before its turns, and ids that it has not asked for', async () => {
    const { gateway, double } = await served(() => ({ text: click }), { tokens: [operator] });
    const client = agent(`${gateway.url}/s/one/v1`);
    const answer = await ask(client, first(), { seed: 7, temperature: 0.5 });
    expect(answer.choices[0]).toEqual({
      ...{ index: 0, message: { role: 'assistant', content: click }, finish_reason: 'stop', logprobs: null },
    });
    expect(answer).not.toHaveProperty('prompt_token_ids');
    expect(double.requests[0]).toMatchObject({ seed: 7, temperature: 0.5, logprobs: true, return_token_ids: true });
    expect(double.headers[0]).toMatchObject({ authorization: 'Bearer secret' });
    const later: ChatCompletionMessageParam[] = [
      { role: 'user', content: [{ type: 'text', text: 'press it' }] },
      { role: 'user', content: [picture(green)] },
    ];
    await ask(client, later);
    const outcome = await end(gateway.url, 'one', { success: true, source: 'judge' }, { 'x-gyre-token': ofOperator });
    expect(await outcome.json()).toMatchObject({ turns: 2, source: 'judge' });

    const [episode] = await episodes();
    const sample = {
      tokens: [...Buffer.from(click)],
      logprobs: [...click].map(() => -0.5),
      policyVersion: 0,
      model: 'double',
      prompt: { kept: expect.any(Number) as number, tokens: expect.any(Array) as number[] },
    };
    const action = { type: 'click', point: { x: 0.5, y: 0.5 } };
    const turn = { thought: 'There.', actions: [action], text: click, sample, reward: 0 };
    expect(episode).toMatchObject({
      ...{ policy: 'double', purpose: 'captured', seed: 7, origin: { format: 'openai-chat', source: double.url } },
      task: { family: 'captured', split: 'train', instruction: 'press it', screen: size },
      observation: { screenshot: red.hash, size },
      end: { state: 'finished' },
      verdict: { success: true, score: 1, source: 'judge', evidence: {} },
    });
    expect(episode?.turns).toEqual([
      { index: 0, ...turn, observation: { screenshot: green.hash, size } },
      { index: 1, ...turn, observation: { screenshot: placeholderFrame.hash, size: placeholderFrame.size } },
    ]);
    expect((await lake.check()).damaged).toEqual([]);
    expect(gateway.counts).toEqual({ episodes: 1, turns: 2 });
  });

  test('is passed on chunk by chunk where it streams, and kept as if it had not', async () => {
    const { gateway } = await served(() => ({ text: click }));
    const client = agent(`${gateway.url}/s/one/v1`);
    const stream = await client.chat.completions.create({ model: 'double', messages: first(), stream: true });
    let text = '';
    for await (const chunk of stream) {
      expect(chunk.choices[0]).not.toHaveProperty('token_ids');
      expect(chunk.choices[0]?.logprobs).toBeNull();
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe(click);
    await end(gateway.url, 'one');
    const [episode] = await episodes();
    expect(episode?.turns).toMatchObject([{ text: click, sample: { tokens: [...Buffer.from(click)] } }]);
    expect(episode).not.toHaveProperty('verdict');
  });

  test('has what it asks for itself', async () => {
    const { gateway } = await served(() => ({ text: 'ab' }));
    const answer = await ask(agent(`${gateway.url}/v1`), first(), { logprobs: true, return_token_ids: true });
    expect(answer).toHaveProperty('prompt_token_ids');
    expect(answer.choices[0]).toMatchObject({ token_ids: [97, 98], logprobs: { content: [{}, {}] } });
  });

  test('belongs to the conversation that it goes on with, whatever pictures were dropped', async () => {
    const { gateway } = await served((_, number) => ({ text: `answer ${number}` }));
    const client = agent(`${gateway.url}/v1`);
    const next = (last: string) => [
      ...first(green).map((message) => ({ ...message, content: message.role === 'user' ? 'press it' : 'be good' })),
      { role: 'assistant', content: ` ${last}\n` },
      { role: 'user', content: [picture(green)] },
    ];
    await ask(client, first());
    await ask(client, first());
    const { response } = await client.chat.completions
      .create({ model: 'double', messages: next('answer 0') as ChatCompletionMessageParam[] })
      .withResponse();
    await ask(client, next('answer 9') as ChatCompletionMessageParam[]);
    expect(gateway.counts).toEqual({ episodes: 3, turns: 4 });
    expect((await end(gateway.url, response.headers.get('x-gyre-session') ?? '')).status).toBe(200);
    const [episode] = await episodes();
    expect(episode?.turns.map(({ text }) => text)).toEqual(['answer 0', 'answer 2']);
  });

  test('has a header for its session', async () => {
    const { gateway } = await served(() => ({ text: 'a' }));
    const client = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: 'x',
      defaultHeaders: { 'x-gyre-session': 'two' },
    });
    await ask(client, first());
    await ask(client, first());
    expect(await (await end(gateway.url, 'two')).json()).toMatchObject({ turns: 2 });
  });

  test('without a picture that can be had is a turn of which nothing was seen', async () => {
    const { gateway, lines } = await served(() => ({ text: 'a' }));
    const elsewhere = { type: 'image_url' as const, image_url: { url: 'http://127.0.0.1:1/a.png' } };
    const broken = picture({ png: red.png.subarray(0, 60) });
    for (const content of [[{ type: 'text' as const, text: 'go' }], [elsewhere], [broken]])
      await ask(agent(`${gateway.url}/s/one/v1`), [{ role: 'user', content }]);
    await end(gateway.url, 'one');
    const [episode] = await episodes();
    expect(episode?.observation.screenshot).toBe(placeholderFrame.hash);
    expect(episode?.turns.map(({ observation }) => observation.screenshot)).toEqual(
      Array(3).fill(placeholderFrame.hash),
    );
    expect(lines.join()).toMatch(/URLs are never fetched: http:\/\/127.0.0.1:1\/a.png.*cannot decode an image/);
  });

  test('is kept as PNG whatever it was', async () => {
    const { gateway } = await served(() => ({ text: 'a' }));
    const jpeg = frameOf(await sharp(red.png).jpeg().toBuffer(), size);
    await ask(agent(`${gateway.url}/s/one/v1`), [{ role: 'user', content: [picture(jpeg, 'jpeg')] }]);
    await end(gateway.url, 'one');
    const [episode] = await episodes();
    const metadata = await sharp(await lake.screenshot(episode!.observation.screenshot)).metadata();
    expect(metadata).toMatchObject({ format: 'png', ...size });
  });

  test('ends when no call has come for a while', async () => {
    const { gateway } = await served(() => ({ text: 'a' }), { idleMs: 20 });
    await ask(agent(`${gateway.url}/v1`), first());
    await expect.poll(async () => (await episodes()).length).toBe(1);
    expect((await episodes())[0]).toMatchObject({ end: { state: 'finished' }, turns: [{ text: 'a' }] });
  });

  test('is all there, cut, when the gateway is killed', async () => {
    const double = await vllmDouble((_, number) => ({ text: `answer ${number}` }));
    closing.push(double.close);
    const lakeDirectory = join(directory, 'other');
    const program = fileURLToPath(new URL('./gateway.test.fixture.js', import.meta.url));
    const child = spawn(process.execPath, [program, lakeDirectory, double.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const client = agent(`${line.toString().trim()}/s/one/v1`);
    for (let call = 0; call < 3; call++) await ask(client, first(call === 1 ? green : red));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const reopened = await Lake.open(lakeDirectory);
    const recovered: Episode[] = [];
    for await (const episode of reopened.episodes()) recovered.push(episode);
    await reopened.close();
    expect(recovered).toMatchObject([{ end: { state: 'cut' }, observation: { screenshot: red.hash } }]);
    expect(recovered[0]?.turns.map(({ text, observation }) => [text, observation.screenshot])).toEqual([
      ['answer 0', green.hash],
      ['answer 1', red.hash],
      ['answer 2', placeholderFrame.hash],
    ]);
  });
});

describe('an invalid call', () => {
  const failure = async (promise: Promise<unknown>) => promise.catch((error: unknown) => error) as Promise<APIError>;

  test('is refused as the upstream refuses it, and is no turn', async () => {
    const { gateway, double } = await served(() => ({ status: 401, message: 'who are you' }));
    const error = await failure(ask(agent(`${gateway.url}/v1`), first()));
    expect(error).toMatchObject({ status: 401, error: { message: 'who are you', code: 401 } });
    expect(double.requests).toHaveLength(1);
    expect(gateway.counts.turns).toBe(0);
  });

  test('is asked again without what the upstream does not know', async () => {
    const { gateway, double, lines } = await served((body) =>
      'return_token_ids' in body ? { status: 400, message: 'unknown parameter' } : { text: 'a' },
    );
    const client = agent(`${gateway.url}/s/one/v1`);
    for (let call = 0; call < 2; call++) expect((await ask(client, first())).choices[0]?.message.content).toBe('a');
    expect(double.requests).toHaveLength(3);
    expect(lines.join()).toContain('double does not return token ids');
    await end(gateway.url, 'one');
    for (const turn of (await episodes())[0]?.turns ?? []) expect(turn).not.toHaveProperty('sample');
  });

  test('to an unreachable upstream gets an error', async () => {
    const gateway = await serveGateway({ upstream: 'http://127.0.0.1:1/v1', lake });
    closing.push(gateway.close);
    const error = await failure(ask(agent(`${gateway.url}/v1`), first()));
    expect(error).toMatchObject({ status: 502, code: 'upstream_unreachable' });
    expect(error.message).toMatch(/127.0.0.1:1\/v1 does not answer \(ECONNREFUSED\)/);
  });

  test.each([
    [true, 'cut' as const, 502],
    [false, 'cut' as const, 502],
    [true, { text: click, diesAfter: 4 }, undefined],
  ])('breaks off with the upstream and is not kept (stream: %s, %o)', async (stream, answer, status) => {
    const { gateway } = await served((_, number) => (number === 0 ? answer : { text: 'whole' }));
    const client = agent(`${gateway.url}/s/one/v1`);
    const gathered = async () => {
      if (!stream) return ask(client, first());
      for await (const chunk of await client.chat.completions.create({ model: 'm', messages: first(), stream }))
        expect(chunk.choices).toHaveLength(1);
    };
    const error = await failure(gathered());
    expect(error).toBeInstanceOf(APIError);
    expect(error.status).toBe(status);
    expect(error.message).toMatch(/the upstream at .* (interrupted its answer|does not answer)/);
    await ask(client, first());
    await end(gateway.url, 'one');
    expect((await episodes())[0]?.turns).toMatchObject([{ text: 'whole' }]);
  });

  test.each([true, false])('is an error where the lake cannot take it (stream: %s)', async (stream) => {
    const full = () => Promise.reject(new GyreError('storage', 'the disk is full', { fix: 'free some space' }));
    const { gateway } = await served(() => ({ text: 'a' }), { lake: { putScreenshot: full, begin: full } });
    const gathered = async () => {
      if (!stream) return ask(agent(`${gateway.url}/v1`), first());
      const call = { model: 'm', messages: first(), stream: true as const };
      for await (const chunk of await agent(`${gateway.url}/v1`).chat.completions.create(call))
        expect(chunk.choices).toHaveLength(1);
    };
    expect(await failure(gathered())).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('the disk is full: free some space') as string,
    });
    expect(gateway.counts.turns).toBe(0);
  });

  test('is given up upstream when the agent hangs up', async () => {
    const { gateway, double } = await served(() => 'hang');
    const gone = new AbortController();
    const call = agent(`${gateway.url}/v1`).chat.completions.create(
      { model: 'double', messages: first() },
      { signal: gone.signal },
    );
    await expect.poll(() => double.requests.length).toBe(1);
    gone.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => double.abandoned).toEqual([0]);
    expect(gateway.counts.turns).toBe(0);
  });

  test('with several answers is passed on and not kept', async () => {
    const { gateway, double } = await served(() => ({ text: 'a' }));
    await ask(agent(`${gateway.url}/v1`), first(), { n: 2 });
    expect(double.requests[0]).not.toHaveProperty('return_token_ids');
    expect(gateway.counts.turns).toBe(0);
  });

  test.each([
    ['/v1/chat/completions', '{"messages": [', 400, 'JSON'],
    ['/v1/chat/completions', '[]', 400, 'not a JSON object'],
    ['/v1/chat/completions', JSON.stringify({ messages: 'x'.repeat(65 * 2 ** 20) }), 413, 'larger than 64 MiB'],
    ['/s/a%20b/v1/chat/completions', '{}', 400, 'session name is invalid'],
    ['/v1/responses', '{}', 404, 'POST /v1/responses is not a route'],
    ['/s/none/end', '{"success": true}', 404, 'no session "none" is open'],
    ['/s/none/end', '{"success": "yes"}', 400, 'success: '],
    ['/s/none/end', '{"success": true, "source": "verifier"}', 400, 'source: '],
  ])('to %s gets an error', async (path, body, status, message) => {
    const { gateway } = await served(() => ({ text: 'a' }));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
  });
});

test('lists the models of the upstream', async () => {
  const { gateway } = await served(() => ({ text: 'a' }));
  for (const path of ['', '/s/one']) {
    const { data } = await agent(`${gateway.url}${path}/v1`).models.list();
    expect(data).toEqual([{ id: 'double', object: 'model' }]);
  }
});

test('an invalid upstream URL is refused', async () => {
  await expect(serveGateway({ upstream: 'localhost:8000', lake })).rejects.toThrow(GyreError);
});

describe('an outcome', () => {
  test.each([
    ['without a token', {}],
    ['with a token that is none', { authorization: `Bearer ${'x'.repeat(32)}` }],
    ['as it sends its key', { authorization: 'Bearer secret' }],
  ])('that an agent gives itself %s is its own word, and nothing is trained on it', async (_, headers) => {
    const { gateway } = await served(() => ({ text: click }), { tokens: [operator] });
    await ask(agent(`${gateway.url}/s/one/v1`), first());
    const claimed = { success: true, score: 1, source: 'human', evidence: { seen: 'by nobody' } };
    expect(await (await end(gateway.url, 'one', claimed, headers)).json()).toMatchObject({ source: 'agent' });
    await lake.flush();
    const [episode] = await episodes();
    expect(episode?.verdict).toMatchObject({ success: true, source: 'agent' });
    if (!episode) return;
    for (const stage of ['ct', 'sft', 'rl'] as const) {
      const offered = lake.pool(stage).add([{ episode, origin: 'captured', cycle: 1 }]);
      await expect(offered).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'episode.verdict.source' } });
      expect(await lake.pool(stage).samples()).toEqual([]);
    }
    const ids: string[] = [];
    for await (const { id } of lake.episodes({ success: true })) ids.push(id);
    expect(ids).toEqual([]);
    const { rows } = await lake.sql('SELECT success, score, verdict_source FROM episodes', 10);
    expect(rows).toEqual([[null, null, 'agent']]);
  });

  test('of the operator is a person’s, also where agents bear tokens', async () => {
    const tokens = [operator, { token: ofAgents, scope: 'operate' as const }];
    const { gateway, double } = await served(() => ({ text: click }), { tokens, upstreamKey: 'of-the-upstream' });
    await expect(ask(agent(`${gateway.url}/s/one/v1`), first())).rejects.toThrow('the token is missing or unknown');
    const known = new OpenAI({ baseURL: `${gateway.url}/s/one/v1`, apiKey: ofAgents, maxRetries: 0 });
    await ask(known, first());
    expect(double.headers[0]?.authorization).toBe('Bearer of-the-upstream');
    expect(JSON.stringify(double.headers)).not.toContain(ofAgents);
    const agentEnd = await end(gateway.url, 'one', { success: true }, { authorization: `Bearer ${ofAgents}` });
    expect(await agentEnd.json()).toMatchObject({ source: 'agent' });
    await ask(known, first());
    const judged = await end(gateway.url, 'one', { success: true }, { authorization: `Bearer ${ofOperator}` });
    expect(await judged.json()).toMatchObject({ source: 'human' });
  });
});
