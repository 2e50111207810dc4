import type { Episode } from '@gyre/protocol';
import type { Decision } from '../rollouts/dataset.js';
import { sampledAnswers, type SampledDataOptions } from '../rollouts/sampledData.js';

/**
 * Reads the decisions that a served policy sampled, for `ServedPolicy` and `ServedCritic`. Leaves turns out as
 * `sampledData` does, and counts them.
 *
 * @throws GyreError `corrupt` for a screenshot that the lake lacks
 */
export async function servedDecisions(
  episode: Episode,
  { lake, pictureToken }: Pick<SampledDataOptions, 'lake' | 'pictureToken'>,
): Promise<{ readonly decisions: Decision[]; readonly strays: number; readonly unprompted: number }> {
  const { answers, ...counts } = await sampledAnswers(episode, { lake, pictureToken });
  const decisions = answers.map(({ prompt, tokens: action, logprobs, turn, policyVersion }): Decision => ({
    family: episode.task.family,
    turn: turn.index,
    policyVersion,
    datum: { screenshots: [], sequences: [{ tokens: [], prompt, action, logprobs }] },
  }));
  return { decisions, ...counts };
}
