import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenIds } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { type Episode, type Observation, promptsOf, promptTokens, type Turn } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampledData, type SampledDataOptions } from './sampledData.js';

const [end, pad, vision, answerMark] = [90, 91, 92, 93];
const sizes = { wide: { width: 64, height: 32 }, tall: { width: 32, height: 64 } };
/** A token is 16 x 16 px. */
const lengthOf = ({ size: { width, height } }: Observation) => (width * height) / 256;

let directory: string;
let lake: Lake;
let screens: Observation[];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-sampled-'));
  lake = await Lake.open(directory);
  const observe = async (red: number, size = sizes.wide): Promise<Observation> => {
    const background = { r: red, g: 0, b: 0 };
    const png = await sharp({ create: { ...size, channels: 3, background } })
      .png()
      .toBuffer();
    return { screenshot: await lake.putScreenshot(png), size };
  };
  screens = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => observe(40 * index)));
  screens.push(await observe(10, sizes.tall));
});
afterAll(async () => {
  await lake.close();
  await rm(directory, { recursive: true });
});

interface Play {
  /** Tokens of each answer, without the end. */
  readonly answers: readonly (readonly number[])[];
  /** Most pictures in a prompt; older ones become a text. */
  readonly window?: number;
  /** Tokens of a text before each picture. */
  readonly texts?: readonly (readonly number[])[];
  readonly observations?: readonly Observation[];
}

/** Renders as a chat template does. */
function played({ answers, window = 9, texts = [], observations = screens }: Play): Episode {
  const past: number[][] = [];
  const turns: Turn[] = [];
  for (const [index, answer] of answers.entries()) {
    const prompt = past.flatMap((tokens, k) => [...rendered(k, index), ...tokens, end]);
    prompt.push(...rendered(index, index));
    const tokens = [...answer, end];
    const { sample } = turns[index - 1] ?? {};
    const before = sample && { prompt: promptsOf({ turns })[index - 1]!, tokens: sample.tokens };
    past.push([...answer]);
    turns.push({
      ...{ index, actions: [{ type: 'wait' }], observation: observations[index + 1]!, reward: 0 },
      sample: {
        ...{ tokens, logprobs: tokens.map((_, k) => -index - k / 10 - 1), policyVersion: 5 + index, model: 'served' },
        prompt: promptTokens(prompt, before),
      },
    });
  }
  function rendered(observation: number, newest: number): number[] {
    const text = [1, ...(texts[observation] ?? [])];
    if (observation <= newest - window) return [...text, 2, answerMark];
    const run = new Array<number>(lengthOf(observations[observation]!)).fill(pad);
    return [...text, vision, ...run, vision, answerMark];
  }
  const task = { id: 'a/train/1', family: 'a', split: 'train' as const, seed: 1, instruction: 'x', stepBudget: 9 };
  return {
    ...{ id: 'one', policy: 'served', purpose: 'ppo', seed: 1, startedAt: '2026-01-01T00:00:00.000Z', turns },
    task: { ...task, surfaces: ['screen'], screen: sizes.wide },
    ...{ observation: observations[0]!, end: { state: 'finished' } },
  };
}

const dataOf = (episode: Episode, options: Partial<SampledDataOptions> = {}) =>
  sampledData(episode, { lake, pictureToken: pad, ...options });

const idsIn = (datum: { input: Parameters<typeof tokenIds>[0] }) => tokenIds(datum.input, pad);

