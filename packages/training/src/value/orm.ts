import { nativeInput } from '@gyre/agent';
import { type NativeDatum, type NativeEngine, Random, vocabularyOf } from '@gyre/engine';
import { type Episode, GyreError, independentVerdict } from '@gyre/protocol';
import type { ScreenshotReader } from '../rollouts/dataset.js';
import { learningRate } from '../algorithms/schedule.js';
import { type Share, mean, wilson } from '../metrics/statistics.js';

/** What the model is asked, before the instruction of the task. */
const question = 'is this done';

/** An episode as it is judged, and whether it succeeded, where somebody knows. */
export interface Judged {
  readonly family: string;
  /** Two sequences on the last screenshots: that it was done, and that it was not. */
  readonly datum: NativeDatum;
  readonly success: boolean | undefined;
}

/**
 * An episode as a question to the policy itself: the instruction, what was done, and the last screenshots, that after the last turn among
 * them (UI-TARS-2, section on reward design: a generative outcome reward model). The answer is a `finished` that says yes or no, so that the
 * policy needs no other words and no other head.
 *
 * @param screenshots how many it looks at; the report's model looks at five, an engine at as many as its architecture has.
 */
export async function judged(episode: Episode, screenshots: number, reader: ScreenshotReader): Promise<Judged> {
  const { task, observation, turns } = episode;
  const seen = [observation, ...turns.map((turn) => turn.observation)].slice(-screenshots);
  const shots = await Promise.all(seen.map((last) => reader.read(last)));
  const vocabulary = vocabularyOf(seen.at(-1)?.size ?? task.screen);
  const asked = { instruction: `${question}: ${task.instruction}` };
  const { tokens, clock } = nativeInput(vocabulary, asked, turns, shots);
  const sequence = (answer: string) => ({
    tokens,
    ...(clock !== undefined && { clock }),
    action: vocabulary.encode({ type: 'finished', answer }),
  });
  return {
    family: task.family,
    datum: { screenshots: shots, sequences: [sequence('yes'), sequence('no')] },
    success: independentVerdict(episode)?.success,
  };
}

