import { GyreError } from '@gyre/protocol';
import type { ReferenceSize } from '../engine/referenceModel.js';

export interface PeerRequest {
  size: ReferenceSize;
  /** Sequences of 160 tokens. */
  batch: number;
  /** For steps, and again for inference. */
  ms: number;
}

/** The reference model with the weights of `newParameters`, trained on `referenceBatch` by one thread. */
export interface Trainer {
  version: string;
  /** Runs forward, backward and Adam; returns the loss before the update. */
  step(): Promise<number>;
  /** Computes the logits of the first sequence. */
  infer(): Promise<unknown>;
}

/** Kingma and Ba 2015, algorithm 1: no decay, no clipping. */
export const adam = { learningRate: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8 } as const;

export interface PeerCost {
  version: string;
  /** Median. */
  msPerStep: number;
  /** Median of one sequence to logits. */
  inferenceMs: number;
  /** Losses of the first three steps. */
  losses: number[];
}

/** Cost, installation hint, or failure. */
export type PeerReply = { cost: PeerCost } | { missing: string } | { failed: string };

/** Loads an optional package. Throws `missing` if not installed. */
export async function ifInstalled<T>(load: () => Promise<T>, fix: string): Promise<T> {
  return load().catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    throw new GyreError('missing', 'a peer is not installed', { fix, cause });
  });
}
