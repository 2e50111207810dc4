import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NativeDatum, Random, contextTokens, vocabularyOf } from '@gyre/engine';
import type { Size } from '@gyre/protocol';
import type { PerceptionSample } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineOf } from '../algorithms/tinyEngine.test.fixture.js';
import { type CtStep, trainCt } from './ct.js';
import { PageFeed, type PageKind } from './pageFeed.js';
import { CtRecipe } from './recipe.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-ct-'));
});
afterAll(() => rm(dir, { recursive: true }));

function page(size: Size, n: number): PerceptionSample {
  const random = new Random(n).fork(`${size.width}`);
  const noise = () => Uint8Array.from({ length: size.width * size.height * 3 }, () => random.int(256));
  const box = { x: random.int(size.width - 16), y: random.int(size.height - 16), width: 16, height: 16 };
  return {
    size,
    pixels: noise(),
    glyphs: [{ char: 'a', box: { x: 8, y: 2, width: 8, height: 14 }, word: 'a', index: 0 }],
    elements: [],
    questions: [
      { kind: 'label', instruction: 'press "a"', thought: 'the button "a"', answer: { type: 'point', boxes: [box] } },
      { kind: 'read', instruction: 'read the text', answer: { type: 'text', text: 'a' } },
    ],
    ...(n % 3 === 0 && { before: noise() }),
  };
}
const pages = ({ size }: PageKind, first: number, count: number) =>
  Promise.resolve(Array.from({ length: count }, (_, i) => page(size, first + i)));

const size = { width: 64, height: 48 };
const recipe = CtRecipe.parse({
  steps: 17,
  decay: 3,
  letters: { steps: 3, pages: 2 },
  reading: { steps: 2, pages: 2 },
  kinds: [
    { learns: 'pages', size, pages: 2, asked: 'places', questions: 2, share: 2 },
    { learns: 'pages', size: { width: 48, height: 64 }, pages: 2, asked: 'texts', questions: 2, share: 2 },
    { learns: 'demonstrations', decisions: 2, share: 2 },
  ],
  lastKinds: [
    { learns: 'demonstrations', decisions: 2, families: ['family'], share: 1 },
    { learns: 'demonstrations', decisions: 2, families: ['another'], share: 99 },
  ],
});
const vocabulary = vocabularyOf(size);
const datum: NativeDatum = {
  screenshots: [{ hash: 'shown', pixels: page(size, 7).pixels, size }],
  sequences: [{ tokens: contextTokens(vocabulary, 'wait', []), action: vocabulary.encode({ type: 'wait' }) }],
};
const demonstrations = new Map([['family', [() => Promise.resolve(datum)]]]);

describe('continual training', () => {
  it('trains letters, then reading, then every kind of step, and the last kinds during the decay', async () => {
    const steps: CtStep[] = [];
    const engine = engineOf({ screenshots: 2 });
    const done = await trainCt({
      engine,
      recipe,
      from: 0,
      pages,
      demonstrations,
      onStep: (step) => void steps.push(step),
    });
    expect(done).toBe(17);
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 17 }, (_, i) => i + 1));
    const first = ['letters', 'letters', 'letters', 'reading', 'reading'];
    expect(steps.slice(0, 5).map(({ kind }) => kind)).toEqual(first);
    expect(new Set(steps.slice(5, 14).map(({ kind }) => kind))).toEqual(
      new Set(['64x48 places', '48x64 texts', 'demonstrations']),
    );
    expect(new Set(steps.slice(14).map(({ kind }) => kind))).toEqual(new Set(['demonstrations of family']));
    expect(engine.policyVersion).toBe(17);
    for (const { loss } of steps) expect(Number.isFinite(loss)).toBe(true);
  });

  it('resumes from a checkpoint with the same result', async () => {
    const [unbroken, first, second] = [
      engineOf({ screenshots: 2 }),
      engineOf({ screenshots: 2 }),
      engineOf({ screenshots: 2 }),
    ];
    const options = { recipe, pages, demonstrations };
    await trainCt({ ...options, engine: unbroken, from: 0 });
    const stop = new AbortController();
    const done = await trainCt({
      ...options,
      engine: first,
      from: 0,
      signal: stop.signal,
      onStep: ({ step }) => {
        if (step === 8) stop.abort();
      },
    });
    expect(done).toBe(8);
    const path = join(dir, 'ct.safetensors');
    await first.save(path);
    const { policyVersion } = await second.load(path);
    await trainCt({ ...options, engine: second, from: policyVersion });
    expect(second.parameters.data).toEqual(unbroken.parameters.data);
  });
});

describe('a feed of pages', () => {
  it('returns each page by its number in any order, and renders each sheet once', async () => {
    const sheets: string[] = [];
    const kind = { size, looks: 'all' } as const;
    const feed = new PageFeed({
      samples: () => 5,
      sheet: (kind, index) => {
        sheets.push(`${kind.size.width} ${index}`);
        return pages(kind, index * 5, 5);
      },
    });
    for (const first of [0, 3, 4, 9, 17]) {
      expect(await feed.take(kind, first, 4)).toEqual(await pages(kind, first, 4));
    }
    expect(new Set(sheets).size).toBe(sheets.length);
  });
});