describe('data of sampled turns', () => {
  it('are one datum while the prompt only grows, with every screenshot by its hash', async () => {
    const episode = played({ answers: [[10], [11, 12], [13]] });
    const advantage = ({ index }: Turn) => [2, -1, 0.5][index];
    const { data, strays, unprompted } = await dataOf(episode, { advantage, weight: () => 0.25 });
    expect([data.length, strays, unprompted]).toEqual([1, 0, 0]);
    const [{ datum, spans, turns, policyVersion }] = data as [(typeof data)[0]];
    const { tokens, prompt } = { tokens: episode.turns[2]!.sample!.tokens, prompt: promptsOf(episode)[2]! };
    expect(idsIn(datum)).toEqual([...prompt, ...tokens]);
    const pictures = datum.input.flatMap((piece) => ('picture' in piece ? [piece] : []));
    expect(pictures.map(({ picture }) => picture.hash)).toEqual(screens.slice(0, 3).map((each) => each.screenshot));
    for (const { picture, length } of pictures) {
      expect(Buffer.from(picture.png)).toEqual(Buffer.from(await lake.screenshot(picture.hash)));
      expect([picture.size, length]).toEqual([sizes.wide, 8]);
    }
    expect([turns, policyVersion]).toEqual([[0, 1, 2], 5]);
    for (const { answer, from, length } of spans) {
      const { sample, ...turn } = episode.turns[answer]!;
      const spanOf = (list: readonly number[]) => list.slice(from, from + length);
      expect(spanOf(idsIn(datum).slice(1))).toEqual(sample?.tokens);
      expect(spanOf(datum.logprobs)).toEqual(sample?.logprobs);
      expect(spanOf(datum.advantages)).toEqual(sample?.tokens.map(() => advantage({ ...turn })));
      expect(spanOf(datum.weights)).toEqual(sample?.tokens.map(() => 0.25));
    }
    expect(datum.weights.reduce((sum, weight) => sum + weight)).toBe(0.25 * 7);
    expect(new Set([datum.weights.length, datum.logprobs.length, datum.advantages.length])).toEqual(
      new Set([prompt.length + tokens.length - 1]),
    );
  });

  it('begin anew where old screenshots leave the prompt, and keep every prompt as it was sent', async () => {
    const episode = played({ answers: [[10], [11], [12], [13], [14]], window: 2 });
    const { data } = await dataOf(episode);
    expect(data.map(({ turns }) => turns)).toEqual([[0, 1], [2], [3], [4]]);
    const prompts = promptsOf(episode);
    for (const { datum, turns } of data) {
      const last = turns.at(-1)!;
      expect(idsIn(datum)).toEqual([...prompts[last]!, ...episode.turns[last]!.sample!.tokens]);
      const hashes = datum.input.flatMap((piece) => ('picture' in piece ? [piece.picture.hash] : []));
      const newest = screens.slice(0, last + 1).slice(-2);
      expect(hashes).toEqual(newest.map(({ screenshot }) => screenshot));
    }
  });

  it('leave out and count the turns with a stray placeholder', async () => {
    const bySampling = await dataOf(played({ answers: [[10], [11, pad], [12]] }));
    expect([bySampling.data.map(({ turns }) => turns), bySampling.strays]).toEqual([[[0]], 2]);
    // A page's text with the name of the token.
    const byPage = await dataOf(played({ answers: [[10], [11], [12]], texts: [[], [5, pad, 6]] }));
    expect([byPage.data.map(({ turns }) => turns), byPage.strays]).toEqual([[[0]], 2]);
    const early = await dataOf(played({ answers: [[10], [11]], texts: [[pad]] }));
    expect([early.data, early.strays]).toEqual([[], 2]);
    // Also where it stands in the place of a screenshot that has left the prompt.
    const late = await dataOf(played({ answers: [[10], [11], [12]], texts: [[], [5, pad]], window: 1 }));
    expect([late.data.map(({ turns }) => turns), late.strays]).toEqual([[[0]], 2]);
  });

  it('take screenshots of several sizes', async () => {
    const observations = [screens[0]!, screens[6]!, screens[1]!, screens[2]!];
    const large = { ...screens[2]!, size: { width: 64, height: 64 } };
    const { data, strays } = await dataOf(
      played({ answers: [[10], [11], [12]], observations: [...observations.slice(0, 2), large, screens[3]!] }),
    );
    expect([data.length, strays]).toEqual([1, 0]);
    const lengths = data[0]?.datum.input.flatMap((piece) => ('picture' in piece ? [piece.length] : []));
    expect(lengths).toEqual([8, 8, 16]);
  });

  it('leave out copied turns, turns without an advantage, and count those without a prompt', async () => {
    const episode = played({ answers: [[10], [11], [12]] });
    const forked = await dataOf({ ...episode, fork: { episode: 'parent', turn: 1 } });
    expect(forked.data.map(({ turns, policyVersion }) => ({ turns, policyVersion }))).toEqual([
      { turns: [1, 2], policyVersion: 6 },
    ]);
    const chosen = await dataOf(episode, { advantage: ({ index }) => (index === 1 ? undefined : 1) });
    expect(chosen.data.map(({ turns }) => turns)).toEqual([[0, 2]]);
    const { sample: _, ...demonstrated } = episode.turns[1]!;
    const mixed = await dataOf({ ...episode, turns: [episode.turns[0]!, demonstrated, episode.turns[2]!] });
    // The third prompt was stored relative to the second.
    expect([mixed.data.map(({ turns }) => turns), mixed.unprompted]).toEqual([[[0]], 2]);
  });

  it('are the same from the lake', async () => {
    const { turns, end: ending, ...start } = played({ answers: [[10], [11]] });
    const writer = await lake.begin(start);
    for (const turn of turns) await writer.append(turn);
    await writer.finish(ending, { success: true, score: 1, source: 'verifier', evidence: {} });
    await lake.flush();
    for await (const episode of lake.episodes({ ids: ['one'] }))
      expect(await dataOf(episode)).toEqual(await dataOf({ ...start, turns, end: ending }));
  });
});
