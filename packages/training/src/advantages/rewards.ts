import type { ResultKind } from '@gyre/protocol';
import type { Rollout } from './targets.js';

const broken: ReadonlySet<ResultKind> = new Set(['refused', 'malformed', 'fault']);

export interface Shaping {
  /** Bonus for a turn whose actions were all carried out. */
  readonly format: number;
  readonly length: number;
}

/** Shapes a rollout's rewards. `score`, an outcome reward model's success probability, replaces rewards and verdict. */
export function shapeRewards({ episode, decisions }: Rollout, { format, length }: Shaping, score?: number): Rollout {
  const last = episode.turns.length - 1;
  const turns = episode.turns.map((turn, index) => {
    const reward = score === undefined ? turn.reward : index === last ? score : 0;
    const isTurn = turn.actions.length > 0 && !turn.observation.results?.some(({ kind }) => broken.has(kind));
    const shaped = (isTurn ? format : 0) - length * (turn.sample?.tokens.length ?? 0);
    return { ...turn, reward: reward + shaped };
  });
  const judged = score !== undefined && {
    verdict: { success: score >= 0.5, score, source: 'orm' as const, evidence: {} },
  };
  return { episode: { ...episode, turns, ...judged }, decisions };
}
