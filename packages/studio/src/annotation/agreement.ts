import type { Episode, Review } from '@gyre/protocol';

/** Pairs of judgements: [first, second]. */
type Pairs = readonly (readonly [boolean, boolean])[];

/** Returns Cohen's kappa (1960) of two judges; undefined without pairs, or if chance alone explains everything. */
export function kappa(pairs: Pairs): number | undefined {
  const n = pairs.length;
  if (n === 0) return undefined;
  const share = (test: (pair: readonly [boolean, boolean]) => boolean) => pairs.filter(test).length / n;
  const [first, second] = [share(([a]) => a), share(([, b]) => b)];
  const expected = first * second + (1 - first) * (1 - second);
  return expected === 1 ? undefined : (share(([a, b]) => a === b) - expected) / (1 - expected);
}

/** Returns the F1 of predictions against people: [prediction, person]; undefined if there is no success. */
export function f1(pairs: Pairs): number | undefined {
  const hits = pairs.filter(([predicted, actual]) => predicted && actual).length;
  const errors = pairs.filter(([predicted, actual]) => predicted !== actual).length;
  return hits + errors === 0 ? undefined : (2 * hits) / (2 * hits + errors);
}

export interface JudgeQuality {
  /** `verifier`, `judge` or `orm`. */
  readonly source: string;
  readonly episodes: number;
  readonly f1: number | undefined;
}

export interface Agreement {
  readonly reviews: number;
  /** Episodes that two or more people reviewed. */
  readonly pairs: number;
  readonly kappa: number | undefined;
  /** On which reviewers disagree. */
  readonly disputed: readonly string[];
  readonly judges: readonly JudgeQuality[];
}

/** Compares reviewers with each other, and verdicts with reviewers. The last review of a person counts. */
export function agreementOf(
  reviews: readonly Review[],
  verdicts: ReadonlyMap<string, Pick<NonNullable<Episode['verdict']>, 'success' | 'source'>>,
): Agreement {
  const latest = new Map<string, Map<string, boolean>>();
  for (const { episode, by, success } of reviews) {
    latest.set(episode, (latest.get(episode) ?? new Map<string, boolean>()).set(by, success));
  }
  const doubly: (readonly [boolean, boolean])[] = [];
  const disputed: string[] = [];
  const judged = new Map<string, (readonly [boolean, boolean])[]>();
  for (const [episode, byPerson] of latest) {
    const [first, second] = [...byPerson].sort(([a], [b]) => a.localeCompare(b)).map(([, success]) => success);
    if (second !== undefined) doubly.push([first!, second]);
    if (new Set(byPerson.values()).size > 1) disputed.push(episode);
    const verdict = verdicts.get(episode);
    if (!verdict || verdict.source === 'human' || new Set(byPerson.values()).size > 1) continue;
    judged.set(verdict.source, [...(judged.get(verdict.source) ?? []), [verdict.success, first!]]);
  }
  return {
    reviews: reviews.length,
    pairs: doubly.length,
    kappa: kappa(doubly),
    disputed,
    judges: [...judged].map(([source, pairs]) => ({ source, episodes: pairs.length, f1: f1(pairs) })),
  };
}
