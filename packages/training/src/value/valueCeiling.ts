import { type Job, type Policy, forkOf } from '@gyre/agent';
import type { Random } from '@gyre/engine';
import { type Episode, GyreError } from '@gyre/protocol';
import { familyOf } from '@gyre/tasks';
import { returns } from '../advantages/advantage.js';
import type { StageOptions } from '../flywheel/stages.js';
import { correlation } from '../metrics/statistics.js';
import type { Workspace } from '../flywheel/workspace.js';

/** Upper bound of a critic's explained variance, with its 95 % interval. */
export interface ValueCeiling {
  explainedVariance: number;
  low: number;
  high: number;
  pairs: number;
}

/**
 * Returns the explained variance of a critic that knows all that the policy has seen: the intraclass correlation of two
 * continuations of the same turns (Fisher 1925, section 38; interval by his z).
 * @param returned pairs of returns from the same turn; NaN if all are equal
 * @throws GyreError 'bad_input' for fewer than four pairs
 */
export function ceilingOf(returned: readonly (readonly [number, number])[]): ValueCeiling {
  const pairs = returned.length;
  if (pairs < 4)
    throw new GyreError('bad_input', `got ${pairs} pairs of returns`, { field: 'pairs', fix: 'give at least four' });
  const share = correlation(
    returned.flatMap(([a, b]) => [a, b]),
    returned.flatMap(([a, b]) => [b, a]),
  );
  // The standard deviation of z for pairs counted both ways is 1 / sqrt(n - 3/2).
  const reach = 1.96 / Math.sqrt(pairs - 1.5);
  const z = Math.atanh(Math.min(1 - 1e-12, share));
  return { explainedVariance: share, low: Math.tanh(z - reach), high: Math.tanh(z + reach), pairs };
}

/**
 * Continues once more from turns drawn uniformly. The interval treats turns as independent, which is too narrow where
 * many share an episode.
 */
export async function valueCeiling(
  workspace: Workspace,
  policy: Policy,
  episodes: readonly Episode[],
  { pairs, gamma, random, ...options }: StageOptions & { pairs: number; gamma: number; random: Random },
): Promise<ValueCeiling> {
  const turns = episodes.flatMap((episode) => episode.turns.map((_, turn) => ({ episode, turn })));
  const drawn = random.shuffle(turns).slice(0, pairs);
  const jobs = drawn.map(({ episode, turn }): Job => {
    const { task } = episode;
    const instance = familyOf(task.family).create(task.split, task.seed, task.screen);
    const seed = random.int(2 ** 31);
    const open: Job['open'] = (machines) => workspace.open({ ...instance, task }, machines, 'value');
    return { task, open, purpose: 'value', seed, ...forkOf(episode, turn, policy) };
  });
  const before = new Map(episodes.map((episode) => [episode.id, episode]));
  const { episodes: again } = await workspace.play(policy, jobs, options);
  return ceilingOf(
    again.map((second): [number, number] => {
      const { fork } = second;
      const first = before.get(fork?.episode ?? '');
      if (!fork || !first) throw new Error(`episode ${second.id} is not a fork of a sampled episode`);
      return [returnFrom(first, fork.turn, gamma), returnFrom(second, fork.turn, gamma)];
    }),
  );
}

function returnFrom({ turns }: Episode, turn: number, gamma: number): number {
  const rewards = turns.map(({ reward }) => reward);
  return returns(rewards, gamma)[turn] ?? 0;
}
