import { type EnginePolicyOptions, type Policy, enginePolicy } from '@gyre/agent';
import { type NativeArchitecture, type TrainingEngine, EngineThread, hasReader } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import type { LazyReader } from '@gyre/reader';
import type { UpdateOptions } from '../algorithms/update.js';
import {
  type Decision,
  type DecisionOptions,
  type DecisionView,
  type ScreenshotReader,
  readDecisions,
} from '../rollouts/dataset.js';

/** A policy or critic under training, whose weights can be stored. */
export interface StoredEngine extends TrainingEngine {
  save(path: string): Promise<void>;
  /** Loads weights and, by default, the optimiser's state. */
  load(path: string, options?: { optimiser?: boolean }): Promise<unknown>;
  /** Deletes the weights that a file names at a server; see `WeightsHolder`. */
  discard?(path: string): Promise<boolean>;
  close(): Promise<void>;
}

export type PlayOptions = Partial<Pick<EnginePolicyOptions, 'name' | 'temperature'>>;

/** The policy that a run trains: native, or behind a server of Tinker's API. */
export interface Learner {
  /** Ends the files that its engines save: weights, or their names at a server. */
  readonly extension: 'safetensors' | 'json';
  readonly engine: StoredEngine;
  readonly view: DecisionView;
  /** Bounds the gap between sampler and trainer where these are two programs. */
  readonly gap?: UpdateOptions['gap'];
  policy(options?: PlayOptions): Policy;
  /** Reads what the policy can learn from an episode. */
  decisions(episode: Episode, reader: ScreenshotReader, options?: DecisionOptions): Promise<Decision[]>;
  /** Makes updates reach the episodes that are played. Loaded weights reach them by themselves. */
  publish(): Promise<void>;
  /** Opens a critic, which starts from a native policy's weights, or from its base model if it is served. */
  critic(policy: string | undefined): Promise<StoredEngine>;
  close(): Promise<void>;
}

interface NativeLearnerParts {
  readonly engine: EngineThread;
  readonly architecture: NativeArchitecture;
  /** Maximum in a decision's context. */
  readonly screenshots: number;
  readonly reader: LazyReader;
  readonly seed: number;
  readonly threads: number;
}

/** Trains in this process. Updates affect sampling at once. */
export class NativeLearner implements Learner {
  readonly #parts: NativeLearnerParts;
  readonly extension = 'safetensors';
  readonly engine: EngineThread;
  readonly architecture: NativeArchitecture;
  readonly reader: LazyReader;
  readonly view: DecisionView;

  private constructor(parts: NativeLearnerParts) {
    this.#parts = parts;
    this.engine = parts.engine;
    this.architecture = parts.architecture;
    this.reader = parts.reader;
    this.view = { screenshots: parts.screenshots, reads: hasReader(parts.architecture) };
  }

  static async start({
    optimiser,
    average,
    ...parts
  }: Omit<NativeLearnerParts, 'engine'> & {
    readonly optimiser?: 'adamw' | 'muon' | undefined;
    readonly average?: boolean | undefined;
  }): Promise<NativeLearner> {
    const { architecture, seed, threads } = parts;
    const engine = await EngineThread.start({ architecture, seed, threads, optimiser, average });
    return new NativeLearner({ ...parts, engine });
  }

  policy(options: Partial<Omit<EnginePolicyOptions, 'architecture' | 'reader'>> = {}): Policy {
    const { architecture, engine, reader } = this;
    return enginePolicy({ name: 'nano', engine, architecture, reader, ...options });
  }

  decisions(episode: Episode, reader: ScreenshotReader, options?: DecisionOptions): Promise<Decision[]> {
    return readDecisions(episode, this.view, reader, options);
  }

  publish(): Promise<void> {
    return Promise.resolve();
  }

  async critic(policy: string | undefined): Promise<EngineThread> {
    const critic = await this.another('critic');
    if (policy !== undefined) await critic.load(policy);
    return critic;
  }

  /** Starts an engine of the same shape. */
  another(role: NativeArchitecture['role']): Promise<EngineThread> {
    const { seed, threads } = this.#parts;
    return EngineThread.start({ architecture: { ...this.architecture, role }, seed, threads });
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.engine.close(), this.reader.close()]);
  }
}
