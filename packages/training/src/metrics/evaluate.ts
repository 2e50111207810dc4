import { Random } from '@gyre/engine';
import type { Task, Verdict } from '@gyre/protocol';
import { bootstrapMeanOfMeans, wilson } from './statistics.js';

/** An attempt at a task. Without a verdict the task was given up, which counts as a failure. */
export interface JudgedAttempt {
  readonly task: Pick<Task, 'id' | 'family'>;
  readonly verdict?: Pick<Verdict, 'success'> | undefined;
}

/** Success on a set of attempts with its 95 % Wilson interval, and the mean score. */
export interface Result {
  family: string;
  /** Attempts, those that were given up included. */
  n: number;
  success: number;
  low: number;
  high: number;
  score: number;
  /** Attempts of which no episode came to a verdict. They count as failures. */
  givenUp: number;
  /** Faults of the infrastructure, those included after which a task was played all the same. */
  infraErrors: number;
}

/** Counts the attempts at the tasks of a family. */
export function resultOf(
  family: string,
  attempts: readonly (JudgedAttempt & { readonly verdict?: Pick<Verdict, 'success' | 'score'> | undefined })[],
  infraErrors = 0,
): Result {
  const of = attempts.filter(({ task }) => task.family === family);
  const scores = of.reduce((total, { verdict }) => total + (verdict?.score ?? 0), 0);
  return {
    family,
    n: of.length,
    ...wilson(of.filter(({ verdict }) => verdict?.success).length, of.length),
    score: of.length ? scores / of.length : 0,
    givenUp: of.filter(({ verdict }) => verdict === undefined).length,
    infraErrors,
  };
}

/** A difference of two shares of successes, -1..1, with its 95 % interval. */
export interface Gain {
  mean: number;
  low: number;
  high: number;
}

/**
 * Returns how much better the second policy did, over the tasks of a family that both played; for several families, the mean of
 * theirs. Being paired by task, what makes one task harder than another cancels out. The interval is a percentile bootstrap over tasks;
 * -1..1 where there are none.
 */
export function gainOf(
  family: string | readonly string[],
  before: readonly JudgedAttempt[],
  after: readonly JudgedAttempt[],
  seed: number,
): Gain {
  const families = typeof family === 'string' ? [family] : family;
  const groups = families.map((name) => differences(name, before, after)).filter(({ length }) => length > 0);
  if (groups.length === 0) return { mean: 0, low: -1, high: 1 };
  const random = new Random(seed).fork(`gain ${families.join(', ')}`);
  return bootstrapMeanOfMeans(groups, () => random.next());
}

/** Of each task of a family that both played: 1 where only the second solved it, -1 where only the first. */
function differences(family: string, before: readonly JudgedAttempt[], after: readonly JudgedAttempt[]): number[] {
  const successes = (episodes: readonly JudgedAttempt[]): Map<string, number> =>
    new Map(
      episodes.flatMap(({ task, verdict }) => (task.family === family ? [[task.id, verdict?.success ? 1 : 0]] : [])),
    );
  const first = successes(before);
  return [...successes(after)].flatMap(([id, solved]) => {
    const was = first.get(id);
    return was === undefined ? [] : [solved - was];
  });
}
