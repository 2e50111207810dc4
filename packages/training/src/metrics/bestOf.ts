import { type Episode, isCopied } from '@gyre/protocol';
import { type Share, mean, wilson } from './statistics.js';

export interface Attempt {
  readonly success: boolean;
  readonly turns: number;
  /** Score by a judge, higher is better; undefined where it has none. */
  readonly worth: number | undefined;
}

/** Results of best-of-n, with 95 % Wilson intervals over tasks. */
export interface BestOf {
  n: number;
  /** Tasks with n finished attempts. */
  tasks: number;
  /** Share of tasks whose best-scored attempt succeeded. Absent without scores. */
  chosen?: Share;
  /** Share of tasks with a successful attempt (pass@n). */
  any: Share;
  /** Mean share of successful attempts (random choice). */
  mean: number;
  /** Mean turns of an attempt. */
  turns: number;
}

/**
 * Computes best-of-n over the first `n` attempts at each task.
 *
 * @param tasks attempts `[task][attempt]`, in an order independent of their outcome; tasks with fewer than `n` are left
 * out
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
      chosen: share(chosen.filter((attempt) => attempt?.success).length),
    }),
    any: share(whole.filter((attempts) => attempts.some(({ success }) => success)).length),
    mean: flat.length === 0 ? 0 : mean(flat.map(({ success }) => (success ? 1 : 0))),
    turns: flat.length === 0 ? 0 : mean(flat.map(({ turns }) => turns)),
  };
}

/** Returns the best-scored attempt, of equals the first; undefined if none of several has a score. */
function best(attempts: readonly Attempt[]): Attempt | undefined {
  if (attempts.length === 1) return attempts[0];
  let found: Attempt | undefined;
  for (const attempt of attempts) {
    if (attempt.worth !== undefined && (found?.worth === undefined || attempt.worth > found.worth)) found = attempt;
  }
  return found;
}

/**
 * Returns a policy's confidence in an episode: the mean natural-log probability of its sampled tokens, if these are
 * known.
 */
export function confidence(episode: Episode): number | undefined {
  const logprobs = episode.turns.flatMap((turn) => (isCopied(episode, turn) ? [] : (turn.sample?.logprobs ?? [])));
  return logprobs.length === 0 ? undefined : mean(logprobs);
}
