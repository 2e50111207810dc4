import { afterEach, describe, expect, test } from 'vitest';
import { type AgentAction, GyreError, printT5, promptsOf } from '@gyre/protocol';
import { frameOf } from '../../loop/frame.test.fixture.js';
import { sampledAs, type Script, vllmDouble } from './double/vllmDouble.test.fixture.js';
import type { Context, PastTurn } from '../policy.js';
import { endpointPolicy, type EndpointOptions } from './endpointPolicy.js';

const size = { width: 160, height: 160 };
const frame = frameOf(new Uint8Array([1, 2, 3]), size);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(script: Script, options: Partial<EndpointOptions> = {}) {
  const double = await vllmDouble(script);
  closing.push(double.close);
  return {
    double,
    policy: endpointPolicy({ url: double.url, model: 'double', retries: 2, timeoutMs: 2_000, ...options }),
  };
}

function context(turns: PastTurn[] = [], episodeId = 'one'): Context {
  const task = { instruction: 'press it', surfaces: ['screen' as const], screen: size, stepBudget: 9 };
  const screenshots = Array.from({ length: Math.min(9, turns.length + 1) }, () => frame);
  return { task, screenshots, start: { screenshot: frame.hash, size }, turns, random: () => 0.25, episodeId };
}

const click = printT5({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] });

test('keeps what was printed and sampled, to the letter and the token', async () => {
  const { policy, double } = await served(() => ({ text: click }));
  const decision = await policy.decide(context());
  expect(decision).toEqual({
    thought: 'There.',
    actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }],
    text: click,
    sample: {
      tokens: [...Buffer.from(click)],
      logprobs: [...click].map(() => -0.5),
      policyVersion: 0,
      model: 'double',
      prompt: { kept: 0, tokens: expect.any(Array) as number[] },
    },
  });
  expect(double.requests[0]).toMatchObject({
    model: 'double',
    return_token_ids: true,
    logprobs: true,
    seed: 2 ** 29,
    stream: false,
  });
});

test('lists the surfaces of the task in the prompt, and calls them', async () => {
  const actions: AgentAction[] = [{ type: 'mcp_tool', server: 's', tool: 'add', arguments: { a: 1 } }];
  const { policy, double } = await served(() => ({ text: printT5({ actions }) }));
  const tools = [{ server: 's', name: 'add', inputSchema: { required: ['a'] } }];
  const { task, ...rest } = context();
  const decision = await policy.decide({ ...rest, task: { ...task, surfaces: ['screen', 'files', 'tools'], tools } });
  expect(decision.actions).toEqual(actions);
  const [{ messages }] = double.requests as [{ messages: { content: string }[] }];
  expect(messages[0]?.content).toContain('{"server":"s","name":"add","arguments":{"required":["a"]}}');
  expect(messages[0]?.content).toContain('str_replace_editor');
  expect(messages[0]?.content).not.toContain('execute_bash');
});

test('plays an episode with a prompt that only grows, and sees when tokens drift', async () => {
  const { policy } = await served((_, number) => ({ text: click, drift: number === 3 }));
  const turns: PastTurn[] = [];
  for (let index = 0; index < 5; index++) {
    const { actions, text } = await policy.decide(context(turns));
    turns.push({
      index,
      actions: [...actions],
      ...(text !== undefined && { text }),
      observation: { screenshot: frame.hash, size },
    });
  }
  expect(policy.counts).toMatchObject({ turns: 5, malformed: 0, followed: 4 });
  // The drifted prompt differs from both neighbours.
  expect(policy.counts.drifted).toBeGreaterThanOrEqual(1);
  expect(policy.counts.cachedTokens).toBeGreaterThan(0.4 * policy.counts.promptTokens);
});

const textIn = (ids: readonly number[]): string => Buffer.from(ids.filter((id) => id < 256)).toString();

const timesIn = (ids: readonly number[], part: readonly number[]): number =>
  ids.filter((_, at) => part.every((id, index) => ids[at + index] === id)).length;

