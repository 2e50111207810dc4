import { GyreError } from '@gyre/protocol';
import type { TensorMap } from '../checkpoint/checkpoint.js';
import type { ParameterStore } from '../runtime/parameters.js';

/**
 * An exponential moving average of the parameters of a store: it begins as a copy of them. It is smoother than the weights
 * that it follows, and often better (Polyak and Juditsky 1992; used as an exponential average since Tarvainen and Valpola 2017,
 * arXiv 1703.01780).
 */
export class MovingAverage {
  /** The average, in the layout of the store. */
  readonly data: Float32Array;
  readonly #store: ParameterStore;
  readonly #decay: number;

  /** @param decay share of the average that stays at an update, 0 to below 1: 0.999 looks back over about 1000 updates. */
  constructor(store: ParameterStore, decay = 0.999) {
    if (!(decay >= 0 && decay < 1)) {
      throw new GyreError('bad_input', `the decay of the average is ${decay}`, {
        field: 'decay',
        fix: 'give a number of 0 or more and below 1',
      });
    }
    this.#store = store;
    this.#decay = decay;
    this.data = store.data.slice();
  }

  /** Moves the average towards the weights of now. Call it after each step of the optimiser. */
  update(): void {
    const { data } = this;
    const weights = this.#store.data;
    const share = 1 - this.#decay;
    for (let i = 0; i < data.length; i++) data[i]! += share * (weights[i]! - data[i]!);
  }

  /** Puts the average into a store of the same layout, such as a clone to evaluate with. Throws 'shape' if it has another size. */
  copyTo(store: ParameterStore): void {
    if (store.size !== this.data.length) {
      throw new GyreError('shape', `the average has ${this.data.length} values, the store ${store.size}`, {
        field: 'store',
      });
    }
    store.data.set(this.data);
  }

  /** The average as tensors of a checkpoint, named `ema.NAME`; views, not copies. */
  tensors(): TensorMap {
    return this.#store.tensors('ema.', this.data);
  }

  /** Takes the average from the tensors of a checkpoint. Throws 'corrupt' if one is missing or of another shape; then nothing has changed. */
  restore(tensors: TensorMap): void {
    this.#store.restore(tensors, 'ema.', this.data);
  }
}
