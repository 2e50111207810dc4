import { GyreError } from '@gyre/protocol';

/**
 * Estimates, without bias, the chance that one of `k` attempts succeeds: `1 - C(n-c, k) / C(n, k)` (Chen et al. 2021,
 * "Evaluating large language models trained on code", equation 1).
 * @param c successes among `n` attempts
 */
export function passAtK(n: number, c: number, k: number): number {
  return 1 - chosenShare(n, n - c, k);
}

/**
 * Estimates, without bias, the chance that all of `k` attempts succeed, pass^k: `C(c, k) / C(n, k)` (Yao et al. 2024,
 * "tau-bench", section 4).
 * @param c successes among `n` attempts
 */
export function passHatK(n: number, c: number, k: number): number {
  return chosenShare(n, c, k);
}

/** Returns `C(m, k) / C(n, k)` as a product, since the binomials overflow. */
function chosenShare(n: number, m: number, k: number): number {
  if (!(Number.isInteger(n) && Number.isInteger(m) && Number.isInteger(k) && 0 <= m && m <= n && 1 <= k && k <= n)) {
    throw new GyreError('bad_input', `${m} of ${n} attempts and k = ${k} are invalid`, {
      field: 'k',
      fix: 'use integers with 0 <= successes <= attempts and 1 <= k <= attempts',
    });
  }
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, m - i) / (n - i);
  return share;
}