describe('a model that is given tokens', () => {
  interface Asked {
    token_ids: number[];
    features: { mm_hashes: { image: string[] }; kwargs_data: { image: (string | null)[] } };
  }

  async function played(
    count: number,
    options: Partial<EndpointOptions> = {},
    script: Script = () => ({ text: click }),
  ) {
    const { policy, double } = await served(script, { tokenPrompt: true, ...options });
    const turns: PastTurn[] = [];
    for (let index = 0; index < count; index++) {
      const newest = frameOf(new Uint8Array([index]), size);
      const before = turns.map((_, at) => frameOf(new Uint8Array([at]), size));
      const { actions, text, sample, thought } = await policy.decide({
        ...context(turns),
        screenshots: [...before, newest].slice(-9),
      });
      const observation = { screenshot: newest.hash, size };
      turns.push({
        index,
        actions: [...actions],
        ...(thought !== undefined && { thought }),
        ...(text !== undefined && { text }),
        ...(sample && { sample }),
        observation,
      });
    }
    return { policy, double, turns, requests: double.requests as Asked[] };
  }

  test.each([{}, { thinking: 'unrestricted' }, { thinking: 'none' }] as const)(
    'finds what it sampled in its next prompt as it was sampled, with %j',
    async (options) => {
      const { policy, turns, requests } = await played(4, options);
      const sampled = [...sampledAs(click), 1001];
      const prompts = promptsOf({ turns: turns.map((turn) => ({ ...turn, reward: 0 })) });
      for (const [index, { sample }] of turns.entries()) {
        expect(sample?.tokens).toEqual(sampled);
        expect(prompts[index]).toEqual(requests[index]?.token_ids);
        const before = requests[index - 1]?.token_ids;
        if (before)
          expect(requests[index]?.token_ids.slice(0, before.length + sampled.length)).toEqual([...before, ...sampled]);
        const mark = Buffer.from(requests[index]!.token_ids.slice(-7)).toString();
        expect(mark === '<think>').toBe('thinking' in options && options.thinking === 'unrestricted');
      }
      expect(policy.counts).toMatchObject({ turns: 4, malformed: 0, followed: 3, drifted: 0 });
    },
  );

  test('keeps with a turn only what its prompt has more than the last', async () => {
    const { turns } = await played(3);
    const [first, second] = turns.map(({ sample }) => sample?.prompt);
    expect(first?.kept).toBe(0);
    expect(second?.kept).toBe(first!.tokens.length + sampledAs(click).length + 1);
    expect(second!.tokens.length).toBeLessThan(40);
  });

  test('sends each picture once, and all again where the server has forgotten them', async () => {
    const { policy, double, turns, requests } = await played(3);
    expect(requests.map(({ features }) => features.kwargs_data.image.map((data) => data !== null))).toEqual([
      [true],
      [false, true],
      [false, false, true],
    ]);
    double.pictures.clear();
    const frames = [0, 1, 2, 3].map((at) => frameOf(new Uint8Array([at]), size));
    await policy.decide({ ...context(turns), screenshots: frames });
    expect((double.requests as Asked[]).at(-1)?.features.kwargs_data.image.every((data) => data !== null)).toBe(true);
  });

  test('keeps its tokens also where old screenshots and old turns have left the prompt', async () => {
    const isQuestion = (ids: readonly number[]) => textIn(ids.slice(-400)).includes('Do not go on yet');
    const { policy, turns, requests } = await played(
      12,
      { minScreenshots: 2, remember: 400 },
      ({ token_ids: ids = [] }) => ({
        text: isQuestion(ids) ? 'a summary' : click,
      }),
    );
    expect(policy.counts.drifted).toBe(0);
    expect(policy.counts.summaries).toBeGreaterThan(0);
    const prompts = promptsOf({ turns: turns.map((turn) => ({ ...turn, reward: 0 })) });
    const decisions = requests.map(({ token_ids }) => token_ids).filter((ids) => !isQuestion(ids));
    expect(prompts).toEqual(decisions);
    const last = decisions.at(-1)!;
    expect(textIn(last)).toContain('a summary');
    expect(timesIn(last, sampledAs(click))).toBeGreaterThan(1);
    expect(timesIn(last, [...Buffer.from(click)])).toBe(0);
  });

  test('goes on from an answer that was cut off, and from what another policy has done', async () => {
    const { turns, requests } = await played(2, {}, () => ({ text: click, finish: 'length' }));
    expect(requests[1]?.token_ids[requests[0]!.token_ids.length + sampledAs(click).length]).toBe(1001);
    const { policy, double } = await served(() => ({ text: click }), { tokenPrompt: true });
    const [{ text: _, ...withoutText }] = turns as [PastTurn];
    await policy.decide(context([withoutText]));
    const [{ token_ids: ids }] = double.requests as [Asked];
    expect(textIn(ids)).toContain(`assistant\n${click}`);
  });

  test('says what is wrong where the server cannot do it', async () => {
    const { policy } = await served(() => ({ status: 403, message: 'Scale-out endpoints are disabled' }), {
      tokenPrompt: true,
    });
    await expect(policy.decide(context())).rejects.toMatchObject({ code: 'bad_input' });
  });
});

