import { GyreError } from '@gyre/protocol';
import type { NodePeer } from './peerProgram.js';
import { runNodePeer } from './peerProcess.js';
import { runTorch } from './torch.js';
import type { PeerCost, PeerReply, PeerRequest } from './trainer.js';

/** A library that trains the reference model: its times, how to install it, or its failure. */
export type PeerRow = { name: string; threads: number; batch: number } & (
  PeerResult | { missing: string } | { failed: string }
);

export interface PeerResult {
  version: string;
  /** Median of whole steps: forward, backward, Adam. */
  msPerStep: number;
  /** Time relative to gyre's in the same run: 2 is twice as slow. */
  ratio: number;
  /** Median of one sequence of 160 tokens to its logits. */
  inferenceMs: number;
  /** Largest relative difference from gyre's losses in the first three steps. */
  lossDifference: number;
}

/** Relative tolerance of a loss. Rounding gives 1e-6; another scale of attention or another beta of Adam more than 4e-5. */
const tolerance = 1e-5;

/**
 * Compares gyre with other libraries of JavaScript and with PyTorch: same model, weights and batch, one thread, one process after the
 * other. The first row is gyre's. A missing library says how to install it; one with different losses gets no times. Throws `infra` if gyre
 * itself fails.
 */
export async function benchPeers(request: PeerRequest): Promise<PeerRow[]> {
  const ours = await runNodePeer('gyre', request);
  if (!('cost' in ours))
    throw new GyreError('infra', `gyre could not be measured: ${JSON.stringify(ours)}`, { part: 'machine' });
  const rows = [{ name: 'gyre', reply: ours as PeerReply }];
  for (const name of ['jax-js', 'tfjs'] satisfies NodePeer[])
    rows.push({ name, reply: await runNodePeer(name, request) });
  rows.push({ name: 'libtorch (python3-torch)', reply: await runTorch(request) });
  return rows.map(({ name, reply }) => ({ name, threads: 1, batch: request.batch, ...beside(ours.cost, reply) }));
}

/** Compares a peer's cost with gyre's, if both computed the same losses. */
export function beside(ours: PeerCost, reply: PeerReply): PeerResult | Exclude<PeerReply, { cost: PeerCost }> {
  if (!('cost' in reply)) return reply;
  const { version, msPerStep, inferenceMs, losses } = reply.cost;
  const lossDifference = Math.max(...ours.losses.map((loss, step) => Math.abs(losses[step]! - loss) / loss));
  // Negated to refuse NaN.
  if (!(lossDifference <= tolerance)) return { failed: `computes other losses: ${losses.join(', ')}` };
  return { version, msPerStep, ratio: msPerStep / ours.msPerStep, inferenceMs, lossDifference };
}
