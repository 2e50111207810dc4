import type { Precision, PrecisionOf } from '../tensor/frozen.js';

/**
 * With `w4a8`, weights applied to every cell keep 8 bits, which are faster with many rows, and so do those of the
 * logits, whose errors do not average out. The others have 4 bits: reading them dominates.
 */
export function policyPrecision(precision: Precision): PrecisionOf {
  return (name) => (precision === 'w4a8' && keptAt8.test(name) ? 'w8a8' : precision);
}

const keptAt8 = /^image\.|\.image[KV]\.|^pointer\.|^logits\./;
