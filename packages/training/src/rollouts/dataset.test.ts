import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointPolicy, nativeInput } from '@gyre/agent';
import { vocabularyHash, vocabularyOf } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { type Episode, type EpisodeStart, type Observation, printT5, type Turn } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScreenshotReader, trainableTurns, decision, readDecisions } from './dataset.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
const view = { screenshots: 1, reads: false };
let dir: string;
let lake: Lake;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-dataset-'));
  lake = await Lake.open(dir);
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true });
});

async function observe(background: string): Promise<Observation> {
  const png = await sharp({ create: { ...size, channels: 3, background } })
    .png()
    .toBuffer();
  return { screenshot: await lake.putScreenshot(png), size };
}

describe('decisions of an episode', () => {
  it('have the tokens and log-probabilities that were sampled, on the screens that were seen, after the past that was', async () => {
    const [red, green, blue] = [await observe('red'), await observe('lime'), await observe('blue')];
    const start: EpisodeStart = {
      id: 'one',
      task: {
        id: 'form/train/1',
        family: 'form',
        split: 'train',
        seed: 1,
        instruction: 'type "ab"',
        surfaces: ['screen'],
        screen: size,
        stepBudget: 8,
      },
      policy: 'nano',
      purpose: 'ppo',
      seed: 1,
      startedAt: '2026-01-01T00:00:00.000Z',
      observation: red,
    };
    const click = { type: 'click' as const, point: { x: 0.1, y: 0.1 } };
    const sampled = { tokens: vocabulary.encode(click), logprobs: [-0.5, -1.5, -2], policyVersion: 7 };
    const turns: Turn[] = [
      { index: 0, actions: [click], sample: sampled, observation: green, reward: 0 },
      { index: 1, actions: [{ type: 'type', text: 'ab' }], observation: blue, reward: 1 },
    ];
    const writer = await lake.begin(start);
    for (const turn of turns) await writer.append(turn);
    await writer.finish({ state: 'finished' }, { success: true, score: 1, source: 'verifier', evidence: {} });
    await lake.flush();

    for await (const whole of lake.episodes({ ids: ['one'] })) {
      const forked = { ...whole, id: 'two', policy: 'other', fork: { episode: 'one', turn: 1 } };
      const decisions = await readDecisions(forked, view, new ScreenshotReader(lake));
      expect(decisions.map(({ turn }) => turn)).toEqual([1]);
      expect(decisions[0]?.datum.sequences[0]?.clock).toBe(1);
      expect(
        await readDecisions({ ...forked, fork: { episode: 'one', turn: 2 } }, view, new ScreenshotReader(lake)),
      ).toEqual([]);
    }
    for await (const episode of lake.episodes({ ids: ['one'] })) {
      const [first, second] = await readDecisions(episode, view, new ScreenshotReader(lake));
      expect(first?.datum.sequences[0]).toMatchObject({ action: sampled.tokens, logprobs: sampled.logprobs });
      expect([...(first?.datum.screenshots[0]?.pixels.subarray(0, 3) ?? [])]).toEqual([255, 0, 0]);
      expect([...(second?.datum.screenshots[0]?.pixels.subarray(0, 3) ?? [])]).toEqual([0, 255, 0]);
      const seen = nativeInput(vocabulary, start.task, turns.slice(0, 1), []);
      expect(second?.datum.sequences[0]).toMatchObject({ tokens: seen.tokens, clock: seen.clock });
      expect(seen.clock).toBe(1);
    }
  });

  it('are commands too, as far as the native policy can write them, with what they answered in what follows', async () => {
    const red = await observe('red');
    const command = (text: string) => ({ type: 'execute_bash' as const, command: text });
    const answered = { ...red, results: [{ kind: 'output' as const, text: '42\n(exit code 0)' }] };
    const turns: Turn[] = [
      { index: 0, thought: 'look first', actions: [command('cat it')], observation: answered, reward: 0 },
      { index: 1, actions: [{ type: 'type', text: '42' }], observation: red, reward: 1 },
      { index: 2, actions: [command('x'.repeat(99))], observation: answered, reward: 0 },
      { index: 3, actions: [command('echo ☃')], observation: answered, reward: 0 },
    ];
    const episode: Episode = {
      id: 'three',
      task: {
        ...{ id: 'told/train/1', family: 'told', split: 'train', seed: 1, instruction: 'type it' },
        ...{ surfaces: ['screen', 'shell'], screen: size, stepBudget: 9 },
      },
      ...{ policy: 'oracle', purpose: 'demonstration', seed: 0, startedAt: '2026-01-01T00:00:00.000Z' },
      observation: red,
      turns,
      end: { state: 'finished' },
    };
    const decisions = await readDecisions(episode, view, new ScreenshotReader(lake));
    expect(decisions.map(({ turn }) => turn)).toEqual([0, 1]);
    const [first, second] = decisions.map(({ datum }) => datum.sequences[0]!);
    expect(first?.action).toEqual(vocabulary.encode(command('cat it'), 'look first'));
    const silent = await readDecisions(episode, view, new ScreenshotReader(lake), { thought: false });
    expect(silent[0]?.datum.sequences[0]?.action).toEqual(vocabulary.encode(command('cat it')));
    expect(vocabulary.spell(second?.tokens.filter(({ slot }) => slot > 0).map(({ token }) => token) ?? [])).toBe(
      '42\n(exit code 0)',
    );
  });

  it('are none where others were captured without samples of ours or without a verdict', async () => {
    const red = await observe('red');
    const click = { type: 'click' as const, point: { x: 0.5, y: 0.5 } };
    const sample = { tokens: vocabulary.encode(click), logprobs: [-1, -1, -1], policyVersion: 0 };
    const turn: Turn = { index: 0, actions: [click], sample, observation: red, reward: 0 };
    const { sample: _, ...unsampled } = turn;
    const foreign: Turn = { ...turn, sample: { ...sample, tokens: [151_644, 77_091, 198] } };
    const whole: Episode = {
      id: 'two',
      task: {
        ...{ id: 'captured/train/1', family: 'captured', split: 'train', seed: 1, instruction: 'press it' },
        ...{ surfaces: ['screen'], screen: size, stepBudget: 9 },
      },
      ...{ policy: 'theirs', purpose: 'captured', seed: 0, startedAt: '2026-01-01T00:00:00.000Z', observation: red },
      turns: [turn, { ...turn, index: 1 }],
      end: { state: 'finished' },
      verdict: { success: true, score: 1, source: 'human', evidence: {} },
    };
    const { verdict: __, ...unjudged } = whole;
    const count = async (episode: Episode) => (await readDecisions(episode, view, new ScreenshotReader(lake))).length;
    expect(await count(whole)).toBe(2);
    expect(await count(unjudged)).toBe(0);
    expect(await count({ ...whole, turns: [turn, { ...unsampled, index: 1 }] })).toBe(0);
    expect(await count({ ...whole, turns: [foreign] })).toBe(0);
    expect(await count({ ...whole, observation: { ...red, size: { width: 28, height: 28 } } })).toBe(0);
    expect(await count({ ...unjudged, purpose: 'demonstration' })).toBe(2);
  });

  it('are none where tokens are of another model, whatever its ids would spell', async () => {
    const click = { type: 'click' as const, point: { x: 0.5, y: 0.5 } };
    const text = printT5({ actions: [click] });
    const ids = vocabulary.encode(click);
    // This server's ids happen to spell the turn natively.
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          choices: [
            {
              message: { role: 'assistant', content: text },
              finish_reason: 'stop',
              token_ids: ids,
              logprobs: { content: ids.map(() => ({ logprob: -1 })) },
            },
          ],
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const policy = endpointPolicy({ url, model: 'theirs' });
    const red = await observe('red');
    const png = await lake.screenshot(red.screenshot);
    const start: EpisodeStart = {
      id: 'foreign',
      task: {
        ...{ id: 'click/train/1', family: 'click', split: 'train', seed: 1, instruction: 'press it' },
        ...{ surfaces: ['screen'], screen: size, stepBudget: 9 },
      },
      ...{ policy: policy.name, purpose: 'ppo', seed: 0, startedAt: '2026-01-01T00:00:00.000Z', observation: red },
    };
    const { actions, sample } = await policy.decide({
      ...{ task: start.task, turns: [], random: () => 0.5, episodeId: start.id },
      screenshots: [{ png, hash: red.screenshot, size }],
      start: red,
    });
    server.close();
    expect(sample).toMatchObject({ tokens: ids, model: 'theirs' });
    const writer = await lake.begin(start);
    await writer.append({ index: 0, actions: [...actions], text, sample: sample!, observation: red, reward: 1 });
    await writer.finish({ state: 'finished' }, { success: true, score: 1, source: 'verifier', evidence: {} });
    await lake.flush();

    let foreign: Episode | undefined;
    for await (const episode of lake.episodes({ ids: ['foreign'] })) foreign = episode;
    expect(foreign?.turns[0]?.sample).toEqual(sample);
    expect(trainableTurns(foreign!, view)).toEqual([]);
    await expect(decision(foreign!, 0, view, new ScreenshotReader(lake))).rejects.toMatchObject({
      code: 'bad_input',
      message: 'turn 0 of foreign was sampled by theirs (vocabulary: unknown)',
      detail: { field: 'sample' },
    });

    const withSample = (changed: Partial<NonNullable<Turn['sample']>>): Episode => ({
      ...foreign!,
      turns: [{ ...foreign!.turns[0]!, sample: { ...sample!, ...changed } }],
    });
    expect(trainableTurns(withSample({ vocabulary: '0123456789abcdef' }), view)).toEqual([]);
    expect(trainableTurns(withSample({ vocabulary: vocabularyHash }), view)).toEqual([0]);
    // For truncated text, the native policy waits and learns what it wrote.
    const cut = vocabulary.encode({ type: 'type', text: 'abc' }).slice(0, 2);
    expect(trainableTurns(withSample({ vocabulary: vocabularyHash, tokens: cut }), view)).toEqual([0]);
    // Older lakes name neither, so tokens that spell the turn count.
    expect(trainableTurns(withSample({ model: undefined }), view)).toEqual([0]);
    expect(trainableTurns(withSample({ model: undefined, tokens: cut }), view)).toEqual([]);
    expect(trainableTurns(withSample({ model: undefined, tokens: [151_644, 77_091, 198] }), view)).toEqual([]);
  });
});