/** The probability of yes against no, for each. */
export async function ormScores(engine: NativeEngine, judged: readonly Judged[], batch = 32): Promise<number[]> {
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
  /** Labelled, of the train split. */
  readonly judged: readonly Judged[];
  /** At most: it stops before where it has learnt all that carries over to the episodes that are held out. */
  readonly steps: number;
  /** Episodes in a step: half of them succeeded, of each family alike as far as it has both. */
  readonly batch: number;
  readonly peak: number;
  readonly seed: number;
  /** Keeps the weights as they are now, and brings back those that were kept last. */
  readonly best: { save: () => Promise<void>; restore: () => Promise<void> };
  /** Share of the episodes that it does not learn from, by which the best weights are found. Default 0.15. */
  readonly heldOut?: number;
  /** Steps from one look at these to the next. Default 50. */
  readonly every?: number;
  /** Looks that found nothing better before it stops. Default 4. */
  readonly patience?: number;
  readonly freezeEncoder?: boolean;
  readonly onStep?: (step: { step: number; loss: number; heldOutLoss: number }) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface OrmTraining {
  /** That were done. */
  readonly steps: number;
  /** After which the weights were best, which are those that stay; 0 where none were better than before. */
  readonly best: number;
  /** Score from which on F1 on the episodes held out is best. */
  readonly threshold: number;
}

/**
 * Single-turn supervised training of the answers. It learns a few thousand episodes by heart, so the weights that stay are those that do best
 * on episodes it does not learn from.
 * @throws GyreError `bad_input` without episodes that succeeded and such that failed, to learn from and to hold out: there is nothing to tell apart.
 */
export async function trainOrm(options: OrmOptions): Promise<OrmTraining> {
  const { engine, steps, batch, peak, seed, freezeEncoder = false, signal } = options;
  const { every = 50, patience = 4 } = options;
  const { learnt, held } = split(options);
  const [won = [], lost = []] = [true, false].map((success) =>
    byFamily(learnt.filter((one) => one.success === success)),
  );
  const loss = async () => balancedLoss(held, await ormScores(engine, held));
  let [best, least, since] = [0, await loss(), 0];
  let heldOutLoss = least;
  await options.best.save();
  let step = 0;
  while (step < steps && since < patience && !signal?.aborted) {
    const random = new Random(seed).fork(`orm ${step}`);
    const drawn = Array.from({ length: batch }, (_, i): Judged => {
      const families = i % 2 === 0 ? won : lost;
      const of = families[random.int(families.length)] ?? [];
      return of[random.int(of.length)]!;
    });
    const data = drawn.map(({ datum: { screenshots, sequences }, success }): NativeDatum => {
      const [yes, no] = sequences;
      return { screenshots, sequences: [(success ? yes : no)!] };
    });
    const made = await engine.forwardBackward({ data, loss: { name: 'cross_entropy' }, freezeEncoder });
    const rate = learningRate(step, { peak, warmup: Math.min(50, Math.ceil(steps / 10)), steps });
    await engine.optimStep({ learningRate: rate, part: freezeEncoder ? 'decoder' : 'all' });
    step++;
    if (step % every === 0 || step === steps) {
      heldOutLoss = await loss();
      since++;
      if (heldOutLoss < least) {
        [best, least, since] = [step, heldOutLoss, 0];
        await options.best.save();
      }
    }
    options.onStep?.({ step, loss: made.loss, heldOutLoss });
  }
  await options.best.restore();
  return { steps: step, best, threshold: bestThreshold(held, await ormScores(engine, held)) };
}

/** Which are learnt from and which are not. */
function split({ judged, seed, heldOut = 0.15 }: OrmOptions): { learnt: Judged[]; held: Judged[] } {
  const learnt: Judged[] = [];
  const held: Judged[] = [];
  for (const success of [true, false]) {
    const those = judged.filter((one) => one.success === success);
    if (those.length < 2) {
      throw new GyreError('bad_input', `${those.length} labelled episodes have ${success ? 'succeeded' : 'failed'}`, {
        field: 'episodes',
        fix: 'play more, or families that are solved at times',
      });
    }
    const shuffled = new Random(seed).fork(`orm held out ${success}`).shuffle(those);
    const of = Math.min(those.length - 1, Math.max(1, Math.round(heldOut * those.length)));
    held.push(...shuffled.slice(0, of));
    learnt.push(...shuffled.slice(of));
  }
  return { learnt, held };
}

/** Mean cross-entropy of the answers, in nats, of those that succeeded and of those that failed alike. */
function balancedLoss(judged: readonly Judged[], scores: readonly number[]): number {
  const of = [true, false].map((success) => {
    const losses = judged.flatMap((one, i) => {
      const right = success ? (scores[i] ?? 0) : 1 - (scores[i] ?? 0);
      return one.success === success ? [-Math.log(Math.max(1e-12, right))] : [];
    });
    return mean(losses);
  });
  return mean(of);
}

/** The score from which on to call an episode a success, so that F1 on these is best: in the middle between two of them. */
export function bestThreshold(judged: readonly Judged[], scores: readonly number[]): number {
  const labelled = judged
    .flatMap(({ success }, i) => (success === undefined ? [] : [{ success, score: scores[i] ?? 0 }]))
    .sort((a, b) => b.score - a.score);
  const successes = labelled.filter(({ success }) => success).length;
  let [found, best, threshold] = [0, 0, 0.5];
  for (const [i, { success, score }] of labelled.entries()) {
    if (success) found++;
    const next = labelled[i + 1]?.score ?? score;
    // Those of the same score are called alike.
    if (next === score && i + 1 < labelled.length) continue;
    const f1 = (2 * found) / (i + 1 + successes);
    if (f1 > best) [best, threshold] = [f1, (score + next) / 2];
  }
  return threshold;
}

function byFamily(judged: readonly Judged[]): Judged[][] {
  const families = new Map<string, Judged[]>();
  for (const one of judged) families.set(one.family, [...(families.get(one.family) ?? []), one]);
  return [...families.values()];
}

/** How well scores tell success from failure. */
export interface OrmQuality {
  readonly n: number;
  /** Share that succeeded. */
  readonly successes: Share;
  /** Of those it calls a success, the share that is one; and of the successes, the share that it finds. */
  readonly precision: Share;
  readonly recall: Share;
  /** Harmonic mean of both, with a 95 % bootstrap interval over episodes. 0 where nothing is found. */
  readonly f1: Share;
  /** What F1 is of who calls everything a success. */
  readonly always: number;
}

const resamples = 1000;

/** @param threshold from which on a score calls an episode a success. Episodes without a label are left out. */
export function ormQuality(judged: readonly Judged[], scores: readonly number[], threshold = 0.5): OrmQuality {
  const labelled = judged.flatMap(({ success }, index) =>
    success === undefined ? [] : [{ success, called: (scores[index] ?? 0) >= threshold }],
  );
  const n = labelled.length;
  const counts = (all: readonly (typeof labelled)[number][]) => ({
    found: all.filter(({ success, called }) => success && called).length,
    called: all.filter(({ called }) => called).length,
    successes: all.filter(({ success }) => success).length,
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
