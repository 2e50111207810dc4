import { GyreError } from '@gyre/protocol';
import type { TensorMap } from '../checkpoint/checkpoint.js';
import { Random } from '../random.js';
import { checkShape, sameShape, show, sizeOf, type Shape } from '../tensor/shape.js';

/** `init.normal` is a standard deviation. */
export interface ParameterSpec {
  readonly name: string;
  readonly shape: Shape;
  readonly init: 'zeros' | 'ones' | { readonly normal: number };
}

/**
 * A model's parameters in one flat array. Initial values depend only on seed and name, so that adding a parameter
 * leaves the others unchanged.
 */
export class ParameterStore {
  readonly specs: readonly ParameterSpec[];
  readonly data: Float32Array;
  readonly #places = new Map<string, { offset: number; size: number }>();

  constructor(specs: readonly ParameterSpec[], seed: number) {
    this.specs = specs.map((spec) => ({ ...spec, shape: [...spec.shape] }));
    let total = 0;
    for (const { name, shape } of this.specs) {
      checkShape(`parameter ${name}`, shape);
      if (this.#places.has(name)) throw new GyreError('shape', `two parameters are named ${name}`, { field: name });
      this.#places.set(name, { offset: total, size: sizeOf(shape) });
      total += sizeOf(shape);
    }
    this.data = new Float32Array(total);
    const random = new Random(seed);
    for (const { name, init } of this.specs) {
      const view = this.view(name);
      if (init === 'ones') view.fill(1);
      else if (init !== 'zeros') {
        const generator = random.fork(name);
        for (let i = 0; i < view.length; i++) view[i] = init.normal * generator.normal();
      }
    }
  }

  get size(): number {
    return this.data.length;
  }

  /** Returns a view of `data` or of another array in that layout, such as a gradient. */
  view(name: string, data: Float32Array = this.data): Float32Array {
    const { offset, size } = this.#place(name);
    return data.subarray(offset, offset + size);
  }

  offset(name: string): number {
    return this.#place(name).offset;
  }

  clone(): ParameterStore {
    const copy = new ParameterStore(
      this.specs.map((spec) => ({ ...spec, init: 'zeros' })),
      0,
    );
    copy.data.set(this.data);
    return copy;
  }

  tensors(prefix = '', data: Float32Array = this.data): TensorMap {
    return Object.fromEntries(
      this.specs.map(({ name, shape }) => [prefix + name, { shape: [...shape], data: this.view(name, data) }]),
    );
  }

  /** Throws 'corrupt' for a missing or mismatched tensor, changing nothing. */
  restore(tensors: TensorMap, prefix = '', data: Float32Array = this.data): void {
    for (const { name, shape } of this.specs) {
      const tensor = tensors[prefix + name];
      if (tensor && sameShape(tensor.shape, shape)) continue;
      const fault = tensor
        ? `tensor ${prefix + name} has shape ${show(tensor.shape)}, not ${show(shape)}`
        : `tensor ${prefix + name} is missing`;
      throw new GyreError('corrupt', `the checkpoint does not match the model: ${fault}`, {
        field: prefix + name,
        fix: 'use a checkpoint of this model',
      });
    }
    for (const { name } of this.specs) this.view(name, data).set(tensors[prefix + name]!.data);
  }

  #place(name: string): { offset: number; size: number } {
    const place = this.#places.get(name);
    if (!place) throw new GyreError('shape', `unknown parameter ${name}`, { field: name });
    return place;
  }
}
