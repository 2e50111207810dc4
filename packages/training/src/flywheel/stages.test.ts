import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { vocabularyOf } from '@gyre/engine';
import type { Episode, Split } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDecisions } from '../rollouts/dataset.js';
import type { Learner } from './learner.js';
import { readDemonstrations, successfulDemonstrations } from './stages.js';

const size = { width: 160, height: 160 };
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-stages-'));
});
afterAll(() => rm(dir, { recursive: true }));

interface Shown {
  family: string;
  seed: number;
  split?: Split;
  success?: boolean;
}

async function lakeOf(name: string, demonstrations: readonly Shown[]): Promise<Lake> {
  const lake = await Lake.open(join(dir, name));
  const png = await sharp({ create: { ...size, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const observation = { screenshot: await lake.putScreenshot(png), size };
  for (const { family, seed, split = 'train', success = true } of demonstrations) {
    const id = `${family}/${split}/${seed}`;
    const writer = await lake.begin({
      id: `episode of ${id}`,
      task: { id, family, split, seed, instruction: 'press it', surfaces: ['screen'], screen: size, stepBudget: 4 },
      ...{ policy: 'oracle', purpose: 'demonstration', seed, startedAt: '2026-01-01T00:00:00.000Z', observation },
    });
    const point = { x: seed / 10, y: 0.5 };
    await writer.append({ index: 0, actions: [{ type: 'click', point }], observation, reward: 1 });
    await writer.finish({ state: 'finished' }, { success, score: 1, source: 'verifier', evidence: {} });
  }
  await lake.flush();
  return lake;
}

const unordered: Shown[] = [
  { family: 'menu', seed: 3 },
  { family: 'click', seed: 3 },
  { family: 'click', seed: 1 },
  { family: 'menu', seed: 2 },
];

const learner: Pick<Learner, 'decisions'> = {
  decisions: (episode, reader, options) => readDecisions(episode, { screenshots: 1, reads: false }, reader, options),
};

describe('annotations', () => {
  it('are trained on where people accepted them: their turns in the SFT pool, as they were edited', async () => {
    const lake = await lakeOf('annotated', []);
    const png = await sharp({ create: { ...size, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    const observation = { screenshot: await lake.putScreenshot(png), size };
    const annotated = async (seed: number): Promise<Episode> => {
      const id = `click/train/${seed}`;
      const writer = await lake.begin({
        id: `annotation ${seed}`,
        task: {
          id,
          family: 'click',
          split: 'train',
          seed,
          instruction: 'press it',
          surfaces: ['screen'],
          screen: size,
          stepBudget: 4,
        },
        ...{ policy: 'human:ann', purpose: 'annotation', seed: 0, startedAt: '2026-01-01T00:00:00.000Z', observation },
        origin: { format: 'annotation', source: 'ann', licence: 'CC-BY-4.0' },
      });
      const turn = { observation, reward: 0, actions: [{ type: 'click' as const, point: { x: seed / 10, y: 0.5 } }] };
      await writer.append({ ...turn, index: 0, by: 'ann', thought: 'now click', edited: { thought: '' } });
      await writer.append({ ...turn, index: 1 });
      await writer.append({ ...turn, index: 2, by: 'ann' });
      await writer.append({ ...turn, index: 3, by: 'ann', mark: { bad: true } });
      return writer.finish({ state: 'finished' }, { success: true, score: 1, source: 'verifier', evidence: {} });
    };
    const [accepted] = [await annotated(1), await annotated(2)];
    await lake.pool('sft').add([{ episode: accepted, origin: 'annotated', cycle: 0, turns: [0, 2, 3] }]);
    const decisions = await readDemonstrations({ lake, learner }, { thoughts: false });
    expect(decisions.map(({ turn }) => turn)).toEqual([0, 2]);
    const thoughts = decisions.map(({ datum }) => vocabularyOf(size).decode(datum.sequences[0]!.action).thought);
    expect(thoughts).toEqual(['now click', undefined]);
    expect(decisions.every(({ policyVersion }) => policyVersion === undefined)).toBe(true);
    const [sample] = await lake.pool('sft').samples();
    expect(sample).toMatchObject({ by: 'ann', licence: 'CC-BY-4.0' });
    await lake.close();
  });
});

describe('demonstrations', () => {
  it('are trained on in the same order, however their episodes ended', async () => {
    const lakes = [await lakeOf('one', unordered), await lakeOf('other', [...unordered].reverse())];
    const [first, second] = await Promise.all(
      lakes.map((lake) => readDemonstrations({ lake, learner }, { thoughts: false })),
    );
    expect(first).toHaveLength(4);
    expect(first).toEqual(second);
    await Promise.all(lakes.map((lake) => lake.close()));
  });

  it('are of training tasks, and successful', async () => {
    const lake = await lakeOf('mixed', [
      { family: 'click', seed: 4, split: 'test' },
      { family: 'click', seed: 5, success: false },
      ...unordered,
    ]);
    const ids = (await successfulDemonstrations(lake)).map(({ task }) => task.id);
    expect(ids).toEqual(['click/train/1', 'menu/train/2', 'click/train/3', 'menu/train/3']);
    await lake.close();
  });
});
