import type { Precision, PrecisionOf } from '../tensor/frozen.js';

/**
 * Returns the precision of each weight. With `w4a8`, weights used for every cell have 8 bits, since products with many rows are faster so;
 * and those of the logits, whose errors nothing evens out. The others have 4: reading them dominates.
 */
export function policyPrecision(precision: Precision): PrecisionOf {
  return (name) => (precision === 'w4a8' && keptAt8.test(name) ? 'w8a8' : precision);
}

const keptAt8 = /^image\.|\.image[KV]\.|^pointer\.|^logits\./;
