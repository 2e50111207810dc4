import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseT5 } from '@gyre/protocol';
import { EngineThread, loadPolicyCheckpoint, weightsFile, base } from '@gyre/engine';
import sharp from 'sharp';
import type { Frame } from '@gyre/sandbox';
import { frameOf } from '../frame.test.fixture.js';
import { nativePolicy } from '../nativePolicy.js';
import type { Context } from '../policy.js';
import { endpointPolicy } from './endpointPolicy.js';
import { type ModelServer, serveModel } from './modelServer.js';

const size = { width: 160, height: 160 };
let engine: EngineThread;
let server: ModelServer;
let screen: Frame;

beforeAll(async () => {
  const file = weightsFile(base);
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
  const [there, own] = [await served.decide(context()), await here.decide(context())];
  expect(there.sample?.tokens).toEqual(own.sample?.tokens);
  expect(there.sample?.logprobs).toEqual(own.sample?.logprobs);
  expect(there.text).toBe(own.text);
  expect(there.sample?.policyVersion).toBe(own.sample?.policyVersion);
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
    // As @ui-tars/sdk has it.
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
