import { type NativeDatum, type NativeEngine, Random } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { scheduledRate } from '../algorithms/schedule.js';
import { type Share, mean, wilson } from '../metrics/statistics.js';
import type { OrmQuery } from './ormQuery.js';

export async function ormScores(engine: NativeEngine, judged: readonly OrmQuery[], batch = 32): Promise<number[]> {
  const scores: number[] = [];
  for (let from = 0; from < judged.length; from += batch) {
    const { logprobs } = await engine.forward(judged.slice(from, from + batch).map(({ datum }) => datum));
    for (const [yes = [], no = []] of logprobs) {
      const sum = (all: readonly number[]): number => all.reduce((total, logprob) => total + logprob, 0);
      scores.push(1 / (1 + Math.exp(sum(no) - sum(yes))));
    }
  }
  return scores;
}

export interface OrmOptions {
  readonly engine: NativeEngine;
  readonly judged: readonly OrmQuery[];
  /** Upper bound; held-out loss stops training early. */
  readonly steps: number;
  /** Episodes per step, half of them successes, balanced by family. */
  readonly batch: number;
  readonly peak: number;
  readonly seed: number;
  readonly best: { save: () => Promise<void>; restore: () => Promise<void> };
  /** Default 0.15. */
  readonly heldOut?: number;
  /** Steps between evaluations. Default 50. */
  readonly every?: number;
  /** Evaluations without improvement. Default 4. */
  readonly patience?: number;
  readonly freezeEncoder?: boolean;
  readonly onStep?: (step: { step: number; loss: number; heldOutLoss: number }) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface OrmTraining {
  readonly steps: number;
  readonly best: number;
  /** Has the best held-out F1. */
  readonly threshold: number;
}

/**
 * Restores the weights with the lowest held-out loss.
 * @throws GyreError `bad_input` without successes and failures both for training and for holding out
 */
export async function trainOrm(options: OrmOptions): Promise<OrmTraining> {
  const { engine, steps, batch, peak, seed, freezeEncoder = false, signal } = options;
  const { every = 50, patience = 4 } = options;
  const { learnt, heldOut: heldOut } = split(options);
  const [won = [], lost = []] = [true, false].map((success) =>
    byFamily(learnt.filter((one) => one.success === success)),
  );
  const loss = async () => balancedLoss(heldOut, await ormScores(engine, heldOut));
  let [best, minLoss, since] = [0, await loss(), 0];
  let heldOutLoss = minLoss;
  await options.best.save();
  let step = 0;
  while (step < steps && since < patience && !signal?.aborted) {
    const random = new Random(seed).fork(`orm ${step}`);
    const drawn = Array.from({ length: batch }, (_, i): OrmQuery => {
      const families = i % 2 === 0 ? won : lost;
      const queries = families[random.int(families.length)] ?? [];
      return queries[random.int(queries.length)]!;
    });
    const data = drawn.map(({ datum: { screenshots, sequences }, success }): NativeDatum => {
      const [yes, no] = sequences;
      return { screenshots, sequences: [(success ? yes : no)!] };
    });
    const result = await engine.forwardBackward({ data, loss: { name: 'cross_entropy' }, freezeEncoder });
    const rate = scheduledRate(step, { peak, warmup: Math.min(50, Math.ceil(steps / 10)), steps });
    await engine.optimStep({ learningRate: rate, part: freezeEncoder ? 'decoder' : 'all' });
    step++;
    if (step % every === 0 || step === steps) {
      heldOutLoss = await loss();
      since++;
      if (heldOutLoss < minLoss) {
        [best, minLoss, since] = [step, heldOutLoss, 0];
        await options.best.save();
      }
    }
    options.onStep?.({ step, loss: result.loss, heldOutLoss });
  }
  await options.best.restore();
  return { steps: step, best, threshold: bestThreshold(heldOut, await ormScores(engine, heldOut)) };
}

function split({ judged, seed, heldOut = 0.15 }: OrmOptions): { learnt: OrmQuery[]; heldOut: OrmQuery[] } {
  const learnt: OrmQuery[] = [];
  const heldOutQueries: OrmQuery[] = [];
  for (const success of [true, false]) {
    const those = judged.filter((one) => one.success === success);
    if (those.length < 2) {
      throw new GyreError(
        'bad_input',
        `too few labelled episodes ${success ? 'succeeded' : 'failed'}: ${those.length}`,
        {
          field: 'episodes',
          fix: 'play more episodes, or families that are sometimes solved',
        },
      );
    }
    const shuffled = new Random(seed).fork(`orm held out ${String(success)}`).shuffle(those);
    const count = Math.min(those.length - 1, Math.max(1, Math.round(heldOut * those.length)));
    heldOutQueries.push(...shuffled.slice(0, count));
    learnt.push(...shuffled.slice(count));
  }
  return { learnt, heldOut: heldOutQueries };
}

/** Returns cross-entropy in nats, with equal weight for successes and failures. */
function balancedLoss(judged: readonly OrmQuery[], scores: readonly number[]): number {
  const perClass = [true, false].map((success) => {
    const losses = judged.flatMap((query, i) => {
      const right = success ? (scores[i] ?? 0) : 1 - (scores[i] ?? 0);
      return query.success === success ? [-Math.log(Math.max(1e-12, right))] : [];
    });
    return mean(losses);
  });
  return mean(perClass);
}

export function bestThreshold(judged: readonly OrmQuery[], scores: readonly number[]): number {
  const labelled = judged
    .flatMap(({ success }, i) => (success === undefined ? [] : [{ success, score: scores[i] ?? 0 }]))
    .sort((a, b) => b.score - a.score);
  const successes = labelled.filter(({ success }) => success).length;
  let [hits, best, threshold] = [0, 0, 0.5];
  for (const [i, { success, score }] of labelled.entries()) {
    if (success) hits++;
    const next = labelled[i + 1]?.score ?? score;
    if (next === score && i + 1 < labelled.length) continue;
    const f1 = (2 * hits) / (i + 1 + successes);
    if (f1 > best) [best, threshold] = [f1, (score + next) / 2];
  }
  return threshold;
}

function byFamily(judged: readonly OrmQuery[]): OrmQuery[][] {
  const families = new Map<string, OrmQuery[]>();
  for (const one of judged) families.set(one.family, [...(families.get(one.family) ?? []), one]);
  return [...families.values()];
}

export interface OrmQuality {
  readonly n: number;
  readonly successes: Share;
  readonly precision: Share;
  readonly recall: Share;
  /** Bootstrapped over episodes; 0 without true positives. */
  readonly f1: Share;
  /** F1 of calling every episode a success. */
  readonly always: number;
}

const resamples = 1000;

/** Ignores unlabelled episodes. */
export function ormQuality(judged: readonly OrmQuery[], scores: readonly number[], threshold = 0.5): OrmQuality {
  const labelled = judged.flatMap(({ success }, index) =>
    success === undefined ? [] : [{ success, called: (scores[index] ?? 0) >= threshold }],
  );
  const n = labelled.length;
  const counts = (queries: readonly (typeof labelled)[number][]) => ({
    found: queries.filter(({ success, called }) => success && called).length,
    called: queries.filter(({ called }) => called).length,
    successes: queries.filter(({ success }) => success).length,
  });
  const f1 = ({ found, called, successes }: ReturnType<typeof counts>): number =>
    called + successes === 0 ? 0 : (2 * found) / (called + successes);
  const whole = counts(labelled);
  const random = new Random(1);
  const drawn = Array.from({ length: n === 0 ? 0 : resamples }, () =>
    f1(counts(Array.from({ length: n }, () => labelled[random.int(n)]!))),
  ).sort((a, b) => a - b);
  return {
    n,
    successes: wilson(whole.successes, n),
    precision: wilson(whole.found, whole.called),
    recall: wilson(whole.found, whole.successes),
    f1: {
      success: f1(whole),
      low: drawn[Math.floor(0.025 * resamples)] ?? 0,
      high: drawn[Math.ceil(0.975 * resamples) - 1] ?? 1,
    },
    always: f1({ found: whole.successes, called: n, successes: whole.successes }),
  };
}
