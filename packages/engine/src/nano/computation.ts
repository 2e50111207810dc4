import { GyreError } from '@gyre/protocol';
import { type Precision, precisions } from '../tensor/frozen.js';
import type { Backend } from '../tensor/graph.js';
import type { Optimiser } from '../optim/optimiser.js';
import { ParameterStore } from '../runtime/parameters.js';
import { ResidentParameters } from '../runtime/residentParameters.js';
import type { Architecture } from './architecture.js';
import { CompiledGraphs } from './compiled.js';
import { Encoder } from './encoder.js';
import { glyphGraph } from './graphs.js';
import { Learner, type LearnerRun } from './learner.js';
import { type Blueprint, Model } from './model.js';
import type {
  NativeDatum,
  NativeForwardBackward,
  NativeSampled,
  NativeSampleRequest,
  Screenshot,
} from './nativeEngine.js';
import { Sampler } from './sampler.js';
import type { NativeArchitecture } from '../eyes/nativeArchitecture.js';

export interface ComputationOptions {
  architecture: NativeArchitecture;
  seed: number;
  threads?: number;
  backend?: Backend;
  /** Compiles weights as constants: faster sampling, but weight changes recompile. CPU only. */
  frozen?: Precision | undefined;
  /** Default 'adamw'. Recorded in checkpoints. */
  optimiser?: Optimiser['name'] | undefined;
  /** Saves the average of the weights over the tail of training, beside those that training continues from. */
  average?: boolean | undefined;
  /** Not recorded in checkpoints. */
  blueprint?: Blueprint;
}

/** Computes for an engine, whatever the architecture. */
export interface NativeComputation {
  readonly architecture: NativeArchitecture;
  readonly parameters: ParameterStore;
  readonly gradient: Float32Array;
  /** Weights must not change meanwhile. */
  sample(requests: readonly NativeSampleRequest[], policyVersion: number): Promise<NativeSampled[]>;
  /** Adds to `gradient` if there is a loss. */
  run(data: readonly NativeDatum[], options: LearnerRun): Promise<NativeForwardBackward>;
  reading(
    data: readonly NativeDatum[],
    options: { name: 'letters' | 'reading'; reduction?: LearnerRun['reduction'] },
  ): Promise<NativeForwardBackward>;
  readGlyphs(screenshots: readonly Screenshot[]): Promise<Float32Array[]>;
  /** Must be called after every change of the weights. */
  changed(what: { encoder: boolean }): void;
  close(): Promise<void>;
}

export class Computation implements NativeComputation {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly #sampler: Sampler;
  readonly #learner: Learner;
  readonly #encoder: Encoder;
  readonly #graphs: CompiledGraphs;
  readonly #source: ParameterStore | ResidentParameters;

  readonly #frozen: Precision | undefined;

  constructor(
    readonly architecture: Architecture,
    { seed, threads = 1, backend = 'cpu', frozen, blueprint }: Omit<ComputationOptions, 'architecture'>,
  ) {
    refuseUnfit(frozen, backend);
    this.#frozen = frozen;
    this.model = new Model(architecture, backend, false, blueprint);
    this.parameters = new ParameterStore([...this.model.parameters], seed);
    this.#graphs = new CompiledGraphs(threads, frozen && { parameters: this.parameters, precision: frozen });
    const { model, parameters } = this;
    const graphs = this.#graphs;
    this.#source = backend === 'cpu' ? parameters : new ResidentParameters(parameters);
    this.#encoder = new Encoder(model, this.#source, graphs);
    this.#sampler = new Sampler({ model, parameters: this.#source, graphs, encoder: this.#encoder });
    this.#learner = new Learner({ model, parameters: this.#source, graphs, encoder: this.#encoder });
  }

  get gradient(): Float32Array {
    return this.#learner.gradient;
  }

  sample(requests: readonly NativeSampleRequest[], policyVersion: number): Promise<NativeSampled[]> {
    return this.#sampler.sample(requests, policyVersion);
  }

  run(data: readonly NativeDatum[], options: LearnerRun): Promise<NativeForwardBackward> {
    return this.#learner.run(data, options);
  }

  reading(data: readonly NativeDatum[], options: Parameters<Learner['reading']>[1]): Promise<NativeForwardBackward> {
    return this.#learner.reading(data, options);
  }

  /** Returns `[cells, heads, classes]` of each screenshot. */
  async readGlyphs(screenshots: readonly Screenshot[]): Promise<Float32Array[]> {
    const out: Float32Array[] = [];
    for (const { pixels, size } of screenshots) {
      const name = `glyphs ${size.width}x${size.height}`;
      const build = () => glyphGraph(this.model, 1, size);
      const { glyphs } = await this.#graphs.run(name, build, { pixels }, this.#source);
      out.push(glyphs as Float32Array);
    }
    return out;
  }

  changed({ encoder }: { encoder: boolean }): void {
    if (this.#source instanceof ResidentParameters) this.#source.changed();
    if (encoder) this.#encoder.forget();
    if (this.#frozen) this.#graphs.clear();
  }

  async close(): Promise<void> {
    await this.#graphs.close();
    if (this.#source instanceof ResidentParameters) await this.#source.release();
  }
}

function refuseUnfit(frozen: Precision | undefined, backend: Backend): void {
  if (frozen === undefined) return;
  if (!precisions.includes(frozen)) {
    throw new GyreError('bad_input', `unknown precision ${frozen as string}`, {
      field: 'frozen',
      fix: `use one of ${precisions.join(', ')}`,
    });
  }
  if (backend === 'cpu') return;
  throw new GyreError('bad_input', `the backend ${backend} does not support weights frozen as ${frozen}`, {
    field: 'frozen',
    fix: 'use the backend cpu',
  });
}
