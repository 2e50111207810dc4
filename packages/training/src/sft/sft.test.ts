import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NativeDatum, type EmbeddedEngine, Random, contextTokens, glyphLabels, vocabularyOf } from '@gyre/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replay, trainLetters, trainSft } from './sft.js';
import { engineOf } from '../algorithms/tinyEngine.test.fixture.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-sft-'));
});
afterAll(() => rm(dir, { recursive: true }));

const size = { width: 32, height: 32 };
const vocabulary = vocabularyOf(size);

function screen(n: number): NativeDatum {
  const random = new Random(n);
  const letter = { char: 'abc'[n % 3] ?? 'a', box: { x: 8, y: 2, width: 8, height: 14 }, word: 'abc', index: n % 3 };
  return {
    screenshots: [{ hash: String(n), pixels: Uint8Array.from({ length: 32 * 32 * 3 }, () => random.int(256)), size }],
    sequences: [
      {
        tokens: contextTokens(vocabulary, 'find "abc"', []),
        action: vocabulary.encode({ type: 'click', point: { x: random.next(), y: random.next() } }),
      },
    ],
    glyphs: glyphLabels(vocabulary.grid, [letter]),
  };
}

const demonstrations = Array.from({ length: 8 }, (_, n) => ({
  family: n % 2 ? 'click' : 'form',
  datum: screen(100 + n),
}));
const perception = (first: number, count: number): Promise<NativeDatum[]> =>
  Promise.resolve(Array.from({ length: count }, (_, i) => screen(first + i)));

function options(engine: EmbeddedEngine, length: { steps: number; from?: number }) {
  return {
    engine,
    demonstrations,
    perception,
    length,
    seed: 3,
    batch: { demonstrations: 2, perception: 2 },
    peak: 1e-2,
    glyphWeight: 1,
  };
}

const some = { from: 0, steps: 5, learningRate: 1e-2, random: new Random(1) };

describe('supervised training', () => {
  it('draws families in proportion to the mix', async () => {
    const engine = engineOf();
    const seen: NativeDatum[] = [];
    const forwardBackward = engine.forwardBackward.bind(engine);
    engine.forwardBackward = (request) => {
      seen.push(...request.data);
      return forwardBackward(request);
    };
    await replay({ ...options(engine, { steps: 0 }), ...some, mix: { click: 1, form: 0 } });
    const clicks = demonstrations.filter(({ family }) => family === 'click').map(({ datum }) => datum);
    expect(seen.filter((datum) => clicks.includes(datum))).toHaveLength(some.steps * 2);
    expect(seen).toHaveLength(some.steps * 4);
  });

  it('takes supervised steps between those of reinforcement learning', async () => {
    const engine = engineOf();
    const first = await replay({ ...options(engine, { steps: 0 }), ...some });
    for (let round = 1; round < 6; round++) await replay({ ...options(engine, { steps: 0 }), ...some });
    const last = await replay({ ...options(engine, { steps: 0 }), ...some });
    expect(last.demonstrationLoss).toBeLessThan(first.demonstrationLoss);
    expect(last.perceptionLoss).toBeLessThan(first.perceptionLoss);
  });

  it('can train on rendered pages alone', async () => {
    const engine = engineOf();
    const pages = {
      ...options(engine, { steps: 0 }),
      ...some,
      batch: { demonstrations: 0, perception: 2 },
      demonstrations: [],
    };
    const first = await replay(pages);
    for (let round = 1; round < 6; round++) await replay(pages);
    const last = await replay(pages);
    expect(last.perceptionLoss).toBeLessThan(first.perceptionLoss);
    expect(last.demonstrationLoss).toBe(0);
  });

  it('resumes from a checkpoint with the same result, bit for bit, wherever it is cut', async () => {
    const unbroken = engineOf();
    await trainSft(options(unbroken, { steps: 6 }));
    for (const cut of [1, 3, 5]) {
      const stop = new AbortController();
      const first = engineOf();
      const done = await trainSft({
        ...options(first, { steps: 6 }),
        onStep: ({ step }) => step === cut && stop.abort(),
        signal: stop.signal,
      });
      expect(done).toBe(cut);
      const path = join(dir, `${cut}.safetensors`);
      await first.save(path);
      const second = engineOf();
      await second.load(path);
      await trainSft(options(second, { steps: 6, from: cut }));
      expect(second.parameters.data).toEqual(unbroken.parameters.data);
    }
  });

  it('converts minutes to a number of steps and reports it', async () => {
    const totals: number[] = [];
    const steps = await trainLetters({
      engine: engineOf(),
      perception,
      length: { minutes: 0.01 },
      batch: 1,
      peak: 1e-3,
      onStep: (_, total) => totals.push(total),
    });
    expect(totals).toHaveLength(steps);
    expect(totals.at(-1)).toBe(steps);
  });

  it('trains letters in the stem and changes no other weights', async () => {
    const learner = engineOf();
    const before = learner.parameters.clone();
    const losses: number[] = [];
    await trainLetters({
      engine: learner,
      perception: (first, count) => perception(first % 6, count),
      length: { steps: 60 },
      batch: 2,
      peak: 1e-2,
      onStep: ({ loss }) => losses.push(loss),
    });
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 2);
    expect(learner.parameters.view('image.letter.w')).not.toEqual(before.view('image.letter.w'));
    for (const name of ['image.0.q.w', 'image.word.w', 'decoder.1.q.w']) {
      expect(learner.parameters.view(name)).toEqual(before.view(name));
    }
  });
});
