import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelInput } from '@gyre/agent';
import { Random, Vocabulary, cellsOf } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import type { EpisodeStart, Observation, Turn } from '@gyre/protocol';
import type { PerceptionSample } from '@gyre/tasks';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScreenshotReader, decisions, perceptionDatum } from './dataset.js';

const size = { width: 160, height: 160 };
const vocabulary = new Vocabulary(cellsOf(size));
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
    const sampled = { tokens: vocabulary.encode(click), logprobs: [-0.5, -1.5], policyVersion: 7 };
    const turns: Turn[] = [
      { index: 0, actions: [click], sample: sampled, observation: green, reward: 0 },
      { index: 1, actions: [{ type: 'type', text: 'ab' }], observation: blue, reward: 1 },
    ];
    const writer = await lake.begin(start);
    for (const turn of turns) await writer.append(turn);
    await writer.finish({ state: 'finished' }, { success: true, score: 1, source: 'verifier', evidence: {} });
    await lake.flush();

    for await (const episode of lake.episodes({ ids: ['one'] })) {
      const [first, second] = await decisions(episode, vocabulary, 1, new ScreenshotReader(lake));
      expect(first?.datum.sequences[0]).toMatchObject({ action: sampled.tokens, logprobs: sampled.logprobs });
      expect([...(first?.datum.screenshots[0]?.pixels.subarray(0, 3) ?? [])]).toEqual([255, 0, 0]);
      expect([...(second?.datum.screenshots[0]?.pixels.subarray(0, 3) ?? [])]).toEqual([0, 255, 0]);
      const seen = modelInput(vocabulary, start.task, turns.slice(0, 1), []);
      expect(second?.datum.sequences[0]).toMatchObject({ tokens: seen.tokens, clock: seen.clock });
      expect(seen.clock).toBe(1);
    }
  });
});

describe('perception data', () => {
  it('asks for things by what tells them apart, and accepts every cell of them', () => {
    const sample: PerceptionSample = {
      pixels: new Uint8Array(size.width * size.height * 3),
      size,
      questions: [],
      glyphs: [],
      elements: [{ kind: 'button', label: 'save', colour: 'red', box: { x: 16, y: 16, width: 32, height: 32 } }],
    };
    const { sequences } = perceptionDatum(sample, vocabulary, 'x', new Random(1));
    expect(sequences).toHaveLength(6);
    // Columns 2 to 5 of rows 1 and 2.
    const cells = [22, 23, 24, 25, 42, 43, 44, 45].map((cell) => vocabulary.textSize + cell);
    for (const { equals, action } of sequences) {
      expect(equals).toEqual(cells);
      expect(cells).toContain(action.at(-1));
    }
  });

  it('asks for something to be typed: where the keyboard is in the field, letter by letter; else for a click on it', () => {
    const sample = (focused: boolean): PerceptionSample => ({
      pixels: new Uint8Array(size.width * size.height * 3),
      size,
      questions: [{ kind: 'type', instruction: 'type "abc"', answer: { type: 'type', text: 'abc' } }],
      glyphs: [],
      elements: [{ kind: 'field', label: '', focused, box: { x: 16, y: 16, width: 8, height: 16 } }],
    });
    const [typed] = perceptionDatum(sample(true), vocabulary, 'x', new Random(1)).sequences;
    expect(typed?.action).toEqual(vocabulary.encode({ type: 'type', text: 'abc' }));
    const [clicked] = perceptionDatum(sample(false), vocabulary, 'x', new Random(1)).sequences;
    expect(clicked).toMatchObject({ tokens: typed?.tokens, equals: [vocabulary.textSize + 22] });
  });

  it('asks for colours and shapes twice as often as for labels where there are any', () => {
    const box = { x: 16, y: 16, width: 8, height: 16 };
    const button = (label: string) => ({ kind: 'button' as const, label, colour: 'red' as const, box });
    const { sequences } = perceptionDatum(
      {
        pixels: new Uint8Array(size.width * size.height * 3),
        size,
        questions: [],
        glyphs: [],
        elements: ['one', 'two', 'three', 'four'].map(button),
      },
      vocabulary,
      'x',
      new Random(1),
    );
    const red = vocabulary.word('red');
    expect(sequences.filter(({ tokens }) => tokens.some(({ token }) => token === red))).toHaveLength(4);
  });

  it('keeps its shape on a page without anything to find', () => {
    const empty: PerceptionSample = {
      pixels: new Uint8Array(size.width * size.height * 3),
      glyphs: [],
      elements: [],
      size,
      questions: [],
    };
    const { sequences } = perceptionDatum(empty, vocabulary, 'x', new Random(1));
    expect(sequences).toHaveLength(6);
    expect(sequences.flatMap(({ weights }) => weights)).toEqual(new Array(12).fill(0));
  });
});
