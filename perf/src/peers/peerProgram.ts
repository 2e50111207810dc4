import { GyreError } from '@gyre/protocol';
import { median } from '../median.js';
import { gyreTrainer } from './gyreTrainer.js';
import { jaxTrainer } from './jaxTrainer.js';
import { tfjsTrainer } from './tfjsTrainer.js';
import type { PeerCost, PeerReply, PeerRequest } from './trainer.js';

const trainers = { gyre: gyreTrainer, 'jax-js': jaxTrainer, tfjs: tfjsTrainer };
export type NodePeer = keyof typeof trainers;

/** Runs in a process free to print and crash. */
async function answer(): Promise<PeerReply> {
  try {
    const [, , peer, request] = process.argv;
    return { cost: await measure(peer as NodePeer, JSON.parse(request!) as PeerRequest) };
  } catch (error) {
    if (error instanceof GyreError && error.code === 'missing') return { missing: error.detail.fix! };
    return { failed: (error as Error).message };
  }
}

async function measure(peer: NodePeer, request: PeerRequest): Promise<PeerCost> {
  const trainer = await trainers[peer](request);
  const losses: number[] = [];
  const step = async () => losses.push(await trainer.step());
  const msPerStep = await median(step, request.ms);
  const inferenceMs = await median(() => trainer.infer(), request.ms);
  return { version: trainer.version, msPerStep, inferenceMs, losses: losses.slice(0, 3) };
}

process.stdout.write(`\n${JSON.stringify(await answer())}\n`);
