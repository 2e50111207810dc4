import type { TrainingEngine } from '@gyre/engine';
import type { Rollout } from './targets.js';

/**
 * Returns the divergence from a reference policy in nats, `[rollout][turn]`: k1 estimates `log pi - log pi_reference`
 * (Schulman 2020, "Approximating KL divergence"), summed over a turn. Subtracted from the reward, k1 gives the true
 * gradient of the KL penalty; k1 or k3 in the loss does not (arXiv 2506.09477).
 */
export async function divergences(reference: TrainingEngine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { logprobs } = await reference.forward(
    rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)),
  );
  let next = 0;
  return rollouts.map(({ episode, decisions }) => {
    const byTurn = episode.turns.map(() => 0);
    for (const { turn, datum } of decisions) {
      const reference = logprobs[next++]?.[0] ?? [];
      const sampled = datum.sequences[0]?.logprobs ?? [];
      byTurn[turn] = sampled.reduce((sum, logprob, t) => sum + logprob - (reference[t] ?? logprob), 0);
    }
    return byTurn;
  });
}
