import { GyreError } from '@gyre/protocol';
import { type Precision, precisions } from '../tensor/frozen.js';
import type { Backend } from '../tensor/graph.js';
import type { Optimiser } from '../optim/optimiser.js';
import { ParameterStore } from '../runtime/parameters.js';
import { ResidentParameters } from '../runtime/residentParameters.js';
import type { Architecture } from './architecture.js';
import { CompiledGraphs } from './compiled.js';
import { Encoder } from './encoder.js';
import { Learner } from './learner.js';
import { type Blueprint, Model } from './model.js';
import { Sampler } from './sampler.js';

export interface ComputationOptions {
  architecture: Architecture;
  seed: number;
  threads?: number;
  backend?: Backend;
  /** Compiles weights as constants: faster sampling, but weight changes recompile. CPU only. */
  frozen?: Precision | undefined;
  /** Default 'adamw'. Recorded in checkpoints. */
  optimiser?: Optimiser['name'] | undefined;
  /** Not recorded in checkpoints. */
  blueprint?: Blueprint;
}

export class Computation {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly sampler: Sampler;
  readonly learner: Learner;
  readonly #encoder: Encoder;
  readonly graphs: CompiledGraphs;
  readonly source: ParameterStore | ResidentParameters;

  readonly #frozen: Precision | undefined;

  constructor({ architecture, seed, threads = 1, backend = 'cpu', frozen, blueprint }: ComputationOptions) {
    refuseUnfit(frozen, backend);
    this.#frozen = frozen;
    this.model = new Model(architecture, backend, false, blueprint);
    this.parameters = new ParameterStore([...this.model.parameters], seed);
    this.graphs = new CompiledGraphs(threads, frozen && { parameters: this.parameters, precision: frozen });
    const { model, parameters, graphs } = this;
    this.source = backend === 'cpu' ? parameters : new ResidentParameters(parameters);
    this.#encoder = new Encoder(model, this.source, graphs);
    this.sampler = new Sampler({ model, parameters: this.source, graphs, encoder: this.#encoder });
    this.learner = new Learner({ model, parameters: this.source, graphs, encoder: this.#encoder });
  }

  changed({ encoder }: { encoder: boolean }): void {
    if (this.source instanceof ResidentParameters) this.source.changed();
    if (encoder) this.#encoder.forget();
    if (this.#frozen) this.graphs.clear();
  }

  async close(): Promise<void> {
    await this.graphs.close();
    if (this.source instanceof ResidentParameters) await this.source.release();
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
