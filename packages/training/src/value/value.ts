import { type TrainingEngine, type Random } from '@gyre/engine';
import { returns } from '../advantages/advantage.js';
import { minibatches } from '../algorithms/slices.js';
import { criticValues } from '../algorithms/ppo.js';
import { type Rollout, decisionRewards } from '../advantages/targets.js';
import { isAssisted } from '@gyre/protocol';
import { explainedVariance } from '../metrics/statistics.js';

export interface ValuePretrainingOptions {
  learningRate: number;
  minibatch: number;
  maxEpochs: number;
  /** Epochs without improvement. */
  patience: number;
  heldOut: number;
  gamma: number;
  freezeEncoder: boolean;
  signal?: AbortSignal;
  onEpoch?: (epoch: ValueEpoch) => void;
}

export interface ValueEpoch {
  epoch: number;
  loss: number;
  heldOutExplainedVariance: number;
}

/**
 * Pretrains the critic on Monte-Carlo returns of a fixed policy (VC-PPO, arXiv 2503.01491) until held-out explained
 * variance stops growing; restores the best epoch.
 */
export async function pretrainValue(
  critic: TrainingEngine,
  rollouts: readonly Rollout[],
  options: ValuePretrainingOptions,
  best: { save: () => Promise<void>; restore: () => Promise<void> },
  random: Random,
): Promise<ValueEpoch[]> {
  const shuffled = random.shuffle(rollouts.filter(({ episode }) => !isAssisted(episode)));
  const split = Math.max(1, Math.round(shuffled.length * options.heldOut));
  const heldOutRollouts = shuffled.slice(0, split);
  const learnt = shuffled.slice(split).flatMap((rollout) => withReturns(rollout, options.gamma));
  const truth = heldOutRollouts
    .flatMap((rollout) => withReturns(rollout, options.gamma))
    .map(({ sequence }) => sequence.return);
  const epochs: ValueEpoch[] = [];
  let top = -Infinity;
  let since = 0;
  for (let epoch = 1; epoch <= options.maxEpochs && since < options.patience; epoch++) {
    const order = random.shuffle([...learnt]);
    let loss = 0;
    for (const batch of minibatches(order, options.minibatch)) {
      if (options.signal?.aborted) break;
      const result = await critic.forwardBackward({
        data: batch.map(({ screenshots, sequence }) => ({ screenshots, sequences: [sequence] })),
        loss: { name: 'ppo_critic', valueClip: 1e9 },
        freezeEncoder: options.freezeEncoder,
      });
      await critic.optimStep({ learningRate: options.learningRate, part: options.freezeEncoder ? 'decoder' : 'all' });
      loss += (result.loss * batch.length) / order.length;
    }
    if (options.signal?.aborted) break;
    const values = (await criticValues(critic, heldOutRollouts)).flat();
    const report = { epoch, loss, heldOutExplainedVariance: explainedVariance(values, truth) };
    epochs.push(report);
    options.onEpoch?.(report);
    since++;
    // NaN if all held-out returns are equal.
    if (epochs.length === 1 || Number.isNaN(top) || report.heldOutExplainedVariance > top) {
      top = report.heldOutExplainedVariance;
      since = 0;
      await best.save();
    }
  }
  if (epochs.length > 0) await best.restore();
  return epochs;
}

function withReturns(rollout: Rollout, gamma: number) {
  const discounted = returns(decisionRewards(rollout), gamma);
  return rollout.decisions.flatMap(({ datum }, i) => {
    const [sequence] = datum.sequences;
    return sequence ? [{ screenshots: datum.screenshots, sequence: { ...sequence, return: discounted[i] ?? 0 } }] : [];
  });
}
