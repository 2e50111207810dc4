import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParameterStore, saveCheckpoint } from '@gyre/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Screen } from '../reader.js';
import { readerCharacters } from './characters.js';
import { OwnDetector } from './detector.js';
import { DetectorShape, detectorParameters } from './detectorNetwork.js';
import { detectorMetadata, loadDetector } from './detectorWeights.js';
import { hasOwnWeights, openOwnReader } from './ownReader.js';
import { OwnRecogniser } from './recogniser.js';
import { RecogniserShape, recogniserParameters } from './recogniserNetwork.js';
import { loadRecogniser, recogniserMetadata } from './recogniserWeights.js';

const detectorShape = DetectorShape.parse({ fine: 4, wide: 4 });
const recogniserShape = RecogniserShape.parse({ fine: 4, coarse: 4, column: 8, blocks: 1, slot: 4 });
const characters = ['a', 'b', ' ', '中'];
let folder: string;
let detector: string;
let recogniser: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-reader-'));
  detector = join(folder, 'detector.safetensors');
  recogniser = join(folder, 'recogniser.safetensors');
  const [detectorStore, store] = [new ParameterStore(detectorParameters(detectorShape), 1), recogniserStore()];
  await saveCheckpoint(detector, { tensors: detectorStore.tensors(), metadata: detectorMetadata(detectorShape) });
  const metadata = recogniserMetadata(recogniserShape, characters);
  await saveCheckpoint(recogniser, { tensors: store.tensors(), metadata });
});
afterAll(() => rm(folder, { recursive: true }));

function recogniserStore(): ParameterStore {
  const store = new ParameterStore(recogniserParameters(recogniserShape, characters.length), 1);
  // Every other slot holds a character.
  store.view('centre.b').fill(0.3);
  return store;
}

function noise({ width, height }: Screen['size'], seed: number): Screen {
  const pixels = Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * 7919 * (seed + 1)) % 251);
  return { pixels, size: { width, height } };
}

test('has at most 1.5 million parameters', () => {
  const count = (specs: readonly { shape: readonly number[] }[]): number =>
    specs.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const known = readerCharacters();
  expect(new Set(known).size).toBe(known.length);
  expect(known).toEqual(expect.arrayContaining([...'aZ09 ,€…、。：中文确取消鹭']));
  const total =
    count(recogniserParameters(RecogniserShape.parse({}), known.length)) +
    count(detectorParameters(DetectorShape.parse({})));
  expect(total).toBeLessThan(1_500_000);
});

describe('OwnRecogniser', () => {
  test('reads a line the same alone and among others, however long', async () => {
    const weights = await loadRecogniser(recogniser);
    const reader = new OwnRecogniser(weights);
    const crops = [80, 20, 700, 33, 8000].map((width, i) => noise({ width, height: 16 }, i));
    const together = await reader.recognise(crops);
    for (const [i, crop] of crops.entries()) {
      const [alone] = await reader.recognise([crop]);
      expect(alone).toEqual(together[i]);
      expect(alone!.centres).toHaveLength([...alone!.text].length);
      expect(alone!.centres.every((centre) => centre >= 0 && centre < crop.size.width + 1e-6)).toBe(true);
    }
    expect(together.some(({ text }) => text.length > 0)).toBe(true);
    await reader.close();
  });

  test('reads nothing from no crops', async () => {
    const reader = new OwnRecogniser(await loadRecogniser(recogniser));
    expect(await reader.recognise([])).toEqual([]);
    await reader.close();
  });
});

test('OwnDetector keeps boxes within a region of any size', async () => {
  const lineDetector = new OwnDetector(await loadDetector(detector));
  const screen = noise({ width: 170, height: 90 }, 3);
  for (const region of [
    { x: 0, y: 0, width: 170, height: 90 },
    { x: 13, y: 7, width: 41, height: 19 },
    { x: 165, y: 85, width: 5, height: 5 },
  ]) {
    for (const box of await lineDetector.detect(screen, region)) {
      expect(box.x).toBeGreaterThanOrEqual(region.x);
      expect(box.y).toBeGreaterThanOrEqual(region.y);
      expect(box.x + box.width).toBeLessThanOrEqual(region.x + region.width + 1e-6);
      expect(box.y + box.height).toBeLessThanOrEqual(region.y + region.height + 1e-6);
    }
  }
  await lineDetector.close();
});

test('openOwnReader reads a screen, and refuses the weights of another part', async () => {
  const reader = await openOwnReader({ folder });
  const screen = noise({ width: 160, height: 160 }, 1);
  const reading = await reader.read(screen);
  expect(reading.reader).toBe(reader.name);
  expect((await reader.read(screen, { screen, reading })).lines).toEqual(reading.lines);
  await reader.close();
  expect(hasOwnWeights(folder)).toBe(true);
  await expect(openOwnReader({ folder: tmpdir() })).rejects.toMatchObject({ code: 'missing' });
  await expect(loadRecogniser(detector)).rejects.toMatchObject({ code: 'corrupt' });
  await expect(loadDetector(recogniser)).rejects.toMatchObject({ code: 'corrupt' });
});
