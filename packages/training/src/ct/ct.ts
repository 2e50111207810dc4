import { type Datum, type Engine, Random, longestAction } from '@gyre/engine';
import type { PerceptionSample } from '@gyre/tasks';
import { learningRate } from '../schedule.js';
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

export interface CtOptions {
  engine: Engine;
  recipe: CtRecipe;
  /** Steps that are done: the policy version of the checkpoint. */
  from: number;
  /** Pages `first` to `first + count` of a kind, the same for the same numbers, whichever kind of step reads them. */
  pages: (pages: PageKind, first: number, count: number, kind: string) => Promise<PerceptionSample[]>;
  /** Decisions of demonstrations by family. */
  demonstrations: ReadonlyMap<string, readonly Datum[]>;
  onStep?: (step: CtStep) => void | Promise<void>;
  signal?: AbortSignal | undefined;
}

/** Cells that are read on a page, for each 160 x 160 px; at most 256. */
const readPlaces = 64;

/**
 * Continual training. What step k learns from is a function of recipe and k alone, so a run that goes on from a checkpoint of
 * step k does the same as an unbroken one.
 * @returns the number of steps done, from the first on.
 */
export async function trainCt(options: CtOptions): Promise<number> {
  const { engine, recipe, signal } = options;
  const plan = new Plan(recipe, options.demonstrations.size > 0);
  for (let step = 0; step < recipe.steps; step++) {
    const { kind, name, first } = plan.next(step);
    if (step < options.from) continue;
    if (signal?.aborted) return step;
    const random = new Random(recipe.seed).fork(`ct data ${step}`);
    const letters = step < recipe.letters.steps;
    const rate = letters
      ? learningRate(step, { peak: recipe.letters.peak, warmup: 50, steps: recipe.letters.steps })
      : learningRate(step - recipe.letters.steps, {
          peak: recipe.peak,
          warmup: recipe.warmup,
          steps: recipe.steps - recipe.letters.steps,
          decayFrom: Math.max(0, 1 - recipe.decay / (recipe.steps - recipe.letters.steps)),
        });
    const data = await read(options, kind, name, first, step, random);
    const { loss } = await engine.forwardBackward({
      data,
      loss: letters
        ? { name: 'letters' }
        : kind.learns === 'pages'
          ? { name: 'cross_entropy', glyphWeight: recipe.glyphWeight }
          : { name: 'cross_entropy' },
    });
    const { gradientNorm } = await engine.optimStep({ learningRate: rate, ...(letters && { part: 'stem' }) });
    await options.onStep?.({
      step: step + 1,
      kind: name,
      loss,
      gradientNorm,
      learningRate: rate,
    });
  }
  return recipe.steps;
}

function nameOf(kind: StepKind): string {
  if (kind.learns === 'demonstrations') return kind.learns;
  const { size, asked, longest, looks } = kind;
  const plain = looks === 'tasks' ? 'plain ' : '';
  return `${plain}${size.width}x${size.height} ${asked}${longest < longestAction ? ` to ${longest}` : ''}`;
}

async function read(
  { pages, demonstrations }: CtOptions,
  kind: StepKind,
  name: string,
  first: number,
  step: number,
  random: Random,
): Promise<Datum[]> {
  if (kind.learns === 'demonstrations') {
    const families = [...demonstrations.values()];
    return Array.from({ length: kind.decisions }, () => {
      const family = families[random.int(families.length)] ?? [];
      return family[random.int(family.length)] as Datum;
    });
  }
  const { size, asked, questions, longest } = kind;
  const places = Math.min(256, readPlaces * Math.ceil((size.width * size.height) / (160 * 160)));
  const samples = await pages({ size, looks: kind.looks }, first, kind.pages, name);
  return samples.map((sample, i) =>
    perceptionDatum(sample, { asked, questions, longest, places, hash: `ct ${step} ${i}`, random }),
  );
}

/** Which kind of step comes when, and how many pages it has used before. Each kind goes through the same pages of its size. */
class Plan {
  private readonly used = new Map<string, number>();
  private readonly kinds: readonly StepKind[];
  private readonly total: number;
  private readonly letters: StepKind;

  constructor(
    private readonly recipe: CtRecipe,
    demonstrations: boolean,
  ) {
    this.kinds = recipe.kinds.filter(({ learns }) => demonstrations || learns === 'pages');
    this.total = this.kinds.reduce((sum, { share }) => sum + share, 0);
    this.letters = {
      learns: 'pages',
      size: { width: 160, height: 160 },
      pages: recipe.letters.pages,
      asked: 'places',
      questions: 1,
      longest: longestAction,
      looks: 'all',
      share: 1,
    };
  }

  /** The kind of a step, its name, and its first page. Must be asked for every step in turn. */
  next(step: number): { kind: StepKind; name: string; first: number } {
    const letters = step < this.recipe.letters.steps;
    const kind = letters ? this.letters : this.drawn(step);
    const name = letters ? 'letters' : nameOf(kind);
    if (kind.learns === 'demonstrations') return { kind, name, first: 0 };
    const first = this.used.get(name) ?? 0;
    this.used.set(name, first + kind.pages);
    return { kind, name, first };
  }

  private drawn(step: number): StepKind {
    let left = new Random(this.recipe.seed).fork(`ct kind ${step}`).next() * this.total;
    return (this.kinds.find(({ share }) => (left -= share) < 0) ?? this.kinds.at(-1)) as StepKind;
  }
}
