import { GyreError } from '@gyre/protocol';
import type { NodePeer } from './peerProgram.js';
import { runNodePeer } from './peerProcess.js';
import { runTorch } from './torch.js';
import type { PeerCost, PeerReply, PeerRequest } from './trainer.js';

/** One way to train the reference model: what it takes, what to install for it, or what went wrong. */
export type PeerRow = { name: string; threads: number; batch: number } & (
  PeerResult | { missing: string } | { failed: string }
);

export interface PeerResult {
  version: string;
  /** Median of whole steps: forward, backward, Adam. */
  msPerStep: number;
  /** Of `msPerStep` to that of gyre in the same run: 2 is twice as slow. */
  ratio: number;
  /** Median of one sequence of 160 tokens to its logits. */
  inferenceMs: number;
  /** Largest share by which the losses of the first three steps differ from those of gyre. */
  lossDifference: number;
}

/** By how much of itself a loss may differ. Rounding makes 1e-6; another scale of attention or another beta of Adam more than 4e-5. */
const tolerance = 1e-5;

/**
 * Other ways of training from JavaScript, and PyTorch, beside gyre: the same model from the same weights on the same batch, one
 * after the other, each in a process of its own with one thread. gyre is the first row. What is not installed says so, and what
 * computes another loss gets no times. Throws 'infra' if gyre itself does not answer.
 */
export async function benchPeers(request: PeerRequest): Promise<PeerRow[]> {
  const ours = await runNodePeer('gyre', request);
  if (!('cost' in ours)) throw new GyreError('infra', `gyre could not be measured: ${JSON.stringify(ours)}`);
  const rows = [{ name: 'gyre', reply: ours as PeerReply }];
  for (const name of ['jax-js', 'tfjs'] satisfies NodePeer[])
    rows.push({ name, reply: await runNodePeer(name, request) });
  rows.push({ name: 'libtorch (python3-torch)', reply: await runTorch(request) });
  return rows.map(({ name, reply }) => ({ name, threads: 1, batch: request.batch, ...beside(ours.cost, reply) }));
}

/** What a peer took beside what gyre took, if both computed the same. */
export function beside(ours: PeerCost, reply: PeerReply): PeerResult | Exclude<PeerReply, { cost: PeerCost }> {
  if (!('cost' in reply)) return reply;
  const { version, msPerStep, inferenceMs, losses } = reply.cost;
  const lossDifference = Math.max(...ours.losses.map((loss, step) => Math.abs(losses[step]! - loss) / loss));
  // Written so that NaN is refused too.
  if (!(lossDifference <= tolerance)) return { failed: `computes other losses: ${losses.join(', ')}` };
  return { version, msPerStep, ratio: msPerStep / ours.msPerStep, inferenceMs, lossDifference };
}
