import { GyreError } from '@gyre/protocol';

/**
 * Returns truncated importance weights `min(pi_proximal / pi_behaviour, cap)`, for the decoupled objective `E[w min(u
 * A, clip(u) A)]` (AReaL, arXiv 2505.24298; Hilton et al. 2021, arXiv 2110.00641).
 * @param proximal natural-log probabilities at the start of the update, `[tokens]`
 * @param behaviour of the sampling policy, `[tokens]`
 * @returns `[tokens]`, 0..cap
 */
export function behaviourWeights(proximal: ArrayLike<number>, behaviour: ArrayLike<number>, cap: number): Float32Array {
  if (proximal.length !== behaviour.length) {
    throw new GyreError(
      'shape',
      `got ${proximal.length} proximal but ${behaviour.length} behaviour log-probabilities`,
      {
        field: 'proximal',
      },
    );
  }
  if (!(cap >= 1)) {
    throw new GyreError('bad_input', `the cap of importance weights must be at least 1, got ${cap}`, {
      field: 'behaviourCap',
      fix: 'use 1 or more, such as 5',
    });
  }
  return Float32Array.from(proximal, (now, t) => Math.min(Math.exp(now - behaviour[t]!), cap));
}
