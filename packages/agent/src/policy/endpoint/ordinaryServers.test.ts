import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { printT5 } from '@gyre/protocol';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { collected } from '../../loop/collected.test.fixture.js';
import { countTask, sessionDouble } from '../../loop/double/sessionDouble.test.fixture.js';
import { type Job, runEpisodes } from '../../loop/episodes.js';
import { frameOf } from '../../loop/frame.test.fixture.js';
import type { Context, PastTurn } from '../policy.js';
import {
  chatDouble,
  type ChatBody,
  type ChatReply,
  completion,
  imagesIn,
  refusal,
} from './double/chatDouble.test.fixture.js';
import { endpointPolicy, type EndpointOptions } from './endpointPolicy.js';

const size = { width: 160, height: 160 };
const frame = frameOf(new Uint8Array([1, 2, 3]), size);
const actions = [{ type: 'click' as const, point: { x: 0.5, y: 0.5 } }];
const call = printT5({ actions });
const click = printT5({ thought: 'There.', actions });

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(script: (body: ChatBody, number: number) => ChatReply, options: Partial<EndpointOptions> = {}) {
  const double = await chatDouble(script);
  closing.push(double.close);
  const { url, requests } = double;
  return { requests, policy: endpointPolicy({ url, model: 'double', retries: 0, timeoutMs: 5_000, ...options }) };
}

function context(turns = 0): Context {
  const task = { instruction: 'press it', surfaces: ['screen' as const], screen: size, stepBudget: 9 };
  const past = Array.from({ length: turns }, (_, index): PastTurn => {
    return { index, actions, text: click, observation: { screenshot: frame.hash, size } };
  });
  const screenshots = Array.from({ length: turns + 1 }, () => frame);
  return {
    task,
    screenshots,
    start: { screenshot: frame.hash, size: frame.size },
    turns: past,
    random: () => 0.25,
    episodeId: 'one',
  };
}

async function played(
  script: (body: ChatBody, number: number) => ChatReply,
  { count = 4, retries = 0, lake }: { count?: number; retries?: number; lake?: Lake } = {},
) {
  const { policy, requests } = await served(script);
  const session = sessionDouble();
  const jobs = Array.from({ length: count }, (): Job => countTask(session, { stepBudget: 2 }));
  const running = runEpisodes({ pool: { lease: async () => session }, policy, jobs, concurrency: 2, retries, lake });
  const episodes = await collected(running);
  return { episodes, givenUp: running.givenUp, requests };
}

describe('a server that takes less than vLLM', () => {
  /** Refuses one at a time, like servers do. */
  const strict = (...fields: string[]) => {
    return (body: ChatBody): ChatReply => {
      const field = fields.find((each) => each in body);
      return field === undefined ? completion(click) : refusal(`Unrecognized request argument: ${field}`);
    };
  };

  test.each([
    [['return_token_ids'], ['return_token_ids', 'logprobs'], ['max_tokens', 'seed', 'top_p', 'temperature']],
    [['logprobs'], ['return_token_ids', 'logprobs'], ['max_tokens', 'seed', 'top_p', 'temperature']],
    [['max_tokens'], ['max_tokens'], ['max_completion_tokens', 'logprobs', 'return_token_ids', 'seed']],
    [['chat_template_kwargs'], ['chat_template_kwargs'], ['max_tokens', 'logprobs', 'seed']],
    [
      ['seed', 'logprobs', 'return_token_ids'],
      ['seed', 'logprobs'],
      ['max_tokens', 'top_p', 'temperature'],
    ],
    [
      ['top_p', 'temperature', 'max_tokens'],
      ['top_p', 'temperature', 'max_tokens'],
      ['max_completion_tokens', 'seed', 'logprobs'],
    ],
  ])('is not sent %s, and all else', async (refused, without, sent) => {
    const { policy, requests } = await served(strict(...refused), { thinking: 'none' });
    for (let turn = 0; turn < 8; turn++) expect((await policy.decide(context())).actions).toEqual(actions);
    const last = requests.at(-1)!;
    for (const field of without) expect(last).not.toHaveProperty(field);
    for (const field of sent) expect(last).toHaveProperty(field);
    const countBefore = requests.length;
    await policy.decide(context());
    expect(requests).toHaveLength(countBefore + 1);
    expect(policy.notes.join()).toContain(`Unrecognized request argument: ${refused[0]!}`);
  });

  test('is asked once in full where it takes everything', async () => {
    const { policy, requests } = await served(() => completion(click));
    await policy.decide(context());
    expect(requests).toMatchObject([{ logprobs: true, return_token_ids: true, max_tokens: 1000 }]);
    expect(policy.notes).toEqual([]);
  });

  test('refuses a prompt later on, which is about the prompt', async () => {
    const { policy, requests } = await served((_, number) => (number === 0 ? completion(click) : refusal('too long')));
    await policy.decide(context());
    await expect(policy.decide(context())).rejects.toMatchObject({
      code: 'bad_input',
      detail: { part: 'model_server' },
    });
    expect(requests).toHaveLength(2);
  });

  test.each([1, 2, 4])('that takes %i pictures is shown no more, for the rest of the episode', async (limit) => {
    const words = `At most ${limit} image(s) may be provided in one request.`;
    const { policy, requests } = await served((body) => (imagesIn(body) > limit ? refusal(words) : completion(click)));
    for (let turns = 0; turns < 7; turns++) expect((await policy.decide(context(turns))).actions).toEqual(actions);
    expect(imagesIn(requests.at(-1)!)).toBeLessThanOrEqual(limit);
    expect(policy.counts.narrowed).toBe(1);
    expect(policy.notes.join()).toContain(words);
  });
});

