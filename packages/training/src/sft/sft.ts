import { type NativeDatum, type NativeEngine, Random } from '@gyre/engine';
import { learningRate } from '../algorithms/schedule.js';
import { mean } from '../metrics/statistics.js';

export interface SftOptions {
  engine: NativeEngine;
  /** Decisions of demonstrations, drawn from at random. */
  demonstrations: readonly { family: string; datum: NativeDatum }[];
  /** Perception data for a step: `count` samples from the `first` on, the same for the same numbers. */
  perception: (first: number, count: number) => Promise<NativeDatum[]>;
  /** Steps of the whole schedule, and the step to begin at when resumed; or minutes, made into steps by timing the first ones. */
  length: { steps: number; from?: number } | { minutes: number };
  seed: number;
  batch: { demonstrations: number; perception: number };
  /** How often a family's decisions are drawn, against the others; 1 where it says nothing. */
  mix?: Readonly<Record<string, number>>;
  /** Peak learning rate: after a warm-up, constant to 60 % of the steps, then down to 5 % in a straight line. */
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

/** Steps over which the learning rate rises. */
const warmup = 100;
/** The steps that are timed to make a length in minutes into steps: after the first, which compile graphs and wait for pages. */
const timed = { from: 20, to: 60 };

export type LettersOptions = Pick<SftOptions, 'engine' | 'perception' | 'length' | 'signal'> & {
  batch: number;
  peak: number;
  onStep?: (step: { step: number; loss: number }, steps: number) => void;
};

/**
 * Before anything else the stem learns to see letters. Alone it does so in a minute; together with everything that builds on
 * letters, the losses that cannot be lowered yet drown the one that can.
 */
export async function trainLetters(options: LettersOptions): Promise<number> {
  const { engine, batch } = options;
  return timedSteps(options, async (step, steps) => {
    const data = await options.perception(step * batch, batch);
    const { loss } = await engine.forwardBackward({ data, loss: { name: 'letters' } });
    const rate = learningRate(step, { peak: options.peak, warmup: 50, steps });
    await engine.optimStep({ learningRate: rate, part: 'stem' });
    options.onStep?.({ step: step + 1, loss }, steps);
  });
}

/**
 * Supervised training on demonstrations together with perception data. What step k learns from is a function of the seed
 * and k alone, so a run that is resumed from a checkpoint of step k goes on as the unbroken one.
 * @returns the number of steps done.
 */
export async function trainSft(options: SftOptions): Promise<number> {
  const { seed, batch, peak } = options;
  const pools = byFamily(options.demonstrations, options.mix);
  return timedSteps(options, async (step, steps) => {
    const losses = await sftStep(
      { ...options, pools, random: new Random(seed).fork(`sft ${step}`) },
      batch,
      step * batch.perception,
      learningRate(step, { peak, warmup, steps }),
    );
    options.onStep?.({ step: step + 1, ...losses }, steps);
  });
}

export type ReplayOptions = Pick<
  SftOptions,
  'engine' | 'demonstrations' | 'perception' | 'batch' | 'mix' | 'glyphWeight' | 'signal'
> & {
  /** Number of the first step, for the perception data; and how many. */
  from: number;
  steps: number;
  learningRate: number;
  random: Random;
};

/** Supervised steps between those of reinforcement learning, on demonstrations and whatever else is worth imitating. */
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
    // A step for each of the two: in a common one the gradient of all that is to be read would drown that of the decisions.
    await engine.optimStep({ learningRate: rate });
  }
  if (batch.demonstrations === 0) return { perceptionLoss, demonstrationLoss: 0, gradientNorm: 0 };
  const data = draw(from.pools, batch.demonstrations, from.random);
  const shown = await engine.forwardBackward({ data, loss: { name: 'cross_entropy' } });
  const { gradientNorm } = await engine.optimStep({ learningRate: rate });
  return { perceptionLoss, demonstrationLoss: shown.loss, gradientNorm };
}

/** Runs steps up to the given number; for a length in minutes, the number is found by timing the first ones. */
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
      const left = length.minutes * 60_000 - (performance.now() - started);
      const each = (performance.now() - steady) / (timed.to - timed.from);
      steps = timed.to + Math.max(timed.from, Math.round(left / each));
    }
    await run(step, steps);
  }
  return steps;
}

interface Pool {
  data: NativeDatum[];
  share: number;
}

/** The decisions of each family, with its share of what is drawn. */
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
    let left = random.next() * total;
    const pool = pools.find(({ share }) => (left -= share) < 0) ?? pools.at(-1);
    return pool?.data[random.int(pool.data.length)]!;
  });
}
