import { type NativeDatum, Random, type TrainingEngine } from '@gyre/engine';
import { scheduledRate } from '../algorithms/schedule.js';
import { mean } from '../metrics/statistics.js';

export interface SftOptions {
  engine: TrainingEngine;
  demonstrations: readonly { family: string; datum: NativeDatum }[];
  /** Deterministic in its numbers. */
  perception: (first: number, count: number) => Promise<NativeDatum[]>;
  /** Total steps, and the first when resumed; or minutes, converted by timing. */
  length: { steps: number; from?: number } | { minutes: number };
  seed: number;
  batch: { demonstrations: number; perception: number };
  /** Sampling weight by family. Default 1. */
  mix?: Readonly<Record<string, number>>;
  /** Learning rate: warm-up, constant to 60 % of the steps, then linear to 5 %. */
  peak: number;
  glyphWeight: number;
  onStep?: (step: SftStep, steps: number) => void;
  signal?: AbortSignal | undefined;
}

export interface SftStep {
  step: number;
  perceptionLoss: number;
  demonstrationLoss: number;
  gradientNorm: number;
}

const warmup = 100;
/** Excludes steps that compile graphs and wait for pages. */
const timed = { from: 20, to: 60 };

export type LettersOptions = Pick<SftOptions, 'engine' | 'perception' | 'length' | 'signal'> & {
  batch: number;
  peak: number;
  onStep?: (step: { step: number; loss: number }, steps: number) => void;
};

/** Trains the stem alone: in joint training, losses that cannot fall yet drown this one. */
export async function trainLetters(options: LettersOptions): Promise<number> {
  const { engine, batch } = options;
  return timedSteps(options, async (step, steps) => {
    const data = await options.perception(step * batch, batch);
    const { loss } = await engine.forwardBackward({ data, loss: { name: 'letters' } });
    const rate = scheduledRate(step, { peak: options.peak, warmup: 50, steps });
    await engine.optimStep({ learningRate: rate, part: 'stem' });
    options.onStep?.({ step: step + 1, loss }, steps);
  });
}

/**
 * Trains on demonstrations and perception data. Step k depends only on seed and k, so resuming changes nothing. Returns
 * the steps done.
 */
export async function trainSft(options: SftOptions): Promise<number> {
  const { seed, batch, peak } = options;
  const pools = byFamily(options.demonstrations, options.mix);
  return timedSteps(options, async (step, steps) => {
    const losses = await sftStep(
      { ...options, pools, random: new Random(seed).fork(`sft ${step}`) },
      batch,
      step * batch.perception,
      scheduledRate(step, { peak, warmup, steps }),
    );
    options.onStep?.({ step: step + 1, ...losses }, steps);
  });
}

export type ReplayOptions = Pick<
  SftOptions,
  'engine' | 'demonstrations' | 'perception' | 'batch' | 'mix' | 'glyphWeight' | 'signal'
> & {
  from: number;
  steps: number;
  learningRate: number;
  random: Random;
};

export async function replay(options: ReplayOptions): Promise<{ perceptionLoss: number; demonstrationLoss: number }> {
  const { batch, from, steps, signal } = options;
  const pools = byFamily(options.demonstrations, options.mix);
  const done: Omit<SftStep, 'step'>[] = [];
  for (let step = from; step < from + steps && !signal?.aborted; step++) {
    done.push(await sftStep({ ...options, pools }, batch, step * batch.perception, options.learningRate));
  }
  return {
    perceptionLoss: mean(done.map(({ perceptionLoss }) => perceptionLoss)),
    demonstrationLoss: mean(done.map(({ demonstrationLoss }) => demonstrationLoss)),
  };
}

async function sftStep(
  from: Pick<SftOptions, 'engine' | 'perception' | 'glyphWeight'> & { pools: readonly Pool[]; random: Random },
  batch: SftOptions['batch'],
  firstPage: number,
  rate: number,
): Promise<Omit<SftStep, 'step'>> {
  const { engine, glyphWeight } = from;
  let perceptionLoss = 0;
  if (batch.perception > 0) {
    const perception = await from.perception(firstPage, batch.perception);
    perceptionLoss = (await engine.forwardBackward({ data: perception, loss: { name: 'cross_entropy', glyphWeight } }))
      .loss;
    // In a joint step, the reading gradient would drown the decisions'.
    await engine.optimStep({ learningRate: rate });
  }
  if (batch.demonstrations === 0) return { perceptionLoss, demonstrationLoss: 0, gradientNorm: 0 };
  const data = draw(from.pools, batch.demonstrations, from.random);
  const result = await engine.forwardBackward({ data, loss: { name: 'cross_entropy' } });
  const { gradientNorm } = await engine.optimStep({ learningRate: rate });
  return { perceptionLoss, demonstrationLoss: result.loss, gradientNorm };
}

/** For minutes, times the first steps to find their number. */
async function timedSteps(
  { length, signal }: Pick<SftOptions, 'length' | 'signal'>,
  run: (step: number, steps: number) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  let steady = started;
  let steps = 'steps' in length ? length.steps : Infinity;
  const first = 'steps' in length ? (length.from ?? 0) : 0;
  for (let step = first; step < steps; step++) {
    if (signal?.aborted) return step;
    if (step === timed.from) steady = performance.now();
    if ('minutes' in length && step === timed.to) {
      const remainingMs = length.minutes * 60_000 - (performance.now() - started);
      const each = (performance.now() - steady) / (timed.to - timed.from);
      steps = timed.to + Math.max(timed.from, Math.round(remainingMs / each));
    }
    await run(step, steps);
  }
  return steps;
}

interface Pool {
  data: NativeDatum[];
  share: number;
}

function byFamily(demonstrations: SftOptions['demonstrations'], mix: SftOptions['mix'] = {}): Pool[] {
  const families = new Map<string, Pool>();
  for (const { family, datum } of demonstrations) {
    const pool = families.get(family) ?? { data: [], share: mix[family] ?? 1 };
    pool.data.push(datum);
    families.set(family, pool);
  }
  return [...families.values()];
}

function draw(pools: readonly Pool[], count: number, random: Random): NativeDatum[] {
  const total = pools.reduce((sum, { share }) => sum + share, 0);
  return Array.from({ length: count }, () => {
    let point = random.next() * total;
    const pool = (pools.find(({ share }) => (point -= share) < 0) ?? pools.at(-1))!;
    return pool.data[random.int(pool.data.length)]!;
  });
}
