import { vocabularyOf } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import type { GroupCounts } from './grpo.js';
import type { PolicyUpdate } from './update.js';
import { mean } from '../metrics/statistics.js';

/** What was played for an update. Means of nothing are NaN. */
export interface Played {
  episodes: number;
  /** Share of successes before the update, by family; NaN of a family that was not played. */
  success: Record<string, number>;
  /** Mean total reward of an episode. */
  reward: number;
  /** Mean number of turns of an episode. */
  turns: number;
  /** Mean number of sampled tokens of a turn, and those of them that are its thought. */
  responseTokens: number;
  thoughtTokens: number;
  /** Attempts that the infrastructure ended, and their share of all. */
  infraErrors: number;
  infraErrorRate: number;
}

/** The record of one iteration: what was played, what was learnt, and how long it took. */
export interface PpoIteration extends PolicyUpdate, Played {
  iteration: number;
  /** Environment steps so far, this iteration included. */
  environmentSteps: number;
  /** Tasks that were played in groups; undefined where they were not. */
  groups?: GroupCounts;
  /** Seconds spent in rollouts and in the update. */
  rolloutSeconds: number;
  updateSeconds: number;
  /** Shares of the time of the iteration, together 1. That of rollouts is divided by what their episodes waited for. */
  shares: { environment: number; inference: number; update: number; replay: number };
  learningRate: number;
  /** Mean losses of the supervised steps, and the seconds that they took. */
  replay?: { perceptionLoss: number; demonstrationLoss: number; seconds: number };
}

/** Iterations, and the turns that they took. */
export interface RlResult {
  turns: number;
  iterations: PpoIteration[];
}

/** @param episodes those with a verdict */
export function playedMetrics(episodes: readonly Episode[], families: readonly string[], infraErrors: number): Played {
  const samples = episodes.flatMap(({ turns }) => turns.flatMap(({ sample }) => (sample ? [sample.tokens] : [])));
  return {
    episodes: episodes.length,
    success: Object.fromEntries(
      families.map((family) => {
        const of = episodes.filter(({ task }) => task.family === family);
        return [family, mean(of.map(({ verdict }) => (verdict?.success ? 1 : 0)))];
      }),
    ),
    reward: mean(episodes.map(({ turns }) => turns.reduce((sum, { reward }) => sum + reward, 0))),
    turns: mean(episodes.map(({ turns }) => turns.length)),
    responseTokens: mean(samples.map((tokens) => tokens.length)),
    thoughtTokens: mean(samples.map(thoughtLength)),
    infraErrors,
    infraErrorRate: infraErrors / (episodes.length + infraErrors),
  };
}

/** Tokens of the thought that a decision of the native policy begins with, the marks around it not counted. */
function thoughtLength(tokens: readonly number[]): number {
  // These tokens are the same on screens of all sizes.
  const { think, end } = vocabularyOf({ width: 160, height: 160 });
  if (tokens[0] !== think) return 0;
  const closed = tokens.indexOf(end);
  return (closed < 0 ? tokens.length : closed) - 1;
}

/** See `PpoIteration.shares`. @param inference of the time of the rollouts, 0..1 */
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
