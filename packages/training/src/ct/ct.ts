import { type NativeDatum, type NativeEngine, type NativeLoss, Random, longestAction } from '@gyre/engine';
import type { PerceptionSample } from '@gyre/tasks';
import { scheduledRate } from '../algorithms/schedule.js';
import type { PageKind } from './pageFeed.js';
import { perceptionDatum } from './perceptionDatum.js';
import type { CtRecipe, StepKind } from './recipe.js';

export interface CtStep {
  step: number;
  kind: string;
  loss: number;
  gradientNorm: number;
  learningRate: number;
}

/** Draws whether the thought is included. */
export type DrawDemonstration = (random: Random) => Promise<NativeDatum>;

export interface CtOptions {
  engine: NativeEngine;
  recipe: CtRecipe;
  from: number;
  /** Deterministic in its numbers. */
  pages: (pages: PageKind, first: number, count: number, kind: string) => Promise<PerceptionSample[]>;
  /** By family. */
  demonstrations: ReadonlyMap<string, readonly DrawDemonstration[]>;
  onStep?: (step: CtStep) => void | Promise<void>;
  signal?: AbortSignal | undefined;
}

/** Cells read per 160 x 160 px of a page; at most 256. */
const readPlaces = 64;

/** Trains by the recipe and returns total steps. Step k depends only on recipe and k, so resuming changes nothing. */
export async function trainCt(options: CtOptions): Promise<number> {
  const { engine, recipe, signal } = options;
  const plan = new Plan(recipe, [...options.demonstrations.keys()]);
  for (let number = 0; number < recipe.steps; number++) {
    const step = plan.next(number);
    if (number < options.from) continue;
    if (signal?.aborted) return number;
    const random = new Random(recipe.seed).fork(`ct data ${number}`);
    const data = await read(options, step, number, random);
    const { loss } = await engine.forwardBackward({ data, loss: step.loss });
    const { gradientNorm } = await engine.optimStep({
      learningRate: step.learningRate,
      ...(step.loss.name === 'letters' && { part: 'stem' }),
    });
    await options.onStep?.({
      step: number + 1,
      kind: step.name,
      loss,
      gradientNorm,
      learningRate: step.learningRate,
    });
  }
  return recipe.steps;
}

function nameOf(kind: StepKind): string {
  if (kind.learns === 'demonstrations')
    return kind.families ? `${kind.learns} of ${kind.families.join(', ')}` : kind.learns;
  const { size, asked: selection, longest, looks } = kind;
  const plain = looks === 'tasks' ? 'plain ' : '';
  return `${plain}${size.width}x${size.height} ${selection}${longest < longestAction ? ` to ${longest}` : ''}`;
}

async function read(
  { pages, demonstrations }: CtOptions,
  { kind, name, first }: PlannedStep,
  step: number,
  random: Random,
): Promise<NativeDatum[]> {
  if (kind.learns === 'demonstrations') {
    const families = [...demonstrations].filter(([name]) => kind.families?.includes(name) ?? true).map(([, of]) => of);
    return Promise.all(
      Array.from({ length: kind.decisions }, (_, i) => {
        const family = families[random.int(families.length)] ?? [];
        const demonstrated = family[random.int(family.length)]!;
        return demonstrated(random.fork(`thought ${i}`));
      }),
    );
  }
  const { size, asked: selection, questions, longest } = kind;
  const places = Math.min(256, readPlaces * Math.ceil((size.width * size.height) / (160 * 160)));
  const samples = await pages({ size, looks: kind.looks }, first, kind.pages, name);
  return samples.map((sample, i) =>
    perceptionDatum(sample, { selection, questions, longest, places, hash: `ct ${step} ${i}`, random }),
  );
}

interface PlannedStep {
  readonly name: string;
  readonly kind: StepKind;
  readonly first: number;
  readonly loss: NativeLoss;
  readonly learningRate: number;
}

/** Plans letters, then reading, then everything. Each kind of step walks the pages of its size. */
class Plan {
  readonly #recipe: CtRecipe;
  readonly #demonstrated: readonly string[];

  readonly #used = new Map<string, number>();

  constructor(recipe: CtRecipe, demonstrated: readonly string[]) {
    this.#recipe = recipe;
    this.#demonstrated = demonstrated;
  }

  /** Must be called for every step in turn. */
  next(step: number): PlannedStep {
    const { letters, reading, steps, peak, warmup, decay, glyphWeight } = this.#recipe;
    if (step < letters.steps) return this.#reading('letters', letters, step);
    if (step < letters.steps + reading.steps) return this.#reading('reading', reading, step - letters.steps);
    const kind = this.#drawn(step);
    const before = letters.steps + reading.steps;
    const remaining = steps - before;
    const decayFrom = Math.max(0, 1 - decay / remaining);
    return {
      ...this.#pagesOf(nameOf(kind), kind),
      loss: { name: 'cross_entropy', ...(kind.learns === 'pages' && { glyphWeight }) },
      learningRate: scheduledRate(step - before, { peak, warmup, steps: remaining, decayFrom }),
    };
  }

  #reading(name: 'letters' | 'reading', { steps, peak, pages }: CtRecipe['reading'], step: number): PlannedStep {
    const size = { width: 160, height: 160 };
    const kind = { learns: 'pages', size, pages, asked: 'places', questions: 1, longest: longestAction } as const;
    return {
      ...this.#pagesOf(name, { ...kind, looks: 'all', share: 1 }),
      loss: { name },
      // Decay reaches a far lower loss than a constant rate.
      learningRate: scheduledRate(step, { peak, warmup: 50, steps, decayFrom: 0 }),
    };
  }

  #pagesOf(name: string, kind: StepKind): Pick<PlannedStep, 'name' | 'kind' | 'first'> {
    if (kind.learns === 'demonstrations') return { name, kind, first: 0 };
    const first = this.#used.get(name) ?? 0;
    this.#used.set(name, first + kind.pages);
    return { name, kind, first };
  }

  #drawn(step: number): StepKind {
    const { kinds, lastKinds, steps, decay, seed } = this.#recipe;
    const possible = (step < steps - decay ? kinds : lastKinds).filter(
      (kind) => kind.learns === 'pages' || this.#demonstrated.some((name) => kind.families?.includes(name) ?? true),
    );
    let draw = new Random(seed).fork(`ct kind ${step}`).next() * possible.reduce((sum, { share }) => sum + share, 0);
    return (possible.find(({ share }) => (draw -= share) < 0) ?? possible.at(-1))!;
  }
}
