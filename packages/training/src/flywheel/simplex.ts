import { GyreError } from '@gyre/protocol';

export interface ScoredWeights {
  readonly weights: readonly number[];
  readonly score: number;
}

/**
 * Searches multiples of `1 / parts` that sum to 1: two exhaustively, more by coordinate descent. No point is scored
 * twice.
 * @param score higher is better; the first of equals wins
 */
export async function bestOnSimplex(
  n: number,
  parts: number,
  score: (weights: readonly number[]) => Promise<number>,
): Promise<{ best: ScoredWeights; tried: ScoredWeights[] }> {
  if (!Number.isInteger(n) || n < 2 || !Number.isInteger(parts) || parts < 1) {
    throw new GyreError('bad_input', `cannot search ${n} weights in steps of 1/${parts}`, {
      field: 'parts',
      fix: 'give at least two weights, and a whole number of parts',
    });
  }
  const tried = new Map<string, ScoredWeights>();
  const attempt = async (counts: readonly number[]): Promise<ScoredWeights> => {
    const key = counts.join(' ');
    const known = tried.get(key);
    if (known) return known;
    const weights = counts.map((count) => count / parts);
    const trial = { weights, score: await score(weights) };
    tried.set(key, trial);
    return trial;
  };
  let best = n === 2 ? [0, parts] : share(parts, new Array<number>(n).fill(1));
  let top = (await attempt(best)).score;
  for (let better = true; better;) {
    better = false;
    for (let axis = 0; axis < n; axis++) {
      const others = best.map((count, i) => (i === axis ? 0 : count));
      const by = others.some((count) => count > 0) ? others : best.map((_, i) => (i === axis ? 0 : 1));
      for (let count = 0; count <= parts; count++) {
        const counts = share(parts - count, by);
        counts[axis] = count;
        const { score: attempted } = await attempt(counts);
        if (attempted > top) [best, top, better] = [counts, attempted, true];
      }
    }
  }
  return { best: await attempt(best), tried: [...tried.values()] };
}

/** Divides whole parts in proportion to `by`, by largest remainders. */
function share(parts: number, by: readonly number[]): number[] {
  const total = by.reduce((sum, one) => sum + one, 0);
  const exact = by.map((one) => (parts * one) / total);
  const counts = exact.map(Math.floor);
  const remaining = parts - counts.reduce((sum, count) => sum + count, 0);
  const order = exact.map((value, i) => ({ i, rest: value - Math.floor(value) })).sort((a, b) => b.rest - a.rest);
  for (const { i } of order.slice(0, remaining)) counts[i]!++;
  return counts;
}
