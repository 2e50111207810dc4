import { type NativeDatum, type NativeEngine, Random } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { scheduledRate } from '../algorithms/schedule.js';
import { PageFeed, type SheetSource } from '../ct/pageFeed.js';
import { sceneQuestions } from '../ct/sceneQuestions.js';
import { ScreenshotReader } from '../rollouts/dataset.js';
import { sceneDecision, unlessUnlearnable } from '../rollouts/sceneDecision.js';
import type { DemonstratedFamilies } from './demonstrations.js';
import type { BaseRecipe } from './recipe.js';

export interface BaseStep {
  readonly step: number;
  readonly loss: number;
  readonly gradientNorm: number;
  readonly learningRate: number;
}

export interface BaseTraining {
  readonly engine: NativeEngine;
  readonly lake: Lake;
  readonly recipe: BaseRecipe;
  /** Steps done. */
  readonly from: number;
  /** By entry of the recipe. */
  readonly demonstrations: readonly DemonstratedFamilies[];
  readonly sheets: SheetSource;
  /** Returns the turns of this many rounds of practice, of which the last may be missing; see `collectPractice`. */
  readonly practise?: (rounds: number) => Promise<readonly DemonstratedFamilies[]>;
  readonly onStep?: (step: BaseStep) => void | Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Imitates demonstrations and answers questions about pages. Returns the steps done. What a step learns depends only on
 * recipe and step, so resuming changes nothing.
 */
export async function trainBase(training: BaseTraining): Promise<number> {
  const { engine, recipe, from, signal, onStep, demonstrations, practise } = training;
  const { steps, peak, warmup, decay, practiceEvery } = recipe;
  const practises = practise && recipe.demonstrations.some(({ practice }) => practice > 0) ? practise : undefined;
  const roundsAt = (step: number): number => (practises ? Math.floor(step / practiceEvery) : 0);
  let rounds = 0;
  let data = dataOf(training, demonstrations);
  let next: Promise<NativeDatum[]> | undefined;
  for (let step = from; step < steps; step++) {
    if (signal?.aborted) return step;
    if (practises && roundsAt(step) > rounds) {
      rounds = roundsAt(step);
      data = dataOf(training, joined(demonstrations, await practises(rounds)));
      if (signal?.aborted) return step;
    }
    const current = await (next ?? data(step));
    // The next step's data are read while the engine learns, unless practice will add to them.
    next = roundsAt(step + 1) > rounds ? undefined : data(step + 1);
    next?.catch(() => undefined);
    const { loss } = await engine.forwardBackward({ data: current, loss: { name: 'cross_entropy' } });
    const decayFrom = Math.max(0, 1 - decay / steps);
    const learningRate = scheduledRate(step, { peak, warmup, steps, decayFrom });
    const { gradientNorm } = await engine.optimStep({ learningRate });
    await onStep?.({ step: step + 1, loss, gradientNorm, learningRate });
  }
  return steps;
}

/** Demonstrations drawn in place of one that cannot be learnt, such as a Chinese text that the reader misread. */
const maxDraws = 50;

/** Adds the turns of practice to those of the same family. */
function joined(
  demonstrations: readonly DemonstratedFamilies[],
  practice: readonly DemonstratedFamilies[],
): DemonstratedFamilies[] {
  return demonstrations.map((families, entry) => {
    const added = new Map(practice[entry]?.map((turns) => [turns[0]?.episode.family, turns]));
    return families.map((turns) => [...turns, ...(added.get(turns[0]?.episode.family) ?? [])]);
  });
}

/** Returns the data of a step: pages in their order, and demonstrations by chance. */
function dataOf(
  { recipe, lake, sheets }: BaseTraining,
  demonstrations: readonly DemonstratedFamilies[],
): (step: number) => Promise<NativeDatum[]> {
  const { seed, batch, thoughts, pages } = recipe;
  const reader = new ScreenshotReader(lake);
  const taught = recipe.demonstrations.flatMap(({ share }, entry) => {
    const families = demonstrations[entry] ?? [];
    return families.length > 0 ? [{ share, families }] : [];
  });
  const total = [...taught, ...pages].reduce((sum, { share }) => sum + share, 0);
  const pageFeeds = pages.map(({ share, ...kind }) => ({
    kind,
    feed: new PageFeed(sheets),
    perStep: (batch * share) / total / kind.questions,
  }));

  const demonstration = async (random: Random): Promise<NativeDatum> => {
    for (let draw = 0; draw < maxDraws; draw++) {
      let rest = random.next() * taught.reduce((sum, { share }) => sum + share, 0);
      const { families } = taught.find(({ share }) => (rest -= share) < 0) ?? taught.at(-1)!;
      const turns = families[random.int(families.length)]!;
      const { episode, turn, advised } = turns[random.int(turns.length)]!;
      const options = { advised, thought: random.next() < thoughts };
      const decision = await sceneDecision(episode.unpack(), turn, reader, options).catch(unlessUnlearnable);
      if (decision) return decision.datum;
    }
    throw new GyreError('bad_input', `none of ${maxDraws} demonstrations in a row can be learnt`, {
      field: 'demonstrations',
      fix: 'collect demonstrations of families that a policy with a reader can play',
    });
  };

  return async (step) => {
    const random = new Random(seed).fork(`base ${step}`);
    const data: NativeDatum[] = [];
    for (const { kind, feed, perStep } of pageFeeds) {
      const first = Math.floor(step * perStep);
      const count = Math.floor((step + 1) * perStep) - first;
      if (count === 0) continue;
      const { questions, ...look } = kind;
      for (const [i, sample] of (await feed.take(look, first, count)).entries()) {
        data.push(sceneQuestions(sample, { questions, hash: `${JSON.stringify(look)} ${first + i}`, random }));
      }
    }
    const answered = data.reduce((sum, { sequences }) => sum + sequences.length, 0);
    if (taught.length === 0) return data;
    const drawn = Array.from({ length: Math.max(0, batch - answered) }, (_, i) => demonstration(random.fork(`${i}`)));
    return [...data, ...(await Promise.all(drawn))];
  };
}
