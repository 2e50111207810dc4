import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vocabularyOf } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import type { Episode, Observation, Turn } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoreRollouts } from '../advantages/targets.js';
import { transitions } from '../ct/transitions.js';
import { route } from '../flywheel/route.js';
import { confidence } from '../metrics/bestOf.js';
import { withValues } from './continuations.js';
import { readDecisions, ScreenshotReader } from './dataset.js';
import { sampledAnswers } from './sampledData.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
const view = { screenshots: 1, reads: false };
let directory: string;
let lake: Lake;
let episode: Episode;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-person-turns-'));
  lake = await Lake.open(directory);
  const observations: Observation[] = [];
  for (const background of ['red', 'lime', 'blue', 'white']) {
    const png = await sharp({ create: { ...size, channels: 3, background } })
      .png()
      .toBuffer();
    observations.push({ screenshot: await lake.putScreenshot(png), size });
  }
  const click = { type: 'click' as const, point: { x: 0.1, y: 0.1 } };
  const tokens = vocabulary.encode(click);
  const sample = { tokens, logprobs: tokens.map(() => -1), policyVersion: 7, prompt: { kept: 0, tokens: [5] } };
  const turns: Turn[] = [
    { index: 0, actions: [click], sample, observation: observations[1]!, reward: 0 },
    // A person accepted what the policy proposed.
    { index: 1, by: 'Anna', actions: [click], sample, observation: observations[2]!, reward: 1 },
    { index: 2, by: 'Anna', actions: [{ type: 'type', text: 'ab' }], observation: observations[3]!, reward: 0 },
  ];
  episode = {
    id: 'one',
    task: {
      ...{ id: 'form/train/1', family: 'form', split: 'train', seed: 1, instruction: 'type "ab"' },
      ...{ surfaces: ['screen'], screen: size, stepBudget: 8 },
    },
    ...{ policy: 'nano', purpose: 'ppo', seed: 1, startedAt: '2026-01-01T00:00:00.000Z' },
    ...{ observation: observations[0]!, turns, end: { state: 'finished' } },
    verdict: { success: true, score: 1, source: 'verifier', evidence: {} },
  };
});
afterAll(async () => {
  await lake.close();
  await rm(directory, { recursive: true });
});

const alone = (): Episode => ({ ...episode, turns: episode.turns.slice(0, 1) });

test('turns of a person are demonstrations, also where a policy proposed them', async () => {
  const decisions = await readDecisions(episode, view, new ScreenshotReader(lake));
  expect(decisions.map(({ turn, policyVersion }) => [turn, policyVersion])).toEqual([
    [0, 7],
    [1, undefined],
    [2, undefined],
  ]);
  const sequences = decisions.map(({ datum }) => datum.sequences[0]!);
  expect(sequences.map(({ logprobs }) => logprobs !== undefined)).toEqual([true, false, false]);
  expect(sequences[1]!.action).toEqual(vocabulary.encode({ type: 'click', point: { x: 0.1, y: 0.1 } }));
  expect((await transitions(episode, new ScreenshotReader(lake))).map(({ turn }) => turn)).toEqual([0, 1, 2]);
  expect(route(episode, { policyVersion: 7 })).toMatchObject({ stage: 'sft' });
  expect(route(alone(), { policyVersion: 7 })).toMatchObject({ stage: 'rl' });
});

test('no ratio, advantage or value comes from an episode in which a person took part', async () => {
  const { answers, unprompted } = await sampledAnswers(episode, { lake, pictureToken: 1 });
  expect([answers.map(({ turn }) => turn.index), unprompted]).toEqual([[0], 2]);
  const rollout = { episode, decisions: await readDecisions(episode, view, new ScreenshotReader(lake)) };
  expect(scoreRollouts([rollout], 1)).toEqual([]);
  expect(scoreRollouts([{ ...rollout, episode: alone() }], 1)).toHaveLength(1);
  const touched = { ...alone(), verdict: { ...episode.verdict!, evidence: { takenOver: ['Anna'] } } };
  expect(scoreRollouts([{ ...rollout, episode: touched }], 1)).toEqual([]);
  expect(route(touched, { policyVersion: 7 })).toMatchObject({ stage: 'sft' });
  expect(confidence(episode)).toBe(-1);

  const continued = (turns: readonly Turn[], id: string): Episode => ({
    ...{ ...episode, id, turns: [...turns], fork: { episode: 'one', turn: 0 } },
  });
  const valued = withValues(
    [rollout],
    [{ episode: continued(episode.turns, 'helped') }, { episode: continued(alone().turns, 'alone') }],
    { gamma: 1, reads: false },
  );
  expect(valued[0]!.values).toEqual(new Map([[0, 0]]));
});

test('the turns that a fork copies from a person taint nothing that follows', () => {
  const forked = { ...episode, fork: { episode: 'parent', turn: 3 } };
  const forkedOn = { ...forked, turns: [...forked.turns, { ...episode.turns[0]!, index: 3 }] };
  expect(scoreRollouts([{ episode: forkedOn, decisions: [] }], 1)).toHaveLength(1);
});
