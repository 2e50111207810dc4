import { GyreError } from '@gyre/protocol';

/** Weights that sum to 1, `[n]`, and how good they were found to be. */
export interface Tried {
  readonly weights: readonly number[];
  readonly score: number;
}

/**
 * The best of the weights that are multiples of `1 / parts`, none negative, and sum to 1. Of two weights all are tried. Of more, one weight
 * after the other is tried at all its values, while the others share the rest as they did; the best is kept, until a round through all of
 * them finds none that is better (coordinate descent: what it ends at is a best only among its neighbours). None is tried twice.
 *
 * @param n how many weights
 * @param score more is better; of equals, the first stays
 * @returns the best, and all that were tried, in their order
 * @throws GyreError 'bad_input' unless `n` is at least 2 and `parts` at least 1, both whole numbers.
 */
export async function bestOnSimplex(
  n: number,
  parts: number,
  score: (weights: readonly number[]) => Promise<number>,
): Promise<{ best: Tried; tried: Tried[] }> {
  if (!Number.isInteger(n) || n < 2 || !Number.isInteger(parts) || parts < 1) {
    throw new GyreError('bad_input', `${n} weights in steps of 1/${parts}`, {
      field: 'parts',
      fix: 'give two weights or more, and whole numbers of parts',
    });
  }
  const tried = new Map<string, Tried>();
  const attempt = async (counts: readonly number[]): Promise<Tried> => {
    const key = counts.join(' ');
    const known = tried.get(key);
    if (known) return known;
    const weights = counts.map((count) => count / parts);
    const made = { weights, score: await score(weights) };
    tried.set(key, made);
    return made;
  };
  let best = n === 2 ? [0, parts] : share(parts, new Array<number>(n).fill(1));
  let top = (await attempt(best)).score;
  for (let better = true; better;) {
    better = false;
    for (let axis = 0; axis < n; axis++) {
      const others = best.map((count, i) => (i === axis ? 0 : count));
      // Where one weight had all, the others have had nothing to share by.
      const by = others.some((count) => count > 0) ? others : best.map((_, i) => (i === axis ? 0 : 1));
      for (let count = 0; count <= parts; count++) {
        const counts = share(parts - count, by);
        counts[axis] = count;
        const { score: found } = await attempt(counts);
        if (found > top) [best, top, better] = [counts, found, true];
      }
    }
  }
  return { best: await attempt(best), tried: [...tried.values()] };
}

/** So many whole parts in proportion to `by`; what is left over goes to the largest remainders, of equals to the first. */
function share(parts: number, by: readonly number[]): number[] {
  const total = by.reduce((sum, one) => sum + one, 0);
  const exact = by.map((one) => (parts * one) / total);
  const counts = exact.map(Math.floor);
  const left = parts - counts.reduce((sum, count) => sum + count, 0);
  const order = exact.map((value, i) => ({ i, rest: value - Math.floor(value) })).sort((a, b) => b.rest - a.rest);
  for (const { i } of order.slice(0, left)) counts[i]!++;
  return counts;
}
