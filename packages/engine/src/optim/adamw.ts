import { GyreError } from '@gyre/protocol';
import { stepAdamW, sumOfSquares } from './adamwKernel.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { sizeOf } from '../tensor/shape.js';

export interface ParameterGroup {
  /** Name prefix or filter; the first matching group applies. */
  parameters: string | ((name: string) => boolean);
  learningRateScale?: number;
  weightDecay?: number;
  /** Excluded from the gradient norm, too. */
  frozen?: boolean;
}

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

interface Learning {
  name: string;
  start: number;
  end: number;
  learningRateScale: number;
  weightDecay: number;
}

/** AdamW (Loshchilov and Hutter 2019, algorithm 2). */
export class AdamW {
  readonly m: Float32Array;
  readonly v: Float32Array;
  /** Set together with `m` and `v` to resume. */
  steps = 0;
  readonly #store: ParameterStore;
  readonly #options: Required<AdamWOptions>;
  readonly #learning: readonly Learning[];

  constructor(store: ParameterStore, options: AdamWOptions = {}) {
    this.#store = store;
    this.#options = { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.02, clipNorm: 1, groups: [], ...options };
    const { beta1, beta2, eps, weightDecay, clipNorm, groups } = this.#options;
    insist('beta1', beta1, beta1 >= 0 && beta1 < 1, 'use a number of 0 or more and below 1');
    insist('beta2', beta2, beta2 >= 0 && beta2 < 1, 'use a number of 0 or more and below 1');
    insist('eps', eps, Math.fround(eps) > 0 && eps < Infinity, 'use a number above 0, such as 1e-8');
    insist('weightDecay', weightDecay, weightDecay >= 0 && weightDecay < Infinity, 'use a number of 0 or more');
    insist('clipNorm', clipNorm, clipNorm > 0, 'use a number above 0; Infinity disables clipping');
    this.#learning = learningParameters(store, groups, weightDecay);
    this.m = new Float32Array(store.size);
    this.v = new Float32Array(store.size);
  }

  /**
   * Updates the parameters that are neither frozen nor filtered out. Throws 'numeric' for a non-finite gradient,
   * changing nothing, or for non-finite weights or moments; then reload a checkpoint.
   */
  step(
    gradient: Float32Array,
    learningRate: number,
    filter: (name: string) => boolean = () => true,
  ): { gradientNorm: number; clipped: boolean } {
    const { beta1, beta2, eps, clipNorm } = this.#options;
    const { data, size } = this.#store;
    if (gradient.length !== size) {
      throw new GyreError('shape', `the gradient has ${gradient.length} values, but there are ${size} parameters`, {
        field: 'gradient',
      });
    }
    if (!Number.isFinite(learningRate) || learningRate < 0) {
      throw new GyreError('bad_input', `the learning rate ${learningRate} is invalid`, {
        field: 'learningRate',
        fix: 'use a number of 0 or more',
      });
    }
    const moving = this.#learning.filter(({ name }) => filter(name));
    let squares = 0;
    for (const { name, start, end } of moving) {
      const parameterSquares = sumOfSquares(gradient, start, end);
      // Squares of float32 cannot overflow float64: a non-finite sum means a non-finite gradient.
      if (!Number.isFinite(parameterSquares)) {
        throw new GyreError('numeric', `the gradient of ${name} is not finite`, {
          field: name,
          fix: 'lower the learning rate, or resume from the last checkpoint',
        });
      }
      squares += parameterSquares;
    }
    const gradientNorm = Math.sqrt(squares);
    const clipped = gradientNorm > clipNorm;
    const scale = clipped ? clipNorm / gradientNorm : 1;
    this.steps += 1;
    const correction1 = 1 / (1 - beta1 ** this.steps);
    const correction2 = 1 / Math.sqrt(1 - beta2 ** this.steps);
    const arrays = { weights: data, gradient, m: this.m, v: this.v };
    for (const { name, start, end, learningRateScale, weightDecay } of moving) {
      const rate = learningRate * learningRateScale;
      const keep = 1 - rate * weightDecay;
      const stepSize = rate * correction1;
      if (stepAdamW(arrays, start, end, { scale, beta1, beta2, keep, stepSize, correction2, eps })) continue;
      throw new GyreError('numeric', `the weights or moments of ${name} are not finite after the update`, {
        field: name,
        fix: 'resume from the last checkpoint with a lower learning rate',
      });
    }
    return { gradientNorm, clipped };
  }
}

function learningParameters(
  store: ParameterStore,
  groups: readonly ParameterGroup[],
  weightDecay: number,
): readonly Learning[] {
  const takes = ({ parameters }: ParameterGroup, name: string) =>
    typeof parameters === 'string' ? name.startsWith(parameters) : parameters(name);
  for (const [place, group] of groups.entries()) {
    const { learningRateScale = 1, weightDecay: decay = 0 } = group;
    const field = `groups[${place}]`;
    insist(`${field}.learningRateScale`, learningRateScale, learningRateScale >= 0 && learningRateScale < Infinity);
    insist(`${field}.weightDecay`, decay, decay >= 0 && decay < Infinity);
    if (!store.specs.some(({ name }) => takes(group, name))) {
      throw new GyreError('bad_input', `group ${place} matches no parameter`, {
        field: `${field}.parameters`,
        fix: `use the prefix of a parameter name${store.specs[0] ? `, such as ${store.specs[0].name}` : ''}`,
      });
    }
  }
  return store.specs.flatMap(({ name, shape }) => {
    const group = groups.find((candidate) => takes(candidate, name));
    if (group?.frozen) return [];
    const start = store.offset(name);
    return {
      name,
      start,
      end: start + sizeOf(shape),
      learningRateScale: group?.learningRateScale ?? 1,
      weightDecay: shape.length >= 2 ? (group?.weightDecay ?? weightDecay) : 0,
    };
  });
}

function insist(field: string, found: number, holds: boolean, fix = 'use a number of 0 or more'): void {
  if (!holds) throw new GyreError('bad_input', `the optimiser's ${field} ${found} is invalid`, { field, fix });
}