describe('what a model says beside the text', () => {
  test.each<[string, ChatReply, object]>([
    ['reasoning_content', completion(call, { reasoning_content: 'hm' }), { thought: 'hm', text: call }],
    ['reasoning', completion(call, { reasoning: 'hm', reasoning_content: 'hm' }), { thought: 'hm' }],
    ['thinking', completion(call, { thinking: 'hm' }), { thought: 'hm' }],
    [
      'reasoning_details',
      completion(call, { reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }),
      { thought: 'hm' },
    ],
    ['a thought of its own, too', completion(click, { reasoning: 'hm' }), { thought: 'hm\nThere.', text: click }],
    [
      'parts of text',
      completion([
        { type: 'text', text: click.slice(0, 9) },
        { type: 'text', text: click.slice(9) },
      ]),
      { thought: 'There.', text: click },
    ],
    [
      'a part of thought',
      completion([
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: call },
      ]),
      { thought: 'hm', text: call },
    ],
    [
      'a whole turn that was taken for a thought',
      completion(null, { reasoning_content: click }),
      { thought: 'There.', text: click },
    ],
    [
      'a call that the server has read',
      completion(
        null,
        {
          reasoning: 'hm',
          tool_calls: [
            { id: '1', type: 'function', function: { name: 'click', arguments: '{"point":"<point>500 500</point>"}' } },
          ],
        },
        { finish_reason: 'tool_calls' },
      ),
      { thought: 'hm', text: call },
    ],
    [
      'words around a call that the server has read',
      completion('There.', {
        tool_calls: [{ function: { name: 'click', arguments: { point: '<point>500 500</point>' } } }],
      }),
      { thought: expect.stringContaining('There.') as string },
    ],
    [
      'a call of old',
      completion('', { function_call: { name: 'click', arguments: '{"point":"<point>500 500</point>"}' } }),
      { text: call },
    ],
  ])('is heard: %s', async (_, reply, expected) => {
    const { policy } = await served(() => reply);
    expect(await policy.decide(context())).toMatchObject({ actions, ...expected });
  });

  test('is heard in the words of other formats', async () => {
    const tool_calls = [{ function: { name: 'type', arguments: '{"content":"it\'s"}' } }];
    for (const format of ['doubao', 'environment-tags'] as const) {
      const { policy } = await served(() => completion(null, { tool_calls }), { format });
      expect((await policy.decide(context())).actions).toEqual([{ type: 'type', text: "it's" }]);
    }
  });

  test('is heard as a call of computer_use, which servers extract from the text of Qwen3-VL', async () => {
    const call = { name: 'computer_use', arguments: '{"action": "left_click", "coordinate": [500, 250]}' };
    const reply = completion('Action: Press it.', { tool_calls: [{ function: call }] });
    const { policy } = await served(() => reply, { format: 'qwen3-vl' });
    expect(await policy.decide(context())).toMatchObject({
      actions: [{ type: 'click', point: { x: 0.5, y: 0.25 } }],
      thought: 'Press it.',
    });
  });

  test.each<[string, ChatReply, RegExp]>([
    [
      'thinking cut off',
      completion(null, { reasoning_content: 'so long' }, { finish_reason: 'length' }),
      /no text\..*cut off/,
    ],
    ['nothing', completion(null), /no text/],
    ['no content', { body: { choices: [{ message: { role: 'assistant' } }] } }, /no text/],
    ['a filter', completion('', {}, { finish_reason: 'content_filter' }), /content_filter/],
    [
      'a call of nothing',
      completion(null, { tool_calls: [{ function: { name: 'fly', arguments: '{' } }] }),
      /no function "fly"/,
    ],
  ])('without an action is a turn without an action: %s', async (_, reply, refused) => {
    const { policy } = await served(() => reply);
    const decision = await policy.decide(context());
    expect(decision.actions).toEqual([]);
    expect(decision.refused).toMatch(refused);
    expect(policy.counts.malformed).toBe(1);
  });

  test('is a last answer where it is a refusal, as a plain text is', async () => {
    const { policy } = await served(() => completion(null, { refusal: 'I cannot.' }));
    expect((await policy.decide(context())).actions).toEqual([{ type: 'finished', answer: 'I cannot.' }]);
  });

  test('leaves no empty message in the next prompt', async () => {
    const { policy, requests } = await served(() => completion(click));
    const { turns, ...rest } = context(1);
    await policy.decide({ ...rest, turns: turns.map((turn) => ({ ...turn, text: '', actions: [] })) });
    expect(requests[0]?.messages.map(({ content }) => content)).not.toContain('');
  });

  test('keeps no log-probabilities that are no numbers', async () => {
    const json = JSON.stringify(
      completion(click, {}, { token_ids: [1, 2], logprobs: { content: [{ logprob: -1 }, { logprob: -2 }] } }).body,
    );
    const { policy } = await served((_, number) => ({ body: number === 0 ? json : json.replace('-2', 'NaN') }));
    expect((await policy.decide(context())).sample).toMatchObject({ tokens: [1, 2], logprobs: [-1, -2] });
    const decision = await policy.decide(context());
    expect([decision.actions, decision.sample]).toEqual([actions, undefined]);
  });
});

