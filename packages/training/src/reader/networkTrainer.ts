import { existsSync } from 'node:fs';
import {
  type Executable,
  type Feed,
  Graph,
  Muon,
  type ParameterSpec,
  ParameterStore,
  TailAverage,
  type Tensor,
  compile,
  gradients,
  loadCheckpoint,
  saveCheckpoint,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** A network to train, and its data. */
export interface Lesson {
  readonly parameters: readonly ParameterSpec[];
  /** Stored with the weights. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Builds scalars; `loss` is minimised, the others are logged. */
  losses(graph: Graph): Record<string, Tensor> & { readonly loss: Tensor };
  /** Depends on the step's number only, so that resuming changes nothing. */
  feeds(step: number): Promise<Record<string, Feed>>;
}

/** Trains a network by Muon, and averages the weights of the last tenth of its steps. */
export class NetworkTrainer {
  readonly parameters: ParameterStore;
  readonly #lesson: Lesson;
  readonly #optimiser: Muon;
  readonly #average: TailAverage;
  readonly #step: Executable;
  readonly #gradient: Float32Array;

  private constructor(lesson: Lesson, parameters: ParameterStore, step: Executable) {
    this.#lesson = lesson;
    this.parameters = parameters;
    this.#optimiser = new Muon(parameters, { weightDecay: 0.01, matrices: isHidden });
    this.#average = new TailAverage(parameters);
    this.#step = step;
    this.#gradient = new Float32Array(parameters.size);
  }

  /** Starts from the checkpoint if it exists, else from the weights `from`. Throws `corrupt` for another network's. */
  static async open(
    lesson: Lesson,
    options: { seed: number; threads: number; checkpoint: string; from?: string | undefined },
  ): Promise<NetworkTrainer> {
    const { seed, threads, checkpoint, from } = options;
    const parameters = new ParameterStore(lesson.parameters, seed);
    if (from !== undefined && !existsSync(checkpoint))
      parameters.restore((await loadPart(from, lesson, 'weights of the same part and shape')).tensors);
    const graph = new Graph();
    const losses = lesson.losses(graph);
    const weights = lesson.parameters.map(({ name, shape }) => graph.parameter(name, shape));
    const slopes = gradients(losses.loss, weights);
    const named = Object.fromEntries(lesson.parameters.map(({ name }, i) => [`d ${name}`, slopes[i]!]));
    const trainer = new NetworkTrainer(lesson, parameters, await compile({ ...losses, ...named }, { threads }));
    if (existsSync(checkpoint)) await trainer.#load(checkpoint);
    return trainer;
  }

  get steps(): number {
    return this.#optimiser.steps;
  }

  /** Takes the next step and returns its losses. */
  async step(learningRate: number): Promise<Record<string, number>> {
    const { parameters } = this;
    const into = Object.fromEntries(
      parameters.specs.map(({ name }) => [`d ${name}`, parameters.view(name, this.#gradient)]),
    );
    const outputs = await this.#step.run(await this.#lesson.feeds(this.steps), parameters, into);
    const { gradientNorm } = await this.#optimiser.step(this.#gradient, learningRate);
    this.#average.update();
    const losses = Object.entries(outputs).filter(([name]) => !(name in into));
    return { ...Object.fromEntries(losses.map(([name, value]) => [name, value[0]!])), gradientNorm };
  }

  async save(path: string): Promise<void> {
    const { parameters } = this;
    await saveCheckpoint(path, {
      tensors: {
        ...parameters.tensors(),
        ...this.#optimiser.moments(),
        ...this.#average.tensors(),
      },
      metadata: { ...this.#lesson.metadata, steps: String(this.steps) },
    });
  }

  /** Saves the averaged weights alone, in half precision. */
  async export(path: string): Promise<void> {
    const tensors = Object.entries(this.parameters.tensors('', this.#average.data));
    await saveCheckpoint(path, {
      tensors: Object.fromEntries(tensors.map(([name, tensor]) => [name, { ...tensor, dtype: 'F16' as const }])),
      metadata: { ...this.#lesson.metadata, steps: String(this.steps) },
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#step.release(), this.#optimiser.close()]);
  }

  async #load(path: string): Promise<void> {
    const { tensors, metadata } = await loadPart(path, this.#lesson, 'another directory');
    for (const [name, { data }] of Object.entries(this.#optimiser.moments())) {
      const stored = tensors[name];
      if (stored?.data.length !== data.length) throw mismatched(path, name);
      data.set(stored.data);
    }
    this.parameters.restore(tensors);
    this.#optimiser.steps = Number(metadata.steps);
    this.#average.restore(tensors, this.#optimiser.steps);
  }
}

async function loadPart(
  path: string,
  { metadata: { part } }: Lesson,
  instead: string,
): ReturnType<typeof loadCheckpoint> {
  const loaded = await loadCheckpoint(path);
  if (loaded.metadata.part === part) return loaded;
  throw new GyreError('corrupt', `${path} holds ${loaded.metadata.part ?? 'no part of a reader'}, not the ${part}`, {
    field: path,
    fix: `use ${instead}`,
  });
}

/** Tells whether Muon updates a matrix: not a head's, whose columns are classes. */
function isHidden(name: string, [from = 0, to = 0]: readonly number[]): boolean {
  return Math.min(from, to) >= 16 && name !== 'character.w';
}

function mismatched(path: string, name: string): GyreError {
  return new GyreError('corrupt', `${path} does not match the network: ${name}`, {
    field: path,
    fix: 'use another directory, or the recipe of its recipe.json',
  });
}
