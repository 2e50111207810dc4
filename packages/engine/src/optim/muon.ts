import type { TensorMap } from '../checkpoint/checkpoint.js';
import type { ParameterStore } from '../runtime/parameters.js';
import type { Shape } from '../tensor/shape.js';
import { adamWOptions, updateAdamW, type AdamWOptions } from './adamw.js';
import { clipping, notFinite } from './clipping.js';
import { NewtonSchulz } from './newtonSchulz.js';
import type { Optimiser, OptimiserStep } from './optimiser.js';
import { insist, learningParameters, type Learning } from './parameterGroups.js';

export interface MuonOptions extends AdamWOptions {
  /** Default 0.95, with Nesterov's look-ahead. */
  momentum?: number;
  /**
   * Size of an update. `rms` (default) is 0.2 sqrt(max(in, out)), which has the RMS of AdamW's updates: learning rates
   * and weight decay carry over (Liu et al. 2025, arXiv 2502.16982). `spectral` is sqrt(max(1, out / in)) (Jordan et
   * al. 2024).
   */
  scale?: 'rms' | 'spectral';
  /** Selects the matrices that Muon updates; AdamW updates all else. Default `isHiddenMatrix`. */
  matrices?: (name: string, shape: Shape) => boolean;
  /** Default 1. */
  threads?: number;
}

const smallestNormal = 2 ** -126;
const minSide = 16;
const table = /(^|\.)(token|embed\w*|table|position|slot|turn|age|row|column)(\.|$)/;
const outputHead = /(^|\.)(logits|head\w*|letter|word|character)\./;

/** Tells whether a parameter is a weight matrix [in, out] of a hidden layer: no table, no output head, no thin matrix. */
export function isHiddenMatrix(name: string, shape: Shape): boolean {
  if (shape.length !== 2 || Math.min(...shape) < minSide) return false;
  return !table.test(name.replace(/\.w$/, '')) && !outputHead.test(name);
}

/** Muon (Jordan et al. 2024) for the matrices of hidden layers, AdamW for all other parameters. */
export class Muon implements Optimiser {
  readonly name = 'muon';
  /** First moment: Muon's momentum, or AdamW's. */
  readonly m: Float32Array;
  /** AdamW's second moment; 0 for Muon's matrices. */
  readonly v: Float32Array;
  steps = 0;
  readonly #store: ParameterStore;
  readonly #options: Required<AdamWOptions> & Required<Pick<MuonOptions, 'momentum' | 'scale'>>;
  readonly #learning: readonly Learning[];
  readonly #isMatrix: (name: string, shape: Shape) => boolean;
  readonly #newtonSchulz: NewtonSchulz;

  constructor(store: ParameterStore, options: MuonOptions = {}) {
    const { momentum = 0.95, scale = 'rms', matrices = isHiddenMatrix, threads = 1, ...adamW } = options;
    insist('momentum', momentum, momentum >= 0 && momentum < 1, 'use a number of 0 or more and below 1');
    this.#store = store;
    this.#options = { ...adamWOptions(adamW), momentum, scale };
    this.#learning = learningParameters(store, this.#options.groups, this.#options.weightDecay);
    this.#isMatrix = (name, shape) => shape.length === 2 && matrices(name, shape);
    this.#newtonSchulz = new NewtonSchulz({ threads });
    this.m = new Float32Array(store.size);
    this.v = new Float32Array(store.size);
  }

  moments(): TensorMap {
    const named = (prefix: string, data: Float32Array, matrices: boolean): TensorMap =>
      Object.fromEntries(
        this.#store.specs
          .filter(({ name, shape }) => this.#isMatrix(name, shape) === matrices)
          .map(({ name, shape }) => [prefix + name, { shape: [...shape], data: this.#store.view(name, data) }]),
      );
    return {
      ...named('muon.m.', this.m, true),
      ...named('adam.m.', this.m, false),
      ...named('adam.v.', this.v, false),
    };
  }

  async step(
    gradient: Float32Array,
    learningRate: number,
    filter: (name: string) => boolean = () => true,
  ): Promise<OptimiserStep> {
    const { clipNorm } = this.#options;
    const { data, size } = this.#store;
    const moving = this.#learning.filter(({ name }) => filter(name));
    const { gradientNorm, clipped, scale } = clipping(gradient, moving, { size, learningRate, clipNorm });
    this.steps += 1;
    const matrices = moving.filter(({ name, shape }) => this.#isMatrix(name, shape));
    const others = moving.filter(({ name, shape }) => !this.#isMatrix(name, shape));
    const arrays = { weights: data, gradient, m: this.m, v: this.v };
    updateAdamW(arrays, others, { ...this.#options, scale, learningRate, steps: this.steps });
    const updates = matrices.map(({ start, end, shape: [rows, columns] }) => ({
      rows: rows!,
      columns: columns!,
      data: this.#direction(gradient.subarray(start, end), this.m.subarray(start, end), scale),
    }));
    await this.#newtonSchulz.orthogonalise(updates);
    for (const [i, { data: update }] of updates.entries()) this.#move(matrices[i]!, update, learningRate);
    return { gradientNorm, clipped };
  }

  close(): Promise<void> {
    return this.#newtonSchulz.close();
  }

  /** Updates the momentum and returns it one step ahead. */
  #direction(gradient: Float32Array, m: Float32Array, scale: number): Float32Array {
    const { momentum } = this.#options;
    const ahead = new Float32Array(m.length);
    const share = (1 - momentum) * scale;
    for (let i = 0; i < m.length; i++) {
      const fresh = share * gradient[i]!;
      const mean = momentum * m[i]! + fresh;
      // Denormals are a hundred times slower on some processors.
      m[i] = Math.abs(mean) < smallestNormal ? 0 : mean;
      ahead[i] = momentum * m[i]! + fresh;
    }
    return ahead;
  }

  #move({ name, start, shape, learningRateScale, weightDecay }: Learning, update: Float32Array, rate: number): void {
    const [rows, columns] = shape as readonly [number, number];
    const scale =
      this.#options.scale === 'rms' ? 0.2 * Math.sqrt(Math.max(rows, columns)) : Math.sqrt(Math.max(1, columns / rows));
    const keep = 1 - rate * learningRateScale * weightDecay;
    const stepSize = rate * learningRateScale * scale;
    const weights = this.#store.data.subarray(start, start + update.length);
    let difference = 0;
    for (let i = 0; i < weights.length; i++) {
      weights[i] = keep * weights[i]! - stepSize * update[i]!;
      // x - x is 0 if finite, otherwise NaN.
      difference += weights[i]! - weights[i]!;
    }
    if (difference !== 0) throw notFinite(name);
  }
}