describe('an invalid answer', () => {
  const page =
    '<!doctype html><html><head><title>502 Bad Gateway</title><style>p{}</style></head><body><p>nginx</p></body></html>';
  const openrouter = { error: { message: 'Provider returned error', code: 502, metadata: { raw: 'overloaded' } } };
  const vllm = {
    object: 'error',
    message: "This model's maximum context length is 8192 tokens.",
    type: 'BadRequestError',
    code: 400,
  };
  const failures: [string, ChatReply, RegExp][] = [
    ['an error in 200', { body: openrouter }, /200 with an error: Provider returned error: overloaded/],
    ['a text as an error in 200', { body: { error: 'Unexpected endpoint' } }, /Unexpected endpoint/],
    [
      'an error of a choice',
      { body: { choices: [{ error: { code: 502, message: 'upstream died' } }] } },
      /upstream died/,
    ],
    [
      'an error in a list',
      { status: 400, body: [{ error: { code: 400, message: 'Unknown name "x"' } }] },
      /400: Unknown name "x"/,
    ],
    ['vLLM’s refusal', { status: 400, body: vllm }, /400: This model's maximum context length is 8192 tokens/],
    [
      'FastAPI’s refusal',
      { status: 422, body: { detail: [{ loc: ['body', 'messages'], msg: 'Field required' }] } },
      /422: body: messages: Field required/,
    ],
    ['a page', { type: 'text/html', body: page }, /200 without valid JSON: 502 Bad Gateway nginx/],
    ['a page of an error', { status: 503, type: 'text/html', body: page }, /503: 502 Bad Gateway nginx/],
    ['null', { body: 'null' }, /null/],
    ['nothing', { body: '' }, /200 without valid JSON: nothing/],
    ['nothing in 204', { status: 204, body: '' }, /204|without valid JSON/],
    ['no choices', { body: { choices: [] } }, /an invalid body \(choices/],
    ['no message', { body: { choices: [null] } }, /an invalid body/],
    [
      'a stream that nobody asked for',
      { type: 'text/event-stream', body: 'data: {"choices":[]}\n\n' },
      /without valid JSON: data:/,
    ],
    ['a key that is wrong', refusal('Incorrect API key provided', 401), /Incorrect API key/],
    ['no credit', refusal('Insufficient credits', 402), /Insufficient credits/],
    ['a redirect', { status: 304, body: '' }, /304/],
  ];
  test.each(failures)('ends its episodes, and tells why: %s', async (_, reply, words) => {
    const { episodes, givenUp } = await played(() => reply);
    expect(episodes).toEqual([]);
    expect(givenUp).toHaveLength(4);
    for (const { message } of givenUp) expect(message).toMatch(words);
  });

  test('is asked for again, and the run goes on with the others', async () => {
    const { policy, requests } = await served(
      (_, number) => (number === 0 ? { body: openrouter } : completion(click)),
      { retries: 1 },
    );
    expect((await policy.decide(context())).actions).toEqual(actions);
    expect(requests).toHaveLength(2);
    const { episodes, givenUp } = await played((_, number) =>
      number === 1 ? refusal('no credit', 402) : completion(click),
    );
    expect([episodes.length, givenUp.length]).toEqual([3, 1]);
  });

  test('is not asked for again where it is a refusal', async () => {
    const { requests, givenUp } = await played((_, number) => (number === 0 ? completion(click) : refusal('no')), {
      count: 1,
      retries: 3,
    });
    expect(givenUp).toMatchObject([{ message: expect.stringContaining('400: no') as string }]);
    expect(requests).toHaveLength(3);
  });

  describe('whatever it is', () => {
    let directory: string;
    let lake: Lake;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gyre-servers-'));
      lake = await Lake.open(directory);
    });
    afterAll(async () => {
      await lake.close();
      await rm(directory, { recursive: true });
    });

    const bent = fc
      .tuple(
        fc.constantFrom(
          'choices',
          'choices.0',
          'choices.0.message',
          'choices.0.message.content',
          'choices.0.message.tool_calls',
          'choices.0.finish_reason',
          'choices.0.token_ids',
          'choices.0.logprobs',
          'prompt_token_ids',
          'system_fingerprint',
          'usage',
          'error',
        ),
        fc.jsonValue(),
      )
      .map(([path, value]) => {
        const whole = structuredClone(
          completion(click, {}, { token_ids: [1], logprobs: { content: [{ logprob: -1 }] } }).body,
        );
        const names = path.split('.');
        const last = names.pop()!;
        let place = whole as Record<string, unknown>;
        for (const name of names) place = place[name] as Record<string, unknown>;
        place[last] = value;
        return JSON.stringify(whole);
      });
    const deep = fc
      .integer({ min: 1, max: 20_000 })
      .map((depth) => `${'[{"error":'.repeat(depth)}1${'}]'.repeat(depth)}`);
    const body = fc.oneof(
      { weight: 4, arbitrary: bent },
      { weight: 2, arbitrary: fc.json() },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 500 }) },
      { weight: 1, arbitrary: deep },
    );
    const reply = fc.record({
      status: fc.constantFrom(200, 200, 200, 200, 201, 204, 400, 401, 404, 413, 418, 422, 429, 500, 503, 599),
      type: fc.constantFrom('application/json', 'text/html', 'text/event-stream', 'application/octet-stream'),
      body,
    });

    test('never ends a run of several jobs', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 4 }), async (replies) => {
          const { episodes, givenUp } = await played((_, number) => replies[number % replies.length]!, { lake });
          expect(episodes.length + givenUp.length).toBe(4);
          for (const { message } of givenUp) expect(message).toMatch(/the model server at .*answered .+/s);
          for (const close of closing.splice(0)) await close();
        }),
        { numRuns: 60 },
      );
    }, 120_000);
  });
});

test('a policy that fails by a fault of its own still ends the run', async () => {
  const session = sessionDouble();
  const policy = { name: 'broken', decide: () => Promise.reject(new TypeError('broken')) };
  const running = runEpisodes({
    pool: { lease: async () => session },
    policy,
    jobs: [countTask(session)],
    concurrency: 1,
  });
  await expect(collected(running)).rejects.toThrow(TypeError);
});
