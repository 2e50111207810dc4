import { GyreError } from '@gyre/protocol';
import type { ReferenceSize } from '../engine/referenceModel.js';

export interface PeerRequest {
  size: ReferenceSize;
  /** Sequences of 160 tokens. */
  batch: number;
  ms: number;
}

/** The reference model with the weights of `newParameters`, on one thread. */
export interface Trainer {
  version: string;
  /** Returns the loss before the update. */
  step(): Promise<number>;
  /** Computes the logits of the first sequence. */
  infer(): Promise<unknown>;
}

/** Kingma and Ba 2015, algorithm 1: no decay, no clipping. */
export const adam = { learningRate: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8 } as const;

export interface PeerCost {
  version: string;
  msPerStep: number;
  /** One sequence to logits. */
  inferenceMs: number;
  losses: number[];
}

export type PeerReply = { cost: PeerCost } | { missing: string } | { failed: string };

/** Throws `missing` if not installed. */
export async function ifInstalled<T>(load: () => Promise<T>, fix: string): Promise<T> {
  return load().catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    throw new GyreError('missing', 'a peer is not installed', { fix, cause });
  });
}
