import { GyreError } from '@gyre/protocol';
import type { TensorMap } from '../checkpoint/checkpoint.js';
import type { ParameterStore } from '../runtime/parameters.js';

export interface TailAverageOptions {
  /**
   * Share of training that the average covers, as its standard deviation (Karras et al. 2024, arXiv 2312.02696,
   * algorithm 2). Default 0.1. A constant `decay` replaces it.
   */
  share?: number;
  /** Per step, 0 or more and below 1. */
  decay?: number;
}

const prefix = 'average.';

/**
 * Keeps an exponential average of a store's parameters: by default the power function average, whose memory grows with
 * training, so that the first steps are forgotten.
 */
export class TailAverage {
  readonly data: Float32Array;
  /** Set together with `data` to resume. */
  steps = 0;
  readonly #store: ParameterStore;
  readonly #decayOf: (step: number) => number;
  #swapped = false;

  constructor(store: ParameterStore, { share = 0.1, decay }: TailAverageOptions = {}) {
    if (decay !== undefined && !(decay >= 0 && decay < 1)) throw invalid('decay', decay, 'use 0 or more and below 1');
    // Larger shares have no exponent.
    if (!(share > 0 && share < 0.28)) throw invalid('share', share, 'use a number above 0 and below 0.28');
    this.#store = store;
    this.data = store.data.slice();
    const exponent = exponentOf(share);
    this.#decayOf = (step) => decay ?? (1 - 1 / step) ** (exponent + 1);
  }

  /** Adds the parameters after a step of the optimiser. Throws 'bad_input' while swapped in. */
  update(): void {
    if (this.#swapped) {
      throw new GyreError('bad_input', 'the averaged parameters are swapped in', {
        field: 'average',
        fix: 'call swap() again before training on',
      });
    }
    this.steps += 1;
    const rate = 1 - this.#decayOf(this.steps);
    const { data } = this;
    const { data: latest } = this.#store;
    for (let i = 0; i < data.length; i++) data[i]! += rate * (latest[i]! - data[i]!);
  }

  /** Exchanges the store's parameters and the average; a second call restores both. */
  swap(): void {
    const { data: parameters } = this.#store;
    const latest = parameters.slice();
    parameters.set(this.data);
    this.data.set(latest);
    this.#swapped = !this.#swapped;
  }

  tensors(): TensorMap {
    return this.#store.tensors(prefix, this.data);
  }

  /** Throws 'corrupt' for a missing or mismatched tensor, changing nothing. */
  restore(tensors: TensorMap, steps: number): void {
    this.#store.restore(tensors, prefix, this.data);
    this.steps = steps;
    this.#swapped = false;
  }
}

/** Solves share = sqrt(g + 1) / ((g + 2) sqrt(g + 3)) for g, at least 0, by bisection. */
function exponentOf(share: number): number {
  const shareOf = (g: number) => Math.sqrt(g + 1) / ((g + 2) * Math.sqrt(g + 3));
  let [low, high] = [0, 1];
  while (shareOf(high) > share) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (shareOf(middle) > share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function invalid(field: string, value: number, fix: string): GyreError {
  return new GyreError('bad_input', `the average's ${field} ${value} is invalid`, { field, fix });
}
