import type { Backend } from '../graph.js';
import { ParameterStore } from '../parameters.js';
import { ResidentParameters } from '../residentParameters.js';
import type { Architecture } from './architecture.js';
import { CompiledGraphs } from './compiled.js';
import { Encoder } from './encoder.js';
import { Learner } from './learner.js';
import { Model } from './model.js';
import { Sampler } from './sampler.js';

export interface ComputationOptions {
  architecture: Architecture;
  /** Seeds the weights. */
  seed: number;
  /** Threads of one graph run. */
  threads?: number;
  /** What runs the graphs. Default `cpu`. */
  backend?: Backend;
}

/** A model with its weights, and what samples and learns with them on one backend. */
export class Computation {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly sampler: Sampler;
  readonly learner: Learner;
  private readonly encoder: Encoder;
  readonly graphs: CompiledGraphs;
  /** What graphs are fed with. */
  readonly source: ParameterStore | ResidentParameters;

  constructor({ architecture, seed, threads = 1, backend = 'cpu' }: ComputationOptions) {
    this.model = new Model(architecture, backend);
    this.parameters = new ParameterStore([...this.model.parameters], seed);
    this.graphs = new CompiledGraphs(threads);
    const { model, parameters, graphs } = this;
    this.source = backend === 'cpu' ? parameters : new ResidentParameters(parameters);
    this.encoder = new Encoder(model, this.source, graphs);
    this.sampler = new Sampler(model, this.source, graphs, this.encoder);
    this.learner = new Learner(model, this.source, graphs, this.encoder);
  }

  /** Call when weights have changed, and tell whether the encoder's have. */
  changed({ encoder }: { encoder: boolean }): void {
    if (this.source instanceof ResidentParameters) this.source.changed();
    if (encoder) this.encoder.forget();
  }

  async close(): Promise<void> {
    await this.graphs.close();
    if (this.source instanceof ResidentParameters) await this.source.release();
  }
}
