import type { Tensor } from './graph.js';
import { broadcast, sameShape, shapeError, show } from './shape.js';
import { add, cast, mul, needsFloat, sub } from './elementwise.js';
import { softmax } from './normalisation.js';
import { matmul } from './products.js';

export interface AttentionOptions {
  /**
   * Broadcasts to [..., queries, keys]. bool: where a query may look at a key. float32: added to the scores. What a query
   * gets that may look nowhere means nothing.
   */
  mask?: Tensor;
  /** A query looks at keys up to its own place alone, counted from the end: the last query sees all keys. Default false. */
  causal?: boolean;
  /** Factor on the products of queries and keys. Default 1 / sqrt(d). */
  scale?: number;
}

/** Added to a score that must not count: its weight is exactly 0, as long as scores are smaller than this. */
const masked = -1e9;

/**
 * softmax(q k' * scale) v (Vaswani et al. 2017, equation 1): q [..., queries, d], k [..., keys, d], v [..., keys, e] ->
 * [..., queries, e]. Leading axes, such as batch and heads, broadcast. Throws 'shape' if the lengths do not fit, or if there
 * are more queries than keys and it is causal.
 */
export function attention(q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions = {}): Tensor {
  for (const x of [q, k, v]) {
    if (x.shape.length < 2)
      throw shapeError('attention', `it got ${show(x.shape)}`, 'q, k and v are [..., length, width]');
  }
  const [queries, d] = q.shape.slice(-2) as [number, number];
  const keys = k.shape.at(-2)!;
  if (k.shape.at(-1) !== d || v.shape.at(-2) !== keys) {
    throw shapeError(
      'attention',
      `q ${show(q.shape)}, k ${show(k.shape)} and v ${show(v.shape)} do not fit`,
      'q is [..., queries, d], k [..., keys, d], v [..., keys, e]',
    );
  }
  const { mask, causal = false, scale = d ** -0.5 } = options;
  let scores = matmul(q, k, { transposeB: true, scale });
  if (mask) scores = add(scores, addend(mask, scores));
  if (causal) {
    if (queries > keys) throw shapeError('attention', `${queries} causal queries see ${keys} keys`, 'give more keys');
    const future = Float32Array.from({ length: queries * keys }, (_, i) =>
      i % keys > Math.floor(i / keys) + keys - queries ? masked : 0,
    );
    scores = add(scores, q.graph.constant(future, [queries, keys]));
  }
  return matmul(softmax(scores), v);
}

function addend(mask: Tensor, scores: Tensor): Tensor {
  if (!sameShape(broadcast('attention', mask.shape, scores.shape), scores.shape)) {
    throw shapeError('attention', `the mask ${show(mask.shape)} does not broadcast to ${show(scores.shape)}`);
  }
  if (mask.dtype === 'bool') return mul(sub(1, cast(mask, 'float32')), masked);
  needsFloat('attention', mask);
  return mask;
}
