import { type Episode, isCopied, policySample } from '@gyre/protocol';
import { type Share, mean, wilson } from './statistics.js';

export interface Attempt {
  readonly success: boolean;
  readonly turns: number;
  /** Higher is better. */
  readonly worth: number | undefined;
}

export interface BestOf {
  n: number;
  tasks: number;
  /** Success rate of the best-scored attempts. Absent without scores. */
  chosen?: Share;
  /** Tasks with a successful attempt (pass@n). */
  any: Share;
  /** Success rate of a random choice. */
  mean: number;
  /** Mean per attempt. */
  turns: number;
}

/**
 * Computes best-of-n over each task's first `n` attempts.
 * @param tasks `[task][attempt]`, in an order independent of outcome; tasks with fewer than `n` are ignored
 */
export function bestOf(tasks: readonly (readonly Attempt[])[], n: number): BestOf {
  const whole = tasks.filter((attempts) => attempts.length >= n).map((attempts) => attempts.slice(0, n));
  const chosen = whole.map(best);
  const flat = whole.flat();
  const share = (successes: number) => wilson(successes, whole.length);
  return {
    n,
    tasks: whole.length,
    ...(chosen.every((attempt) => attempt !== undefined) && {
      chosen: share(chosen.filter((attempt) => attempt.success).length),
    }),
    any: share(whole.filter((attempts) => attempts.some(({ success }) => success)).length),
    mean: flat.length === 0 ? 0 : mean(flat.map(({ success }) => (success ? 1 : 0))),
    turns: flat.length === 0 ? 0 : mean(flat.map(({ turns }) => turns)),
  };
}

/** Returns the first of equals; undefined if none of several has a score. */
function best(attempts: readonly Attempt[]): Attempt | undefined {
  if (attempts.length === 1) return attempts[0];
  let best: Attempt | undefined;
  for (const attempt of attempts) {
    if (attempt.worth !== undefined && (best?.worth === undefined || attempt.worth > best.worth)) best = attempt;
  }
  return best;
}

/** Averages natural-log probabilities of sampled tokens. */
export function confidence(episode: Episode): number | undefined {
  const logprobs = episode.turns.flatMap((turn) =>
    isCopied(episode, turn) ? [] : (policySample(turn)?.logprobs ?? []),
  );
  return logprobs.length === 0 ? undefined : mean(logprobs);
}
