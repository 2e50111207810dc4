import type { Precision, PrecisionOf } from '../tensor/frozen.js';

/**
 * The precision of each weight of a native policy. With `w4a8`, what is computed for every cell of a screenshot has weights of 8
 * bits, because products with so many rows are faster with them; and so has what makes the logits, because nothing evens its
 * errors out: with 4 bits there, 44 % of nano's answers changed instead of 18 %. The rest has 4: it is computed for few rows again and again,
 * where reading the weights takes the time.
 */
export function policyPrecision(precision: Precision): PrecisionOf {
  return (name) => (precision === 'w4a8' && keptAt8.test(name) ? 'w8a8' : precision);
}

const keptAt8 = /^image\.|\.image[KV]\.|^pointer\.|^logits\./;
