import { type Episode, isCopied } from '@gyre/protocol';
import { type Share, mean, wilson } from './statistics.js';

/** One of several attempts at a task. */
export interface Attempt {
  readonly success: boolean;
  readonly turns: number;
  /** How good a judge thinks it is, more is better; undefined where it cannot say. */
  readonly worth: number | undefined;
}

/** What comes of `n` attempts a task. The intervals are Wilson's at 95 %, over tasks: attempts at one task are not independent. */
export interface BestOf {
  n: number;
  /** Tasks at which so many attempts came to an end. */
  tasks: number;
  /** The share of tasks whose chosen attempt succeeded: the one that the judge finds best. Absent where the judge could not say. */
  chosen?: Share;
  /** The share of tasks of which any attempt succeeded, so pass@n: what the best of judges would choose. */
  any: Share;
  /** The mean share of attempts that succeeded: what choosing blindly gives. */
  mean: number;
  /** Mean turns of an attempt. */
  turns: number;
}

/**
 * The first `n` attempts at each task, and what comes of choosing one of them.
 *
 * @param tasks attempts, `[task][attempt]`, in an order that knows nothing of how they ended. A task with fewer than `n` is left out.
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

/** The one that is worth most, of equals the first; undefined where the judge could say nothing of any. One alone needs no judge. */
function best(attempts: readonly Attempt[]): Attempt | undefined {
  if (attempts.length === 1) return attempts[0];
  let found: Attempt | undefined;
  for (const attempt of attempts) {
    if (attempt.worth !== undefined && (found?.worth === undefined || attempt.worth > found.worth)) found = attempt;
  }
  return found;
}

/**
 * A policy's own confidence in an episode: the mean natural-log probability of the tokens that it sampled. Undefined where it sampled
 * none, or its server tells no probabilities.
 */
export function confidence(episode: Episode): number | undefined {
  const logprobs = episode.turns.flatMap((turn) => (isCopied(episode, turn) ? [] : (turn.sample?.logprobs ?? [])));
  return logprobs.length === 0 ? undefined : mean(logprobs);
}
