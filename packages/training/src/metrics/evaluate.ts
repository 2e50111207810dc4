import { Random } from '@gyre/engine';
import type { Task, Verdict } from '@gyre/protocol';
import { type Share, bootstrapMeanOfMeans, mean, wilsonOfMean } from './statistics.js';

/** Without a verdict, an attempt counts as a failure. */
export interface JudgedAttempt {
  readonly task: Pick<Task, 'id' | 'family'>;
  readonly verdict?: Pick<Verdict, 'success'> | undefined;
}

/** With a 95 % Wilson interval over tasks: attempts at one task are not independent. */
export interface Result {
  family: string;
  /** Attempts, abandoned ones included. */
  n: number;
  success: number;
  low: number;
  high: number;
  score: number;
  givenUp: number;
  /** Includes retried ones. */
  infraErrors: number;
}

export function resultOf(
  family: string,
  attempts: readonly (JudgedAttempt & { readonly verdict?: Pick<Verdict, 'success' | 'score'> | undefined })[],
  infraErrors = 0,
): Result {
  const played = attempts.filter(({ task }) => task.family === family);
  const scores = played.reduce((total, { verdict }) => total + (verdict?.score ?? 0), 0);
  return {
    family,
    n: played.length,
    ...successOf(played),
    score: played.length ? scores / played.length : 0,
    givenUp: played.filter(({ verdict }) => verdict === undefined).length,
    infraErrors,
  };
}

function successOf(played: readonly JudgedAttempt[]): Share {
  const tasks = new Map<string, { n: number; c: number }>();
  for (const { task, verdict } of played) {
    const { n, c } = tasks.get(task.id) ?? { n: 0, c: 0 };
    tasks.set(task.id, { n: n + 1, c: c + (verdict?.success ? 1 : 0) });
  }
  const rates = [...tasks.values()].map(({ n, c }) => c / n);
  return wilsonOfMean(rates.length === 0 ? 0 : mean(rates), rates.length);
}

export interface Gain {
  mean: number;
  low: number;
  high: number;
}

/**
 * Returns the second policy's gain over the first, paired by task and averaged over families. The interval is a
 * percentile bootstrap over tasks.
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
