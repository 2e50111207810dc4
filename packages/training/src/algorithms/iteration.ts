import { vocabularyOf } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import type { GroupCounts } from './grpo.js';
import type { PolicyUpdate } from './update.js';
import { mean } from '../metrics/statistics.js';

/** NaN without episodes. */
export interface IterationRollouts {
  episodes: number;
  /** By family; NaN if not played. */
  success: Record<string, number>;
  /** Episodes by family. */
  played: Record<string, number>;
  reward: number;
  turns: number;
  /** Mean per turn, and per thought. */
  responseTokens: number;
  thoughtTokens: number;
  infraErrors: number;
  infraErrorRate: number;
}

export interface PpoIteration extends PolicyUpdate, IterationRollouts {
  iteration: number;
  /** Total so far, with those of continuations. */
  environmentSteps: number;
  groups?: GroupCounts;
  continuations?: ContinuationCounts;
  rolloutSeconds: number;
  updateSeconds: number;
  /** Fractions of the iteration's time; rollout time is split by what episodes waited for. */
  shares: { environment: number; inference: number; update: number; replay: number };
  learningRate: number;
  replay?: { perceptionLoss: number; demonstrationLoss: number; seconds: number };
}

/** Forks that VinePPO played to value states. */
export interface ContinuationCounts {
  episodes: number;
  /** Includes replayed ones. */
  steps: number;
  /** Steps that a fork repeats to reach its state. */
  replayed: number;
}

export interface RlResult {
  turns: number;
  iterations: PpoIteration[];
}

/** @param episodes with a verdict */
export function playedMetrics(
  episodes: readonly Episode[],
  families: readonly string[],
  infraErrors: number,
): IterationRollouts {
  const samples = episodes.flatMap(({ turns }) => turns.flatMap(({ sample }) => (sample ? [sample.tokens] : [])));
  return {
    episodes: episodes.length,
    success: Object.fromEntries(
      families.map((family) => {
        const played = episodes.filter(({ task }) => task.family === family);
        return [family, mean(played.map(({ verdict }) => (verdict?.success ? 1 : 0)))];
      }),
    ),
    played: Object.fromEntries(
      families.map((family) => [family, episodes.filter(({ task }) => task.family === family).length]),
    ),
    reward: mean(episodes.map(({ turns }) => turns.reduce((sum, { reward }) => sum + reward, 0))),
    turns: mean(episodes.map(({ turns }) => turns.length)),
    responseTokens: mean(samples.map((tokens) => tokens.length)),
    thoughtTokens: mean(samples.map(thoughtLength)),
    infraErrors,
    infraErrorRate: infraErrors / (episodes.length + infraErrors),
  };
}

export function continuationCounts(continuations: readonly Episode[]): ContinuationCounts {
  return {
    episodes: continuations.length,
    steps: turnCount(continuations),
    replayed: continuations.reduce((sum, { fork }) => sum + (fork?.turn ?? 0), 0),
  };
}

export function turnCount(episodes: readonly Episode[]): number {
  return episodes.reduce((sum, { turns }) => sum + turns.length, 0);
}

function thoughtLength(tokens: readonly number[]): number {
  // Equal for all screens.
  const { think, end } = vocabularyOf({ width: 160, height: 160 });
  if (tokens[0] !== think) return 0;
  const closed = tokens.indexOf(end);
  return (closed < 0 ? tokens.length : closed) - 1;
}

/** @param inference share of rollout time, 0..1 */
export function sharesOf(
  seconds: { rollout: number; update: number; replay: number },
  inference: number,
): PpoIteration['shares'] {
  const total = seconds.rollout + seconds.update + seconds.replay;
  return {
    environment: (seconds.rollout * (1 - inference)) / total,
    inference: (seconds.rollout * inference) / total,
    update: seconds.update / total,
    replay: seconds.replay / total,
  };
}
