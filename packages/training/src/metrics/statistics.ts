import { GyreError } from '@gyre/protocol';

type Numbers = ArrayLike<number>;

/** NaN without values. */
export function mean(values: Numbers): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** Population standard deviation; NaN without values. */
export function std(values: Numbers): number {
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - centre) ** 2;
  return Math.sqrt(squares / values.length);
}

/** All 0..1. */
export interface Share {
  success: number;
  low: number;
  high: number;
}

/**
 * Returns the Wilson score interval (Wilson 1927): `(p + z^2/2n ± z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)`; 0 in
 * 0..1 for n = 0.
 * @throws GyreError 'bad_input' unless 0 <= successes <= n, both integers
 */
export function wilson(successes: number, n: number, z = 1.96): Share {
  if (!Number.isInteger(n) || !Number.isInteger(successes) || successes < 0 || successes > n) {
    throw new GyreError('bad_input', `${successes} successes of ${n} is invalid`, {
      field: 'successes',
      fix: 'use integers with 0 <= successes <= n',
    });
  }
  return wilsonOfMean(successes / n, n, z);
}

/**
 * Returns the Wilson interval of the mean of `n` independent values in 0..1, such as the success rates of tasks with
 * several attempts each. Exact for values of 0 and 1, else wider than needed: their variance is at most `p(1-p)`.
 */
export function wilsonOfMean(p: number, n: number, z = 1.96): Share {
  if (n === 0) return { success: 0, low: 0, high: 1 };
  const z2 = z * z;
  const centre = p + z2 / (2 * n);
  const reach = z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  return {
    success: p,
    // Exact at the borders, apart from rounding.
    low: p === 0 ? 0 : Math.max(0, (centre - reach) / scale),
    high: p === 1 ? 1 : Math.min(1, (centre + reach) / scale),
  };
}

/** Returns `1 - Var(returns - values) / Var(returns)`; NaN for constant returns. */
export function explainedVariance(values: Numbers, returns: Numbers): number {
  if (values.length !== returns.length) {
    throw new GyreError('shape', `got ${values.length} values but ${returns.length} returns`, { field: 'values' });
  }
  const spread = std(returns);
  if (!(spread > 0)) return NaN;
  const residuals = Float64Array.from({ length: returns.length }, (_, i) => returns[i]! - values[i]!);
  return 1 - (std(residuals) / spread) ** 2;
}

/** Returns Pearson's correlation; NaN if one list is constant. */
export function correlation(a: Numbers, b: Numbers): number {
  if (a.length !== b.length) {
    throw new GyreError('shape', `got lists of ${a.length} and ${b.length} numbers`, {
      field: 'b',
      fix: 'give lists of equal length',
    });
  }
  const [centreA, centreB] = [mean(a), mean(b)];
  let together = 0;
  for (let i = 0; i < a.length; i++) together += (a[i]! - centreA) * (b[i]! - centreB);
  return together / a.length / (std(a) * std(b));
}

/**
 * Estimates `KL(old || new)` as the mean of `k3 = (r - 1) - log r` with `r = new / old`, unbiased and never negative
 * (Schulman 2020, "Approximating KL divergence"). NaN without tokens.
 * @param logprobsNew of the current policy, `[tokens]`
 * @param logprobsOld of the sampling policy, `[tokens]`
 */
export function klK3(logprobsNew: Numbers, logprobsOld: Numbers): number {
  if (logprobsNew.length !== logprobsOld.length) {
    throw new GyreError('shape', `got ${logprobsNew.length} new but ${logprobsOld.length} old log-probabilities`, {
      field: 'logprobsNew',
    });
  }
  let sum = 0;
  for (let i = 0; i < logprobsNew.length; i++) {
    const logRatio = logprobsNew[i]! - logprobsOld[i]!;
    sum += Math.expm1(logRatio) - logRatio;
  }
  return sum / logprobsNew.length;
}

/**
 * Returns a mean with its percentile bootstrap interval (Efron 1979).
 * @param options defaults: 1000 resamples, 0.95 confidence
 */
export function bootstrapMean(scores: Numbers, random: () => number, options: BootstrapOptions = {}): Bootstrapped {
  return bootstrapMeanOfMeans([scores], random, options);
}

/** Resamples each group separately and weighs groups alike. */
export function bootstrapMeanOfMeans(
  groups: readonly Numbers[],
  random: () => number,
  { resamples = 1000, confidence = 0.95 }: BootstrapOptions = {},
): Bootstrapped {
  if (groups.length === 0 || groups.some(({ length }) => length === 0))
    throw new GyreError('bad_input', 'there are no scores', { field: 'scores', fix: 'give at least one per group' });
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    for (const scores of groups) {
      const n = scores.length;
      let sum = 0;
      for (let i = 0; i < n; i++) sum += scores[Math.floor(random() * n)]!;
      means[resample]! += sum / n / groups.length;
    }
  }
  means.sort();
  const tail = (1 - confidence) / 2;
  return { mean: mean(groups.map(mean)), low: quantile(means, tail), high: quantile(means, 1 - tail) };
}

interface BootstrapOptions {
  resamples?: number;
  confidence?: number;
}

interface Bootstrapped {
  mean: number;
  low: number;
  high: number;
}

function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (position - below) * (sorted[above]! - sorted[below]!);
}
