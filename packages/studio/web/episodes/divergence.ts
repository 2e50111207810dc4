import type { Episode } from '@gyre/protocol';

export interface Divergence {
  /** Index of the turn. */
  readonly turn: number;
  /** The screen before the turn, or its actions on the same screen. */
  readonly kind: 'screen' | 'action';
}

type Compared = Pick<Episode, 'observation' | 'turns'>;

/** Returns where two episodes differ first; undefined if one turn after the other is the same. */
export function firstDivergence(a: Compared, b: Compared): Divergence | undefined {
  const screens = [a, b].map(({ observation, turns }) => [observation, ...turns.map((turn) => turn.observation)]);
  const [first = [], second = []] = screens;
  for (let turn = 0; turn < Math.max(first.length, second.length); turn++) {
    if (first[turn]?.screenshot !== second[turn]?.screenshot) return { turn, kind: 'screen' };
    const [before, after] = [a, b].map(({ turns }) => JSON.stringify(turns[turn]?.actions));
    if (before !== after) return { turn, kind: 'action' };
  }
  return undefined;
}
