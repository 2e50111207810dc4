import { GyreError } from '@gyre/protocol';
import { afterEach, expect, test } from 'vitest';
import { calls, type ResponsesScript, responsesDouble, says } from './double/responsesDouble.test.fixture.js';
import { placeholderFrame } from '../../gateway/placeholderFrame.js';
import { play } from './loop.test.fixture.js';
import { openaiComputerPolicy } from './openaiComputerPolicy.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(script: ResponsesScript, minScreenshots = 5) {
  const double = await responsesDouble(script);
  closing.push(double.close);
  const policy = openaiComputerPolicy({
    model: 'gpt-test',
    apiKey: 'secret',
    url: double.url,
    minScreenshots,
    retries: 1,
  });
  return { double, policy, input: (number: number) => double.requests[number]?.body.input as object[] };
}

test('plays with the tool until it answers without a call', async () => {
  const reasoning = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'e',
  };
  const { policy, double, input } = await served(
    (number) =>
      [
        {
          output: [
            reasoning,
            calls('a', { type: 'click', button: 'left', x: 0, y: 31 }, { type: 'keypress', keys: ['CTRL', 'L'] }),
          ],
        },
        { output: [calls('b', { type: 'scroll', x: 1, y: 1, scroll_x: 0, scroll_y: -32, keys: null })] },
      ][number] ?? { output: [says('42')] },
  );
  const { decisions } = await play(policy, 5);
  expect(decisions).toMatchObject([
    {
      thought: 'hm',
      actions: [
        { type: 'click', point: { x: 0.5 / 1568, y: 31.5 / 32 } },
        { type: 'hotkey', keys: 'ctrl l' },
      ],
    },
    { actions: [{ type: 'scroll', direction: 'up' }, { direction: 'up' }] },
    { actions: [{ type: 'finished', answer: '42' }] },
  ]);
  expect(double.requests[0]?.body).toMatchObject({ tools: [{ type: 'computer' }], store: false });
  expect(input(2)).toMatchObject([
    { role: 'user', content: [{ text: 'press it' }, { type: 'input_image', detail: 'original' }] },
    reasoning,
    { type: 'computer_call', call_id: 'a' },
    { type: 'computer_call_output', call_id: 'a', output: { type: 'computer_screenshot' } },
    { type: 'computer_call', call_id: 'b' },
    { type: 'computer_call_output', call_id: 'b' },
  ]);
  expect(policy.counts).toEqual({ turns: 3, malformed: 0, inputTokens: 120, cachedTokens: 90, outputTokens: 21 });
});

test.each([
  ['an unknown action', calls('a', { type: 'klick', x: 1, y: 1 }), /type/],
  ['a place off the screenshot', calls('a', { type: 'move', x: 1, y: 32 }), /yPx is 32/],
  [
    'a button that is none',
    calls('a', { type: 'click', button: 'back', x: 1, y: 1 }),
    /button "back" is not supported/,
  ],
  ['no action', calls('a'), /computer: /],
  [
    'an unknown tool',
    { type: 'function_call', id: 'f', call_id: 'a', name: 'shell', arguments: '{}', status: 'completed' },
    /unknown tool "shell"/,
  ],
])('refuses %s with a reason', async (_, call, message) => {
  const { policy, input } = await served((number) => ({ output: number === 0 ? [call] : [says('done')] }));
  const { decisions, past } = await play(policy, 2);
  expect(decisions[0]).toMatchObject({ actions: [], refused: expect.stringMatching(message) as string });
  expect(past[0]?.actions).toEqual([]);
  const [report] = (input(1).at(-1) as { content: { text: string }[] }).content;
  expect(report?.text).toMatch(message);
  expect(policy.counts.malformed).toBe(1);
});

test('drags along a path, and goes on when screenshots have left', async () => {
  const path = [1, 2, 3].map((x) => ({ x, y: 5 }));
  const { policy, input } = await served((number) => ({ output: [calls(`c${number}`, { type: 'drag', path })] }), 1);
  const { decisions } = await play(policy, 4);
  expect(decisions[0]?.actions.map(({ type }) => type)).toEqual(['mouse_down', 'mouse_move', 'mouse_up']);
  const withImages = input(3).filter((item) => JSON.stringify(item).includes('data:image/png'));
  const placeholder = Buffer.from(placeholderFrame.png).toString('base64');
  expect(withImages.map((item) => JSON.stringify(item).includes(placeholder))).toEqual([true, true, true, false]);
});

test.each([
  [
    'a safety check',
    { output: [{ ...calls('a', { type: 'wait' }), pending_safety_checks: [{ id: 's', code: 'x' }] }] },
  ],
  ['a refusal', { output: [{ ...says(''), content: [{ type: 'refusal', refusal: 'no' }] }] }],
])('leaves %s to a person', async (_, answer) => {
  const { policy } = await served(() => answer);
  expect((await play(policy, 2)).decisions).toMatchObject([{ actions: [{ type: 'call_user' }] }]);
});

test('wastes a turn that was broken off', async () => {
  const { policy } = await served((number) =>
    number === 0 ? { output: [], incomplete: 'max_output_tokens' } : { output: [says('done')] },
  );
  const { decisions } = await play(policy, 2);
  expect(decisions[0]).toMatchObject({ actions: [], refused: 'the answer was cut off: max_output_tokens' });
});

test('reports a wrong key', async () => {
  const { policy } = await served(() => ({ status: 401, message: 'wrong key' }));
  const error = await play(policy, 1).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(GyreError);
  expect(error).toMatchObject({ code: 'bad_input', detail: { field: 'apiKey' } });
});
