import { GyreError } from '@gyre/protocol';

/** Adds `from` to `into`, element by element. Throws 'shape' if they differ in length. */
export function accumulate(into: Float32Array, from: Float32Array): void {
  sameLength(into, from);
  // Four at a time: the loop itself costs as much as the addition.
  const whole = into.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    into[i]! += from[i]!;
    into[i + 1]! += from[i + 1]!;
    into[i + 2]! += from[i + 2]!;
    into[i + 3]! += from[i + 3]!;
  }
  for (let i = whole; i < into.length; i++) into[i]! += from[i]!;
}

/**
 * The mean of gradients that come one after the other, in the layout of a parameter store. Each counts by its weight: give
 * the mean gradient of a batch the number of what it is a mean of (tokens, examples), and the mean of all is the one that a single
 * batch of everything would give.
 */
export class GradientAccumulator {
  /** Sum of weight times gradient; after `mean`, the mean. */
  readonly data: Float32Array;
  #weight = 0;

  constructor(size: number) {
    this.data = new Float32Array(size);
  }

  /** The weights of what has been added. */
  get weight(): number {
    return this.#weight;
  }

  /** Adds a gradient. Throws 'shape' if it is of another size, 'bad_input' if the weight is negative or not finite. */
  add(gradient: Float32Array, weight = 1): void {
    if (!(weight >= 0 && weight < Infinity)) {
      throw new GyreError('bad_input', `the weight of a gradient is ${weight}`, {
        field: 'weight',
        fix: 'give a number of 0 or more',
      });
    }
    const { data } = this;
    if (weight === 1) accumulate(data, gradient);
    else {
      sameLength(data, gradient);
      for (let i = 0; i < data.length; i++) data[i]! += weight * gradient[i]!;
    }
    this.#weight += weight;
  }

  /** Multiplies the sum, and leaves its weight. */
  scale(factor: number): void {
    const { data } = this;
    for (let i = 0; i < data.length; i++) data[i]! *= factor;
  }

  /**
   * Divides the sum by its weight, in place, and gives it; zeros where nothing has been added. It now counts as one gradient
   * of weight 1: call `zero` before the next ones.
   */
  mean(): Float32Array {
    if (this.#weight > 0 && this.#weight !== 1) {
      this.scale(1 / this.#weight);
      this.#weight = 1;
    }
    return this.data;
  }

  /** Begins anew. */
  zero(): void {
    this.data.fill(0);
    this.#weight = 0;
  }
}

function sameLength(into: Float32Array, from: Float32Array): void {
  if (into.length === from.length) return;
  throw new GyreError('shape', `the gradient has ${from.length} values and not ${into.length}`, { field: 'gradient' });
}
