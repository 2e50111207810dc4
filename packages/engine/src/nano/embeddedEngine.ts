import { GyreError } from '@gyre/protocol';
import type { Optimiser } from '../optim/optimiser.js';
import { TailAverage } from '../optim/tailAverage.js';
import { saveCheckpoint, type TensorMap } from '../checkpoint/checkpoint.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { hasReader, type NativeArchitecture, parseArchitecture } from '../eyes/nativeArchitecture.js';
import { sceneComputation } from '../eyes/sceneComputation.js';
import { Computation, type ComputationOptions, type NativeComputation } from './computation.js';
import type {
  NativeDatum,
  NativeEngine,
  NativeForwardBackward,
  NativeLearningRequest,
  NativeOptimStep,
  TrainablePart,
  NativeSampleRequest,
  NativeSampled,
  Screenshot,
  NativeForward,
} from './nativeEngine.js';
import { optimiserOf } from './optimiserOf.js';
import { checkParity } from './parity.js';
import { ReadWriteLock } from './readWriteLock.js';
import { format, isTrainingState, latest, loadPolicyCheckpoint, vocabularyHashOf } from './policyCheckpoint.js';

export type NativeEngineOptions = ComputationOptions;

/** Runs calls in order; consecutive `sample` calls share batches. */
export class EmbeddedEngine implements NativeEngine {
  readonly #options: NativeEngineOptions;

  readonly architecture: NativeArchitecture;
  readonly parameters: ParameterStore;
  readonly #optimiser: Optimiser;
  readonly #average: TailAverage | undefined;
  readonly #computation: NativeComputation;
  readonly #lock = new ReadWriteLock();
  #checked: Promise<unknown> | undefined;
  #version = 0;

  constructor(options: NativeEngineOptions) {
    this.#options = options;

    this.architecture = parseArchitecture(options.architecture);
    this.#computation = hasReader(this.architecture)
      ? sceneComputation(this.architecture, options)
      : new Computation(this.architecture, options);
    this.parameters = this.#computation.parameters;
    this.#optimiser = optimiserOf(this.parameters, options);
    this.#average = options.average ? new TailAverage(this.parameters) : undefined;
  }

  get policyVersion(): number {
    return this.#version;
  }

  /** Throws 'numeric' if WebGPU differs from the CPU. */
  async ready(): Promise<void> {
    const { backend = 'cpu', threads = 1 } = this.#options;
    if (backend === 'cpu') return;
    if (hasReader(this.architecture)) return;
    this.#checked ??= checkParity(this.architecture, threads);
    await this.#checked;
  }

