import { GyreError } from '@gyre/protocol';
import type { ParameterStore } from './parameters.js';
import { sizeOf } from './shape.js';

export interface AdamWOptions {
  /** Decay of the mean of the gradient. Default 0.9. */
  beta1?: number;
  /** Decay of the mean of its square. Default 0.98. */
  beta2?: number;
  /** Added to the root of the second moment. Default 1e-8. */
  eps?: number;
  /** Share of a matrix, times the learning rate, that is taken away at each step. Default 0.02. Vectors do not decay. */
  weightDecay?: number;
  /** Largest norm of a gradient over all parameters that move; a longer one is shortened to it. Default 1. */
  clipNorm?: number;
}

/** Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2), on the flat array of a parameter store. */
export class AdamW {
  /** Running mean of the gradient and of its square, in the layout of the store. */
  readonly m: Float32Array;
  readonly v: Float32Array;
  /** Steps taken. Set it, with `m` and `v`, to go on from a checkpoint. */
  steps = 0;
  readonly #store: ParameterStore;
  readonly #options: Required<AdamWOptions>;

  constructor(store: ParameterStore, options: AdamWOptions = {}) {
    this.#store = store;
    this.#options = { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.02, clipNorm: 1, ...options };
    this.m = new Float32Array(store.size);
    this.v = new Float32Array(store.size);
  }

  /**
   * Moves the parameters by one step down the gradient (layout of the store). Parameters that the filter leaves out do not
   * move at all, and count neither in the norm nor in the moments. Throws 'numeric' if a gradient is not finite, and
   * 'shape' if it is of another size; then nothing has changed.
   */
  step(
    gradient: Float32Array,
    learningRate: number,
    filter: (name: string) => boolean = () => true,
  ): { gradientNorm: number; clipped: boolean } {
    const { beta1, beta2, eps, weightDecay, clipNorm } = this.#options;
    const { data, size } = this.#store;
    if (gradient.length !== size) {
      throw new GyreError('shape', `the gradient has ${gradient.length} values, the parameters ${size}`, {
        field: 'gradient',
      });
    }
    if (!Number.isFinite(learningRate) || learningRate < 0) {
      throw new GyreError('bad_input', `the learning rate is ${learningRate}`, {
        field: 'learningRate',
        fix: 'give a number >= 0',
      });
    }
    const moving = this.#store.specs.filter(({ name }) => filter(name));
    let squares = 0;
    for (const { name } of moving) {
      let own = 0;
      for (const g of this.#store.view(name, gradient)) own += g * g;
      // Squares of float32 cannot overflow a float64, so a sum that is not finite means a gradient that is not.
      if (!Number.isFinite(own)) {
        throw new GyreError('numeric', `the gradient of ${name} is not finite`, {
          field: name,
          fix: 'lower the learning rate, or go back to the last checkpoint',
        });
      }
      squares += own;
    }
    const gradientNorm = Math.sqrt(squares);
    const clipped = gradientNorm > clipNorm;
    const scale = clipped ? clipNorm / gradientNorm : 1;
    this.steps += 1;
    const stepSize = learningRate / (1 - beta1 ** this.steps);
    const correction2 = 1 / Math.sqrt(1 - beta2 ** this.steps);
    const { m, v } = this;
    for (const { name, shape } of moving) {
      const keep = shape.length >= 2 ? 1 - learningRate * weightDecay : 1;
      const start = this.#store.offset(name);
      const end = start + sizeOf(shape);
      for (let i = start; i < end; i++) {
        const g = gradient[i]! * scale;
        const mean = beta1 * m[i]! + (1 - beta1) * g;
        const square = beta2 * v[i]! + (1 - beta2) * g * g;
        m[i] = mean;
        v[i] = square;
        data[i] = keep * data[i]! - (stepSize * mean) / (Math.sqrt(square) * correction2 + eps);
      }
    }
    return { gradientNorm, clipped };
  }
}
