import { Random } from '@gyre/engine';
import type { Episode, Task, Verdict } from '@gyre/protocol';
import { bootstrapMeanOfMeans, wilson } from './statistics.js';

/** Success on a set of episodes with its 95 % Wilson interval, and the mean score. Infrastructure errors do not count in `n`. */
export interface Result {
  family: string;
  n: number;
  success: number;
  low: number;
  high: number;
  score: number;
  infraErrors: number;
}

export function resultOf(family: string, episodes: readonly Episode[]): Result {
  const of = episodes.filter(({ task }) => task.family === family);
  const judged = of.filter(({ verdict }) => verdict !== undefined);
  const successes = judged.filter(({ verdict }) => verdict?.success).length;
  const scores = judged.reduce((total, { verdict }) => total + (verdict?.score ?? 0), 0);
  return {
    family,
    n: judged.length,
    ...wilson(successes, judged.length),
    score: judged.length ? scores / judged.length : 0,
    infraErrors: of.filter(({ end }) => end.state === 'infra_error').length,
  };
}

/** What of an episode decides a gain. */
export interface Judged {
  readonly task: Pick<Task, 'id' | 'family'>;
  readonly verdict?: Pick<Verdict, 'success'> | undefined;
}

/** A difference of two shares of successes, -1..1, with its 95 % interval. */
export interface Gain {
  mean: number;
  low: number;
  high: number;
}

/**
 * How much better the second policy did, over the tasks of a family for which both have a verdict; of several families, the mean of
 * theirs. Being paired by task, what makes one task harder than another cancels out. The interval is a percentile bootstrap over tasks;
 * -1..1 where there are none.
 */
export function gainOf(
  family: string | readonly string[],
  before: readonly Judged[],
  after: readonly Judged[],
  seed: number,
): Gain {
  const families = typeof family === 'string' ? [family] : family;
  const groups = families.map((name) => differences(name, before, after)).filter(({ length }) => length > 0);
  if (groups.length === 0) return { mean: 0, low: -1, high: 1 };
  const random = new Random(seed).fork(`gain ${families.join(', ')}`);
  return bootstrapMeanOfMeans(groups, () => random.next());
}

/** Of each task of a family for which both have a verdict: 1 where only the second solved it, -1 where only the first. */
function differences(family: string, before: readonly Judged[], after: readonly Judged[]): number[] {
  const successes = (episodes: readonly Judged[]): Map<string, number> =>
    new Map(
      episodes.flatMap(({ task, verdict }) =>
        task.family === family && verdict ? [[task.id, verdict.success ? 1 : 0]] : [],
      ),
    );
  const first = successes(before);
  return [...successes(after)].flatMap(([id, solved]) => {
    const was = first.get(id);
    return was === undefined ? [] : [solved - was];
  });
}
