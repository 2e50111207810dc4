import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelInput } from '@gyre/agent';
import { vocabularyOf } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import type { Episode, EpisodeStart, Observation, Turn } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScreenshotReader, readDecisions } from './dataset.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
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
      const decisions = await readDecisions(forked, 1, new ScreenshotReader(lake));
      expect(decisions.map(({ turn }) => turn)).toEqual([1]);
      expect(decisions[0]?.datum.sequences[0]?.clock).toBe(1);
      expect(
        await readDecisions({ ...forked, fork: { episode: 'one', turn: 2 } }, 1, new ScreenshotReader(lake)),
      ).toEqual([]);
    }
    for await (const episode of lake.episodes({ ids: ['one'] })) {
      const [first, second] = await readDecisions(episode, 1, new ScreenshotReader(lake));
      expect(first?.datum.sequences[0]).toMatchObject({ action: sampled.tokens, logprobs: sampled.logprobs });
      expect([...(first?.datum.screenshots[0]?.pixels.subarray(0, 3) ?? [])]).toEqual([255, 0, 0]);
      expect([...(second?.datum.screenshots[0]?.pixels.subarray(0, 3) ?? [])]).toEqual([0, 255, 0]);
      const seen = modelInput(vocabulary, start.task, turns.slice(0, 1), []);
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
    const decisions = await readDecisions(episode, 1, new ScreenshotReader(lake));
    expect(decisions.map(({ turn }) => turn)).toEqual([0, 1]);
    const [first, second] = decisions.map(({ datum }) => datum.sequences[0]!);
    expect(first?.action).toEqual(vocabulary.encode(command('cat it'), 'look first'));
    const silent = await readDecisions(episode, 1, new ScreenshotReader(lake), { thought: false });
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
    const count = async (episode: Episode) => (await readDecisions(episode, 1, new ScreenshotReader(lake))).length;
    expect(await count(whole)).toBe(2);
    expect(await count(unjudged)).toBe(0);
    expect(await count({ ...whole, turns: [turn, { ...unsampled, index: 1 }] })).toBe(0);
    expect(await count({ ...whole, turns: [foreign] })).toBe(0);
    expect(await count({ ...whole, observation: { ...red, size: { width: 28, height: 28 } } })).toBe(0);
    expect(await count({ ...unjudged, purpose: 'demonstration' })).toBe(2);
  });
});
