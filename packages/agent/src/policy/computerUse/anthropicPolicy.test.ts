import { GyreError } from '@gyre/protocol';
import { afterEach, expect, test } from 'vitest';
import { anthropicPolicy } from './anthropicPolicy.js';
import { type AnthropicScript, anthropicDouble, says, use } from './double/anthropicDouble.test.fixture.js';
import { play } from './loop.test.fixture.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(script: AnthropicScript, minScreenshots = 5) {
  const double = await anthropicDouble(script);
  closing.push(double.close);
  const policy = anthropicPolicy({
    model: 'claude-test',
    apiKey: 'secret',
    url: double.url,
    minScreenshots,
    retries: 1,
  });
  const messages = (number: number) => double.requests[number]?.body.messages as { content: object[] }[];
  return { double, policy, messages };
}

test('plays with the toolset until it answers without a call', async () => {
  const { policy, double, messages } = await served(
    (number) =>
      [
        { content: [says('There it is.'), use('a', 'left_click', { coordinate: [784, 16] })] },
        { content: [use('b', 'type', { text: 'x' }), use('c', 'key', { text: 'ctrl+Return', repeat: 2 })] },
      ][number] ?? { content: [says('42')] },
  );
  const { decisions } = await play(policy, 5);
  expect(decisions).toMatchObject([
    // Px of the screenshot, not of the screen.
    { thought: 'There it is.', actions: [{ type: 'click', point: { x: 784.5 / 1568, y: 16.5 / 32 } }] },
    {
      actions: [
        { type: 'type', text: 'x' },
        { type: 'hotkey', keys: 'ctrl enter' },
        { type: 'hotkey', keys: 'ctrl enter' },
      ],
    },
    { actions: [{ type: 'finished', answer: '42' }] },
  ]);
  const { body, headers } = double.requests[0]!;
  expect(headers['x-api-key'] ?? headers.authorization).toMatch(/secret$/);
  expect(headers).not.toHaveProperty('anthropic-beta');
  expect(body.tools).toEqual([
    {
      type: 'computer_toolset_20260801',
      configs: { cursor_position: { enabled: false }, triple_click: { enabled: false }, zoom: { enabled: false } },
    },
  ]);
  expect(messages(0)[0]?.content).toMatchObject([{ type: 'text', text: 'press it' }, { type: 'image' }]);
  expect(messages(2)[3]).toMatchObject({ content: [use('b', 'type', { text: 'x' }), { id: 'c' }] });
  expect(messages(2)[4]?.content).toMatchObject([
    { type: 'tool_result', tool_use_id: 'b', toolset_name: 'computer', content: [{ type: 'text' }] },
    { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text' }, { type: 'image' }] },
  ]);
  expect(policy.counts).toEqual({ turns: 3, malformed: 0, inputTokens: 135, cachedTokens: 90, outputTokens: 21 });
});

test('keeps the newest screenshots and every text', async () => {
  const { policy, messages } = await served((number) => ({ content: [use(`t${number}`, 'wait', { duration: 1 })] }), 2);
  await play(policy, 7);
  const pictures = (number: number) => (JSON.stringify(messages(number)).match(/"type":"image"/g) ?? []).length;
  expect([0, 1, 2, 3, 4, 5, 6].map(pictures)).toEqual([1, 2, 3, 2, 3, 2, 3]);
  expect(JSON.stringify(messages(6)).match(/screenshot left out/g)).toHaveLength(4);
});

test.each([
  ['an unknown tool', use('a', 'left_klick', { coordinate: [1, 1] }), /unknown tool "left_klick"/],
  ['one of another toolset', { ...use('a', 'left_click', { coordinate: [1, 1] }), toolset_name: null }, /unknown tool/],
  ['one that is not offered', use('a', 'triple_click', { coordinate: [1, 1] }), /unknown tool/],
  ['the name of a method', use('a', 'constructor', {}), /unknown tool "constructor"/],
  ['a field too much', use('a', 'left_click', { coordinate: [1, 1], times: 2 }), /times/],
  ['a coordinate that is none', use('a', 'left_click', { coordinate: ['1', 1] }), /coordinate.0/],
  ['half a pixel', use('a', 'mouse_move', { coordinate: [1.5, 1] }), /coordinate.0/],
  ['a place off the screenshot', use('a', 'left_click', { coordinate: [1568, 1] }), /xPx is 1568.*not on the screen/],
  ['an endless wait', use('a', 'wait', { duration: 1000 }), /seconds/],
  ['no place', use('a', 'double_click', {}), /a coordinate is required/],
])('refuses %s with a reason', async (_, call, message) => {
  const { policy, messages } = await served((number) => ({
    content: number === 0 ? [call, use('b', 'left_click', { coordinate: [1, 1] })] : [says('done')],
  }));
  const { decisions, past } = await play(policy, 2);
  expect(decisions[0]).toMatchObject({ actions: [], refused: expect.stringMatching(message) as string });
  expect(past[0]?.actions).toEqual([]);
  expect(messages(1)[2]?.content).toMatchObject([
    { tool_use_id: 'a', is_error: true, content: [{ text: expect.stringMatching(message) as string }] },
    { tool_use_id: 'b', is_error: true, content: [{ text: 'not executed: an earlier call failed' }] },
    { type: 'text' },
    { type: 'image' },
  ]);
  expect(policy.counts.malformed).toBe(1);
});

test('does what comes before a wrong call, and tells what the screen has refused', async () => {
  const { policy, messages } = await served(
    (number) =>
      [
        {
          content: [use('a', 'left_mouse_down', {}), use('b', 'scroll', { scroll_direction: 'in', scroll_amount: 1 })],
        },
        { content: [use('c', 'right_click', { coordinate: [1, 1], text: 'shift' }), use('d', 'left_mouse_up', {})] },
      ][number] ?? { content: [says('done')] },
  );
  const { past } = await play(policy, 3, ({ type }) => type === 'right_click');
  expect(past.map(({ actions }) => actions.map(({ type }) => type))).toEqual([
    ['mouse_down'],
    ['press', 'right_click'],
    ['finished'],
  ]);
  expect(messages(1)[2]?.content).toMatchObject([
    { tool_use_id: 'a', content: [{ text: 'Done.' }] },
    { tool_use_id: 'b', is_error: true },
    { type: 'image' },
  ]);
  expect(messages(2)[4]?.content).toMatchObject([
    { tool_use_id: 'c', is_error: true },
    { tool_use_id: 'd', is_error: true },
    { type: 'text', text: 'refused right_click: this screen does not' },
    { type: 'image' },
  ]);
});

test.each([
  ['hold_key', { text: 'w', duration: 2 }, ['press w', 'wait 2', 'release w']],
  [
    'left_click',
    { text: 'ctrl+shift' },
    ['press ctrl', 'press shift', 'mouse_down', 'mouse_up', 'release shift', 'release ctrl'],
  ],
  ['scroll', { scroll_direction: 'down', scroll_amount: 10 }, ['scroll', 'scroll']],
  ['key', { text: 'ctrl++' }, ['hotkey ctrl +']],
])('says %s %j by its actions', async (name, input, expected) => {
  const { policy } = await served(() => ({ content: [use('a', name, input)] }));
  const { decisions } = await play(policy, 1);
  const reported = decisions[0]?.actions.map((action) =>
    [
      action.type,
      ...['key', 'keys', 'seconds'].flatMap((field) => (field in action ? [action[field as never]] : [])),
    ].join(' '),
  );
  expect(reported).toEqual(expected);
});

test.each([
  ['refusal', [], { actions: [{ type: 'call_user' }] }],
  ['max_tokens', [use('a', 'left_click', { coordinate: [1, 1] })], { actions: [], refused: /cut off: max_tokens/ }],
  ['max_tokens', [], { actions: [], refused: /cut off/ }],
])('ends or wastes a turn that stops by %s', async (stop_reason, content, expected) => {
  const { policy } = await served((number) => (number === 0 ? { content, stop_reason } : { content: [says('done')] }));
  const { decisions } = await play(policy, 2);
  const { refused } = expected as { refused?: RegExp };
  expect(decisions[0]).toMatchObject({
    ...expected,
    ...(refused && { refused: expect.stringMatching(refused) as string }),
  });
  expect(decisions.at(-1)?.actions).toMatchObject([{ type: stop_reason === 'refusal' ? 'call_user' : 'finished' }]);
});

test.each([
  [401, 'authentication_error', 'bad_input', 'apiKey', 1],
  [404, 'not_found_error', 'bad_input', 'model', 1],
  [400, 'invalid_request_error', 'bad_input', 'model', 1],
  [529, 'overloaded_error', 'infra', 'model', 2],
] as const)('tells status %i as it is', async (status, type, code, field, tries) => {
  const { policy, double } = await served(() => ({ status, type, message: 'because of that' }));
  const error = await play(policy, 1).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(GyreError);
  expect(error).toMatchObject({
    code,
    detail: { field },
    message: expect.stringContaining('because of that') as string,
  });
  expect(double.requests).toHaveLength(tries);
});

test('tells a service that cannot be reached as infrastructure', async () => {
  const policy = anthropicPolicy({ model: 'm', apiKey: 'x', url: 'http://127.0.0.1:1', retries: 0 });
  await expect(play(policy, 1)).rejects.toMatchObject({ code: 'infra' });
});