  sample(requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]> {
    return this.#lock.shared(async () => {
      await this.ready();
      return this.#computation.sample(requests, this.#version);
    });
  }

  forward(data: readonly NativeDatum[]): Promise<NativeForward> {
    return this.#lock.exclusive(async () => {
      await this.ready();
      const { logprobs, entropies, values } = await this.#computation.run(data, { source: 'features' });
      return { logprobs, entropies, values, policyVersion: this.#version };
    });
  }

  forwardBackward({ data, loss, reduction, freezeEncoder }: NativeLearningRequest): Promise<NativeForwardBackward> {
    return this.#lock.exclusive(async () => {
      this.#refuseFrozen();
      const critic = this.architecture.role === 'critic';
      if (critic !== (loss.name === 'ppo_critic')) {
        throw new GyreError('bad_input', `a ${this.architecture.role} cannot be trained with the loss ${loss.name}`, {
          field: 'loss',
          fix: critic ? 'use ppo_critic' : 'use letters, reading, cross_entropy or ppo',
        });
      }
      await this.ready();
      if (loss.name === 'letters' || loss.name === 'reading') {
        return this.#computation.reading(data, { name: loss.name, reduction });
      }
      return this.#computation.run(data, { source: freezeEncoder ? 'features' : 'pixels', loss, reduction });
    });
  }

  optimStep({ learningRate, part = 'all' }: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep> {
    return this.#lock.exclusive(async () => {
      this.#refuseFrozen();
      try {
        const learns = (name: string) => part === 'all' || partOf(name) === part;
        const { gradientNorm } = await this.#optimiser.step(this.#computation.gradient, learningRate, learns);
        this.#average?.update();
        this.#version++;
        this.#computation.changed({ encoder: part !== 'decoder' });
        return { gradientNorm, policyVersion: this.#version };
      } finally {
        this.#computation.gradient.fill(0);
      }
    });
  }

  /** Returns `[cells, heads, classes]` of each screenshot. */
  readGlyphs(screenshots: readonly Screenshot[]): Promise<Float32Array[]> {
    return this.#lock.exclusive(async () => {
      await this.ready();
      return this.#computation.readGlyphs(screenshots);
    });
  }

  save(path: string): Promise<void> {
    return this.#lock.exclusive(async () => {
      await saveCheckpoint(path, {
        tensors: { ...this.#weights(), ...this.#optimiser.moments() },
        metadata: {
          format,
          vocabulary: vocabularyHashOf(this.architecture),
          architecture: JSON.stringify(this.architecture),
          policyVersion: String(this.#version),
          optimiser: this.#optimiser.name,
          optimiserSteps: String(this.#optimiser.steps),
        },
      });
    });
  }

  /**
   * Loads weights and, by default, moments and version if the same optimiser saved them. A critic may load a policy's
   * common weights.
   */
  load(path: string, options: { optimiser?: boolean } = {}): Promise<{ policyVersion: number }> {
    return this.#lock.exclusive(() => this.#take(path, options));
  }

  close(): Promise<void> {
    return this.#lock.exclusive(async () => {
      await Promise.all([this.#computation.close(), this.#optimiser.close()]);
    });
  }

  async #take(path: string, options: { optimiser?: boolean }): Promise<{ policyVersion: number }> {
    const { tensors, metadata, architecture: saved } = await loadPolicyCheckpoint(path);
    const { role, ...shape } = this.architecture;
    const { role: savedRole, ...savedShape } = saved;
    const fits = JSON.stringify(shape) === JSON.stringify(savedShape) && (role === savedRole || role === 'critic');
    if (!fits) {
      throw new GyreError('bad_input', `${path} has a different architecture: ${JSON.stringify(saved)}`, {
        field: 'checkpoint',
        fix: `use a checkpoint of ${JSON.stringify(this.architecture)}`,
      });
    }
    const hasMoments = Object.keys(tensors).some(isTrainingState);
    const { optimiser: saver = 'adamw' } = metadata;
    const whole = role === savedRole && hasMoments && (options.optimiser ?? saver === this.#optimiser.name);
    if (whole) this.#refuseForeignMoments(path, saver);
    const targets = {
      ...this.parameters.tensors(),
      ...(whole && { ...this.#optimiser.moments(), ...this.#weights() }),
    };
    const copies: [Float32Array, Float32Array][] = [];
    for (const [key, { data: to }] of Object.entries(targets)) {
      // A checkpoint without an average is continued with one.
      const from = (tensors[key] ?? tensors[key.replace(latest, '')])?.data;
      if (!from && role !== savedRole) continue;
      if (from?.length !== to.length) {
        throw new GyreError('corrupt', `${path} has no complete tensor ${key}`, {
          field: 'checkpoint',
          fix: 'use another checkpoint',
        });
      }
      copies.push([to, from]);
    }
    for (const [to, from] of copies) to.set(from);
    if (whole) {
      this.#version = Number(metadata.policyVersion);
      this.#optimiser.steps = Number(metadata.optimiserSteps);
    }
    if (this.#average) {
      this.#average.steps = whole ? this.#optimiser.steps : 0;
      if (!whole) this.#average.data.set(this.parameters.data);
    }
    if (!this.#options.frozen) this.#computation.gradient.fill(0);
    this.#computation.changed({ encoder: true });
    return { policyVersion: this.#version };
  }

  /** Returns views of the weights by their names in a checkpoint. */
  #weights(): TensorMap {
    if (!this.#average) return this.parameters.tensors();
    return { ...this.parameters.tensors('', this.#average.data), ...this.parameters.tensors(latest) };
  }

  #refuseForeignMoments(path: string, saved: string): void {
    if (saved === this.#optimiser.name) return;
    throw new GyreError('bad_input', `${path} has the moments of ${saved}, not of ${this.#optimiser.name}`, {
      field: 'optimiser',
      fix: `use the optimiser ${saved}, or load the weights alone with { optimiser: false }`,
    });
  }

  #refuseFrozen(): void {
    const { frozen } = this.#options;
    if (!frozen) return;
    throw new GyreError('bad_input', `an engine frozen as ${frozen} cannot be trained`, {
      field: 'frozen',
      fix: 'train with an engine that is not frozen, and load its checkpoint here',
    });
  }
}

function partOf(name: string): TrainablePart {
  if (!name.startsWith('image.')) return 'decoder';
  return /^image\.(stem|merge|letter)\./.test(name) ? 'stem' : 'all';
}
