import { totalmem } from 'node:os';
import type { Executable, Feed, Output } from '../runtime/executable.js';
import { ExecutableCache } from '../runtime/executableCache.js';
import { frozen, type Precision } from '../tensor/frozen.js';
import type { Tensor } from '../tensor/graph.js';
import type { ParameterStore } from '../runtime/parameters.js';
import type { ResidentParameters } from '../runtime/residentParameters.js';
import { requirePrecision } from '../runtime/precisionSupport.js';
import { policyPrecision } from './policyPrecision.js';

export interface FrozenParameters {
  readonly parameters: ParameterStore;
  readonly precision: Precision;
}

/** Graphs of large screens take a gigabyte each. */
const maxBytes = Math.min(8e9, totalmem() / 3);
/** Screen sizes, lengths, steps and batches have many combinations. */
const maxCount = 512;

/** Call `clear` when frozen parameters change. */
export class CompiledGraphs extends ExecutableCache {
  readonly #freezing: FrozenParameters | undefined;

  #supported: Promise<void> | undefined;

  constructor(threads: number, freezing?: FrozenParameters) {
    super({ threads, bytes: maxBytes, count: maxCount });
    this.#freezing = freezing;
  }

  run(
    key: string,
    build: () => Record<string, Tensor>,
    feeds: Readonly<Record<string, Feed>>,
    parameters: ParameterStore | ResidentParameters,
  ): Promise<Record<string, Output>> {
    return this.use(key, build, (executable) => executable.run(feeds, parameters));
  }

  override async use<T>(
    key: string,
    build: () => Record<string, Tensor>,
    work: (executable: Executable) => T | Promise<T>,
  ): Promise<T> {
    if (!this.#freezing) return super.use(key, build, work);
    const { parameters, precision } = this.#freezing;
    await (this.#supported ??= requirePrecision(precision));
    return super.use(key, () => frozen(build(), parameters, policyPrecision(precision)), work);
  }
}