test('counts no drift where there is none', async () => {
  const { policy } = await served(() => ({ text: click }));
  const turns: PastTurn[] = [];
  for (let index = 0; index < 8; index++) {
    await policy.decide(context(turns));
    turns.push({ index, actions: [], text: click, observation: { screenshot: frame.hash, size } });
  }
  expect(policy.counts).toMatchObject({ turns: 8, followed: 7, drifted: 0 });
});

test('refuses a malformed answer with a reason', async () => {
  const { policy } = await served((_, number) =>
    number === 0 ? { text: '<seed:tool_call>click' } : { text: '<thinkt>hm', finish: 'length' },
  );
  expect(await policy.decide(context())).toMatchObject({
    actions: [],
    text: '<seed:tool_call>click',
    refused: 'not understood: no GUI action was found: the tool call holds no function (at character 21).',
  });
  expect((await policy.decide(context())).refused).toMatch(/thought is not closed.*too long/);
  expect(policy.counts.malformed).toBe(2);
});

test('says what it took an answer for, and takes none that was cut off for anything', async () => {
  const { policy } = await served((_, number) => ({ text: 'It is done.', ...(number === 1 && { finish: 'length' }) }));
  expect(await policy.decide(context())).toMatchObject({
    actions: [{ type: 'finished', answer: 'It is done.' }],
    notices: [expect.stringContaining('final answer')],
  });
  expect(await policy.decide(context())).toMatchObject({
    actions: [],
    refused: expect.stringMatching(/final answer.*cut off/) as string,
  });
});

test('tries again after a failure, a late answer and a lost connection', async () => {
  const { policy, double } = await served(
    (_, number) => [{ status: 503, message: 'busy' }, 'cut' as const, { text: click }][number] ?? { text: click },
  );
  expect((await policy.decide(context())).actions).toHaveLength(1);
  expect(double.requests).toHaveLength(3);
});

test('tries again where an answer stalls or breaks off behind its head', async () => {
  const { policy, double } = await served(
    (_, number) => (['head, then hang', 'head, then cut'] as const)[number] ?? { text: click },
    { timeoutMs: 300 },
  );
  expect((await policy.decide(context())).actions).toHaveLength(1);
  expect(double.requests).toHaveLength(3);
});

test('sends no request after the decision is aborted', async () => {
  const stop = new AbortController();
  const { policy, double } = await served(() => 'hang', { timeoutMs: 60_000 });
  const decision = policy.decide({ ...context(), signal: stop.signal });
  await expect.poll(() => double.requests.length).toBe(1);
  stop.abort();
  await expect(decision).rejects.toThrow();
});

test.each([
  [{ status: 404, message: 'no such model' }, 'bad_input', 'model', 1],
  [{ status: 401, message: 'who are you' }, 'bad_input', 'apiKey', 1],
  [{ status: 400, message: 'too long' }, 'bad_input', 'url', 6],
  [{ status: 500, message: 'out of memory' }, 'infra', 'url', 3],
] as const)('tells %o as %s', async (answer, code, field, tries) => {
  const { policy, double } = await served(() => answer);
  const error = await policy.decide(context()).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(GyreError);
  expect(error).toMatchObject({ code, detail: { field } });
  expect((error as GyreError).message).toContain(answer.message);
  expect(double.requests).toHaveLength(tries);
});

test.each(['hang', 'head, then hang'] as const)('gives up on a server that does not answer: %s', async (answer) => {
  const { policy } = await served(() => answer, { timeoutMs: 100, retries: 1 });
  await expect(policy.decide(context())).rejects.toMatchObject({ code: 'infra', detail: { field: 'url' } });
});

test('refuses an invalid URL', () => {
  expect(() => endpointPolicy({ url: 'localhost:8000', model: 'x' })).toThrow(GyreError);
});
