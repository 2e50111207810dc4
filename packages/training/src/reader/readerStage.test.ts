import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCheckpoint } from '@gyre/engine';
import { RecogniserShape, loadRecogniser } from '@gyre/reader';
import { expect, onTestFinished, test } from 'vitest';
import type { LinePage } from './linePage.js';
import { type ReaderStage, type ReaderStep, trainReaderPart } from './readerStage.js';
import { recogniserLesson } from './recogniserLesson.js';

/** Lines of bars: a character's number is its bar's width. */
function barPage(index: number): LinePage {
  const [width, height] = [320, 200];
  const pixels = new Uint8Array(width * height * 3).fill(240);
  const lines = Array.from({ length: 10 }, (_, row) => {
    const text = Array.from({ length: 6 }, (__, i) => 'abc'[(index + row * 5 + i * i) % 3]!).join('');
    const sides = [...text].flatMap((_char, i) => [20 + 12 * i, 32 + 12 * i]);
    for (const [i, char] of [...text].entries()) {
      const bar = 2 + 2 * 'abc'.indexOf(char);
      const x = 26 + 12 * i - bar / 2;
      for (let y = row * 20 + 4; y < row * 20 + 16; y++)
        pixels.fill(20, (y * width + x) * 3, (y * width + x + bar) * 3);
    }
    return { text, top: row * 20 + 2, bottom: row * 20 + 18, sides };
  });
  return { screen: { pixels, size: { width, height } }, lines };
}

function stage(folder: string, steps: number, signal?: AbortSignal): ReaderStage {
  return {
    folder,
    part: 'recogniser',
    lesson: recogniserLesson({
      shape: RecogniserShape.parse({ fine: 4, coarse: 8, column: 16, blocks: 1, slot: 8 }),
      batch: { strips: 2, stripWidth: 128, places: 16 },
      characters: ['a', 'b', 'c'],
      seed: 3,
      page: async (turn) => barPage(turn % 4),
    }),
    seed: 3,
    schedule: { steps, peak: 3e-3, warmup: 5, decay: 10 },
    threads: 1,
    saveEvery: 20,
    evaluate: async (weights) => ({ characters: (await loadRecogniser(weights)).characters.length }),
    signal,
  };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-reader-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('learns, logs, and resumes with the same numbers as an unbroken run', async () => {
  const [whole, broken] = [await newFolder(), await newFolder()];
  const losses: number[] = [];
  expect(await trainReaderPart({ ...stage(whole, 60), onStep: (step) => losses.push(step.losses.loss ?? NaN) })).toBe(
    60,
  );
  expect(losses).toHaveLength(60);
  expect(losses.at(-1)!).toBeLessThan(losses[0]! * 0.7);

  const stop = new AbortController();
  const interrupted = { ...stage(broken, 60, stop.signal), onStep: () => ++steps === 33 && stop.abort() };
  let steps = 0;
  expect(await trainReaderPart(interrupted)).toBe(33);
  expect(await trainReaderPart(stage(broken, 60))).toBe(60);

  const name = 'recogniser.ckpt.safetensors';
  const [a, b] = await Promise.all([whole, broken].map((folder) => loadCheckpoint(join(folder, name))));
  expect(b).toEqual(a);
  const log = (await readFile(join(whole, 'log.jsonl'), 'utf8')).trim().split('\n');
  expect(log.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { part: 'recogniser', step: 20, characters: 3 },
    { step: 40 },
    { step: 60 },
  ]);
});

test('starts from exported weights, and refuses those of another part', async () => {
  const [first, second] = [await newFolder(), await newFolder()];
  const from = join(first, 'recogniser.safetensors');
  await trainReaderPart(stage(first, 60));
  const losses: number[] = [];
  const onStep = (step: ReaderStep) => losses.push(step.losses.loss ?? NaN);
  await trainReaderPart({ ...stage(second, 1), from, onStep });
  await trainReaderPart({ ...stage(await newFolder(), 1), onStep });
  expect(losses[0]!).toBeLessThan(losses[1]! * 0.8);

  const lesson = { ...stage(second, 1).lesson, metadata: { part: 'detector' } };
  await expect(trainReaderPart({ ...stage(await newFolder(), 1), lesson, from })).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining('holds recogniser, not the detector') as string,
  });
});
