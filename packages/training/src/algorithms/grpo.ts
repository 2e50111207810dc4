import type { Episode } from '@gyre/protocol';
import { groupAdvantages } from '../advantages/advantage.js';
import type { Estimate, ScoredRollout } from '../advantages/targets.js';

export interface GroupCounts {
  tasks: number;
  allSucceeded: number;
  allFailed: number;
}

/** See `groupAdvantages`. */
export interface GrpoTerms {
  readonly normalise: boolean;
  readonly leaveOneOut: boolean;
}

export function groupsOf(episodes: readonly Episode[]): Episode[][] {
  const groups = new Map<string, Episode[]>();
  for (const episode of episodes) {
    const group = groups.get(episode.task.id);
    if (group) group.push(episode);
    else groups.set(episode.task.id, [episode]);
  }
  return [...groups.values()];
}

/**
 * Returns whether attempts differ in success. Other groups teach nothing (dynamic filtering, DAPO, arXiv 2503.14476).
 */
export function hasContrast(attempts: readonly Episode[]): boolean {
  const successes = successesOf(attempts);
  return successes > 0 && successes < attempts.length;
}

export function groupCounts(groups: readonly (readonly Episode[])[]): GroupCounts {
  return {
    tasks: groups.length,
    allSucceeded: groups.filter((group) => successesOf(group) === group.length).length,
    allFailed: groups.filter((group) => successesOf(group) === 0).length,
  };
}

/** Estimates one advantage per episode from its undiscounted total reward (GRPO, arXiv 2402.03300). */
export function grpoEstimates(scored: readonly ScoredRollout[], terms: GrpoTerms): Estimate[] {
  const indexOf = new Map(scored.map(({ rollout }, index) => [rollout.episode, index]));
  const advantageOf = scored.map(() => 0);
  for (const group of groupsOf(scored.map(({ rollout }) => rollout.episode))) {
    const indexes = group.map((episode) => indexOf.get(episode) ?? 0);
    const advantages = groupAdvantages(
      indexes.map((index) => scored[index]?.total ?? 0),
      terms,
    );
    for (const [i, index] of indexes.entries()) advantageOf[index] = advantages[i] ?? 0;
  }
  return scored.map((episode, index) => ({
    scored: episode,
    advantages: new Float32Array(episode.rewards.length).fill(advantageOf[index] ?? 0),
    values: new Float64Array(episode.rewards.length),
    valueTargets: episode.returns,
  }));
}

const successesOf = (attempts: readonly Episode[]): number => attempts.filter(({ verdict }) => verdict?.success).length;
