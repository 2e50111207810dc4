import { GyreError } from '@gyre/protocol';
import type { ReferenceSize } from '../engine/referenceModel.js';

/** How the reference model is trained, the same for every peer. */
export interface PeerRequest {
  size: ReferenceSize;
  /** Sequences of 160 tokens. */
  batch: number;
  /** How long to measure steps, and then inference. */
  ms: number;
}

/** The reference model with the weights of `newParameters`, trained on `referenceBatch` by one thread. */
export interface Trainer {
  version: string;
  /** Forward, backward and Adam with `adam`; gives the loss before it. */
  step(): Promise<number>;
  /** The first sequence to its logits. */
  infer(): Promise<unknown>;
}

/** Adam as in Kingma and Ba 2015, algorithm 1: no decay, no clipping. */
export const adam = { learningRate: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8 } as const;

/** What a peer takes. */
export interface PeerCost {
  version: string;
  /** Median of whole steps. */
  msPerStep: number;
  /** Median of one sequence to its logits. */
  inferenceMs: number;
  /** Of the first three steps. */
  losses: number[];
}

/** What a peer's process answers: what it takes, what has to be installed first, or what went wrong. */
export type PeerReply = { cost: PeerCost } | { missing: string } | { failed: string };

/** Loads a package that nobody has to have. Throws 'missing' if it is not there. */
export async function ifInstalled<T>(load: () => Promise<T>, fix: string): Promise<T> {
  return load().catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    throw new GyreError('missing', 'a peer is not installed', { fix, cause });
  });
}
