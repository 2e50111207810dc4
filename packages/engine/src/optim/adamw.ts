import type { TensorMap } from '../checkpoint/checkpoint.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { stepAdamW } from './adamwKernel.js';
import { clipping, notFinite } from './clipping.js';
import type { Optimiser, OptimiserStep } from './optimiser.js';
import { insist, learningParameters, type Learning, type ParameterGroup } from './parameterGroups.js';

export interface AdamWOptions {
  /** Default 0.9. */
  beta1?: number;
  /** Default 0.98. */
  beta2?: number;
  /** Default 1e-8; positive as float32. */
  eps?: number;
  /** Default 0.02. Applies to matrices only. */
  weightDecay?: number;
  /** Maximum global gradient norm. Default 1; Infinity disables it. */
  clipNorm?: number;
  groups?: readonly ParameterGroup[];
}

/** AdamW (Loshchilov and Hutter 2019, algorithm 2). */
export class AdamW implements Optimiser {
  readonly name = 'adamw';
  readonly m: Float32Array;
  readonly v: Float32Array;
  steps = 0;
  readonly #store: ParameterStore;
  readonly #options: Required<AdamWOptions>;
  readonly #learning: readonly Learning[];

  constructor(store: ParameterStore, options: AdamWOptions = {}) {
    this.#store = store;
    this.#options = adamWOptions(options);
    this.#learning = learningParameters(store, this.#options.groups, this.#options.weightDecay);
    this.m = new Float32Array(store.size);
    this.v = new Float32Array(store.size);
  }

  moments(): TensorMap {
    return { ...this.#store.tensors('adam.m.', this.m), ...this.#store.tensors('adam.v.', this.v) };
  }

  step(gradient: Float32Array, learningRate: number, filter: (name: string) => boolean = () => true): OptimiserStep {
    const { clipNorm } = this.#options;
    const { data, size } = this.#store;
    const moving = this.#learning.filter(({ name }) => filter(name));
    const { gradientNorm, clipped, scale } = clipping(gradient, moving, { size, learningRate, clipNorm });
    this.steps += 1;
    const arrays = { weights: data, gradient, m: this.m, v: this.v };
    updateAdamW(arrays, moving, { ...this.#options, scale, learningRate, steps: this.steps });
    return { gradientNorm, clipped };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Fills in defaults. Throws 'bad_input' for options out of range. */
export function adamWOptions(options: AdamWOptions): Required<AdamWOptions> {
  const complete = { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.02, clipNorm: 1, groups: [], ...options };
  const { beta1, beta2, eps, weightDecay, clipNorm } = complete;
  insist('beta1', beta1, beta1 >= 0 && beta1 < 1, 'use a number of 0 or more and below 1');
  insist('beta2', beta2, beta2 >= 0 && beta2 < 1, 'use a number of 0 or more and below 1');
  insist('eps', eps, Math.fround(eps) > 0 && eps < Infinity, 'use a number above 0, such as 1e-8');
  insist('weightDecay', weightDecay, weightDecay >= 0 && weightDecay < Infinity, 'use a number of 0 or more');
  insist('clipNorm', clipNorm, clipNorm > 0, 'use a number above 0; Infinity disables clipping');
  return complete;
}

/** Updates the moving parameters after step number `steps` - 1. Throws 'numeric' for non-finite results. */
export function updateAdamW(
  arrays: { weights: Float32Array; gradient: Float32Array; m: Float32Array; v: Float32Array },
  moving: readonly Learning[],
  options: Required<AdamWOptions> & { scale: number; learningRate: number; steps: number },
): void {
  const { beta1, beta2, eps, scale, learningRate, steps } = options;
  const correction1 = 1 / (1 - beta1 ** steps);
  const correction2 = 1 / Math.sqrt(1 - beta2 ** steps);
  for (const { name, start, end, learningRateScale, weightDecay } of moving) {
    const rate = learningRate * learningRateScale;
    const keep = 1 - rate * weightDecay;
    const stepSize = rate * correction1;
    const factors = { scale, beta1, beta2, keep, stepSize, correction2, eps };
    if (!stepAdamW(arrays, start, end, factors)) throw notFinite(name);
  }
}
