import type { TensorMap } from '../checkpoint/checkpoint.js';

export interface OptimiserStep {
  readonly gradientNorm: number;
  readonly clipped: boolean;
}

/** Updates the parameters of a store by gradients in the store's layout. */
export interface Optimiser {
  readonly name: 'adamw' | 'muon';
  /** Set together with the moments to resume. */
  steps: number;
  /** Returns views of the moments, by their names in a checkpoint. */
  moments(): TensorMap;
  /**
   * Updates the parameters that are neither frozen nor filtered out. Leave gradient and parameters alone until then.
   * Throws 'numeric' for a non-finite gradient, changing nothing, or for non-finite weights or moments; then reload a
   * checkpoint.
   */
  step(
    gradient: Float32Array,
    learningRate: number,
    filter?: (name: string) => boolean,
  ): OptimiserStep | Promise<OptimiserStep>;
  /** Releases native memory. */
  close(): Promise<void>;
}
