import type { ResultKind } from '@gyre/protocol';
import type { Rollout } from './targets.js';

const broken: ReadonlySet<ResultKind> = new Set(['refused', 'malformed', 'fault']);

/** What is added to the rewards of a turn, beside those of the task. */
export interface Shaping {
  /** For a turn that was one: with an action that could be carried out. */
  readonly format: number;
  /** Taken away for each token that was sampled. */
  readonly length: number;
}

/**
 * A rollout with the rewards that it is learnt from. What the task gave turn by turn counts, or instead of it `score` at the last turn: how
 * probable an outcome reward model finds that it was done, which is then the verdict too.
 */
export function rewarded({ episode, decisions }: Rollout, { format, length }: Shaping, score?: number): Rollout {
  const last = episode.turns.length - 1;
  const turns = episode.turns.map((turn, index) => {
    const given = score === undefined ? turn.reward : index === last ? score : 0;
    const isTurn = turn.actions.length > 0 && !turn.observation.results?.some(({ kind }) => broken.has(kind));
    const shaped = (isTurn ? format : 0) - length * (turn.sample?.tokens.length ?? 0);
    return { ...turn, reward: given + shaped };
  });
  const judged = score !== undefined && {
    verdict: { success: score >= 0.5, score, source: 'orm' as const, evidence: {} },
  };
  return { episode: { ...episode, turns, ...judged }, decisions };
}
