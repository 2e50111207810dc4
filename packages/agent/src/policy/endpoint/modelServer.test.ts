import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseT5, turnFormat } from '@gyre/protocol';
import { EngineThread, loadPolicyCheckpoint, weightsFile, pixelPolicyName } from '@gyre/engine';
import sharp from 'sharp';
import type { Frame } from '@gyre/sandbox';
import { frameOf } from '../../loop/frame.test.fixture.js';
import { nativePolicy } from '../nativePolicy.js';
import type { Context } from '../policy.js';
import { endpointPolicy } from './endpointPolicy.js';
import { type ModelServer, serveModel } from './modelServer.js';

const size = { width: 160, height: 160 };
let engine: EngineThread;
let server: ModelServer;
let screen: Frame;

beforeAll(async () => {
  const file = weightsFile(pixelPolicyName);
  const { architecture } = await loadPolicyCheckpoint(file);
  engine = await EngineThread.start({ architecture, seed: 1 });
  await engine.load(file, { optimiser: false });
  server = await serveModel({ engine, name: 'nano' });
  const button = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160"><rect width="160" height="160" fill="#eee"/><rect x="40" y="60" width="80" height="24" rx="4" fill="#2f62d9"/><text x="58" y="77" font-size="13" fill="#fff" font-family="DejaVu Sans">apple</text></svg>`;
  screen = frameOf(await sharp(Buffer.from(button)).png().toBuffer(), size);
});
afterAll(async () => {
  await server.close();
  await engine.close();
});

const context = (): Context => ({
  task: { instruction: 'click "apple"', surfaces: ['screen'], screen: size, stepBudget: 2 },
  screenshots: [screen],
  start: { screenshot: screen.hash, size },
  turns: [
    {
      index: 0,
      actions: [{ type: 'wait' }],
      text: '<seed:tool_call><function=wait></function></seed:tool_call>',
      observation: { screenshot: screen.hash, size },
    },
  ],
  random: () => 0.75,
  episodeId: 'one',
});

async function post(body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const image = () => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${Buffer.from(screen.png).toString('base64')}` },
});

test('decides over HTTP as the policy does in this process, to the token', async () => {
  const served = endpointPolicy({ url: server.url, model: 'nano' });
  const here = nativePolicy({ name: 'nano', engine, temperature: 0 });
  const [there, local] = [await served.decide(context()), await here.decide(context())];
  expect(there.sample?.tokens).toEqual(local.sample?.tokens);
  expect(there.sample?.logprobs).toEqual(local.sample?.logprobs);
  expect(there.text).toBe(local.text);
  expect(there.sample?.policyVersion).toBe(local.sample?.policyVersion);
  expect(served.counts).toMatchObject({ turns: 1, malformed: 0 });
});

test('thinks before it acts, or not, where it is told', async () => {
  const decided = async (thinking: 'unrestricted' | 'none') => {
    const served = await endpointPolicy({ url: server.url, model: 'nano', thinking }).decide(context());
    const here = nativePolicy({ name: 'nano', engine, temperature: 0, thinks: thinking === 'unrestricted' });
    expect(await here.decide(context())).toMatchObject({
      text: served.text,
      sample: { tokens: served.sample?.tokens },
    });
    expect(served.sample?.logprobs.every((logprob) => logprob <= 0)).toBe(true);
    return served;
  };
  const [thoughtful, curt] = [await decided('unrestricted'), await decided('none')];
  expect(thoughtful.thought).toMatch(/\w/);
  expect(curt.thought).toBeUndefined();
});

test('streams the same text as it gives whole', async () => {
  const body = {
    model: 'nano',
    temperature: 0,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'click "apple"' }, image()] }],
    // As @ui-tars/sdk sends it.
    ...{ seed: null, stop: null },
  };
  const whole = (await post(body)).body as { choices: { message: { content: string } }[] };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, stream: true }),
  });
  const events = (await response.text())
    .trim()
    .split('\n\n')
    .map((line) => line.slice('data: '.length));
  expect(events.pop()).toBe('[DONE]');
  const text = events
    .map(
      (event) => (JSON.parse(event) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
    )
    .join('');
  expect(text).toBe(whole.choices[0]?.message.content);
  expect(parseT5(text).ok).toBe(true);
});

const requestBody = (more: object = {}) => ({
  temperature: 0,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'click "apple"' }, image()] }],
  ...more,
});

interface Told {
  readonly choices: readonly {
    readonly index: number;
    readonly message: { readonly content: string };
    readonly finish_reason: string;
    readonly token_ids?: readonly number[];
    readonly logprobs?: {
      readonly content: readonly {
        readonly logprob: number;
        readonly token: string;
        readonly top_logprobs: readonly { readonly token: string; readonly logprob: number }[];
      }[];
    };
  }[];
  readonly usage: { readonly completion_tokens: number };
}
const replyTo = async (more: object): Promise<Told> => (await post(requestBody(more))).body as unknown as Told;

test.each(['max_tokens', 'max_completion_tokens'])('gives no more than %s', async (name) => {
  const whole = (await replyTo({ thinking: { type: 'enabled' }, return_token_ids: true })).choices[0]!;
  for (const limit of [1, 2, whole.token_ids!.length - 1]) {
    const { choices, usage } = await replyTo({ thinking: { type: 'enabled' }, return_token_ids: true, [name]: limit });
    expect(usage.completion_tokens).toBe(limit);
    expect(choices[0]).toMatchObject({ finish_reason: 'length', token_ids: whole.token_ids!.slice(0, limit) });
    const { content } = choices[0]!.message;
    expect(whole.message.content.startsWith(content)).toBe(true);
    expect(parseT5(content).ok).toBe(false);
  }
  const enough = await replyTo({ thinking: { type: 'enabled' }, [name]: whole.token_ids!.length });
  expect(enough.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: whole.message.content } });
});

test('ends before a text of stop', async () => {
  const { choices } = await replyTo({ stop: ['<parameter', 'nowhere'], thinking: { type: 'disabled' } });
  expect(choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: '<seed:tool_call><function=click>' },
  });
});

test('gives n choices, each with its own randomness', async () => {
  const { choices, usage } = await replyTo({ n: 3, temperature: 2, seed: 7, return_token_ids: true });
  expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(new Set(choices.map(({ message }) => message.content)).size).toBeGreaterThan(1);
  expect(usage.completion_tokens).toBe(choices.reduce((sum, { token_ids: ids }) => sum + ids!.length, 0));
});

test('tells the likeliest tokens in the place of each', async () => {
  const { choices } = await replyTo({ logprobs: true, top_logprobs: 3 });
  for (const { token, logprob, top_logprobs: top } of choices[0]!.logprobs!.content) {
    expect(top.length).toBeGreaterThan(0);
    expect(top.length).toBeLessThanOrEqual(3);
    expect(top[0]).toMatchObject({ token, logprob });
    expect(top.map((each) => each.logprob)).toEqual(top.map((each) => each.logprob).sort((a, b) => b - a));
  }
});

test('tells its usage in a stream where that is asked for', async () => {
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requestBody({ stream: true, stream_options: { include_usage: true }, n: 2 })),
  });
  const chunks = (await response.text())
    .trim()
    .split('\n\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line.slice('data: '.length)) as { usage: Told['usage'] | null });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) as number } });
  expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
});

test('reads the prompt of UI-TARS, and answers in the format that it describes', async () => {
  const prompt = (call: string) =>
    `You are a GUI agent.\n\n## Output Format\n\`\`\`\nThought: ...\nAction: ...\n\`\`\`\n\n## Action Space\n${call}\n\n## User Instruction\nclick "apple"`;
  const plain = parseT5((await replyTo({})).choices[0]!.message.content);
  expect(plain.ok).toBe(true);
  for (const [format, call] of [
    ['ui-tars-1.0', "click(start_box='[x1, y1, x2, y2]')"],
    ['ui-tars-1.5', "click(start_box='<|box_start|>(x1,y1)<|box_end|>')"],
    ['doubao', "click(point='<point>x1 y1</point>')"],
  ] as const) {
    const messages = [
      { role: 'user', content: prompt(call) },
      { role: 'user', content: [image()] },
    ];
    const { content } = (await replyTo({ messages })).choices[0]!.message;
    const read = turnFormat(format, size).parse(content);
    if (!read.ok || !plain.ok) throw new Error(content);
    expect(read.thought).toBe(plain.thought);
    expect(read.actions.map(({ type }) => type)).toEqual(plain.actions.map(({ type }) => type));
  }
});

