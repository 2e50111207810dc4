import { GyreError } from '@gyre/protocol';
import type { NodePeer } from './peerProgram.js';
import { runNodePeer } from './peerProcess.js';
import { runTorch } from './torch.js';
import type { PeerCost, PeerReply, PeerRequest } from './trainer.js';

export type PeerRow = { name: string; threads: number; batch: number } & (
  PeerResult | { missing: string } | { failed: string }
);

export interface PeerResult {
  version: string;
  /** Forward, backward and Adam. */
  msPerStep: number;
  /** Time relative to gyre's. */
  ratio: number;
  /** 160 tokens to logits. */
  inferenceMs: number;
  /** From gyre's, relative, in the first three steps. */
  lossDifference: number;
}

/** Rounding gives 1e-6; another attention scale or Adam beta over 4e-5. */
const tolerance = 1e-5;

/**
 * Compares gyre, in the first row, with other libraries: same model, weights and batch, one thread. Differing losses
 * get no times. Throws `infra` if gyre itself fails.
 */
export async function benchPeers(request: PeerRequest): Promise<PeerRow[]> {
  const ours = await runNodePeer('gyre', request);
  if (!('cost' in ours))
    throw new GyreError('infra', `cannot measure gyre: ${JSON.stringify(ours)}`, { part: 'machine' });
  const rows = [{ name: 'gyre', reply: ours as PeerReply }];
  for (const name of ['jax-js', 'tfjs'] satisfies NodePeer[])
    rows.push({ name, reply: await runNodePeer(name, request) });
  rows.push({ name: 'libtorch (python3-torch)', reply: await runTorch(request) });
  return rows.map(({ name, reply }) => ({ name, threads: 1, batch: request.batch, ...compareCosts(ours.cost, reply) }));
}

export function compareCosts(ours: PeerCost, reply: PeerReply): PeerResult | Exclude<PeerReply, { cost: PeerCost }> {
  if (!('cost' in reply)) return reply;
  const { version, msPerStep, inferenceMs, losses } = reply.cost;
  const lossDifference = Math.max(...ours.losses.map((loss, step) => Math.abs(losses[step]! - loss) / loss));
  // Negated to refuse NaN.
  if (!(lossDifference <= tolerance)) return { failed: `its losses differ: ${losses.join(', ')}` };
  return { version, msPerStep, ratio: msPerStep / ours.msPerStep, inferenceMs, lossDifference };
}
