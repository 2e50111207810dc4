/** How often tasks of a family were tried and solved. */
export interface Tally {
  readonly n: number;
  readonly successes: number;
}

/** Least weight of a family, as a share of the most: what is solved always may be forgotten, what never is may begin to be. */
const floor = 0.1;

/**
 * How often each family is practised next, 1 on average: where the policy is weak but not hopeless. Proportional to `p (1 - p)`, the
 * variance of success, with `p = (successes + 1) / (n + 2)` (Laplace's rule): most at one half, little near 0 and 1. A family that
 * was not tried counts as one half.
 */
export function practiceWeights(
  families: readonly string[],
  tallies: Readonly<Record<string, Tally>>,
): Record<string, number> {
  const raw = families.map((family) => {
    const { n, successes } = tallies[family] ?? { n: 0, successes: 0 };
    const p = (successes + 1) / (n + 2);
    return Math.max(floor / 4, p * (1 - p));
  });
  const mean = raw.reduce((sum, weight) => sum + weight, 0) / raw.length;
  return Object.fromEntries(families.map((family, index) => [family, (raw[index] ?? 0) / mean]));
}