test('reports how many words of a long instruction fit', async () => {
  const text = 'zqxj '.repeat(60);
  const { status, body } = await post(
    requestBody({ messages: [{ role: 'user', content: [{ type: 'text', text }, image()] }] }),
  );
  expect([status, body]).toMatchObject([400, { error: { type: 'invalid_request_error', param: 'messages' } }]);
  const { message } = body.error as { message: string };
  expect(message).toMatch(/has \d+ tokens, but the native policy takes at most 160.*to its first \d+ of \d+ words/);
  const fits = Number(/its first (\d+) of/.exec(message)?.[1]);
  const fitting = requestBody({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'zqxj '.repeat(fits) }, image()] }],
  });
  expect((await post(fitting)).status).toBe(200);
});

test('answers every error in the form of OpenAI', async () => {
  const response = await fetch(`${server.url}/responses`, { method: 'POST' });
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
  const broken = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect([broken.status, await broken.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
});

test.each([
  ['usage without a stream', { stream_options: { include_usage: true } }, 'stream_options'],
  ['the likeliest tokens without their log-probabilities', { top_logprobs: 2 }, 'top_logprobs'],
  ['five texts to stop at', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  ['no tokens', { max_tokens: 0 }, 'max_tokens'],
  ['no choices', { n: 0 }, 'n'],
])('refuses %s', async (_, more, param) => {
  const { status, body } = await post(requestBody(more));
  expect([status, body]).toMatchObject([400, { error: { param } }]);
});

test.each([
  ['no messages', {}, 400, 'messages'],
  [
    'no instruction',
    {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
    },
    400,
    'messages',
  ],
  ['no screenshot', { messages: [{ role: 'user', content: 'click' }] }, 400, 'messages'],
  [
    'an image of elsewhere',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'http://example.org/a.png' } },
          ],
        },
      ],
    },
    400,
    'messages',
  ],
  [
    'no image at all',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
      ],
    },
    400,
    'messages',
  ],
  ['a hot temperature', { messages: [{ role: 'user', content: 'a' }], temperature: 9 }, 400, 'temperature'],
  ['another model', { model: 'gpt', messages: [{ role: 'user', content: 'a' }] }, 404, 'model'],
])('refuses %s', async (_, body, status, param) => {
  const answer = await post(body);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', param } });
});

test('says which model it serves', async () => {
  const list = (await (await fetch(`${server.url}/models`)).json()) as { data: unknown[] };
  expect(list.data).toMatchObject([{ id: 'nano', object: 'model' }]);
});
