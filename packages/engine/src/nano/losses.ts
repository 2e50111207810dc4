import type { Tensor } from '../tensor/graph.js';
import {
  add,
  clip,
  div,
  exp,
  log,
  logSoftmax,
  max,
  maximum,
  minimum,
  mul,
  neg,
  pick,
  reshape,
  square,
  stopGradient,
  sub,
  sum,
} from '../tensor/ops.js';

/**
 * Returns PPO's clipped surrogate, `-sum w min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)` with `r = exp(logprobs -
 * oldLogprobs)` (arXiv 1707.06347, eq. 7; separate bounds: DAPO, arXiv 2503.14476, eq. 10). `dualClip` bounds the loss
 * of negative advantages by `dualClip |A|` (arXiv 1912.09729, eq. 5). `entropy` weights the bonus (arXiv 1707.06347,
 * eq. 9).
 *
 * @param tokens `[n, sequences, action]`; the weights include the normalisation
 */
export function ppoLoss(
  tokens: { logprobs: Tensor; oldLogprobs: Tensor; advantages: Tensor; entropies: Tensor; weights: Tensor },
  options: { clipLow: number; clipHigh: number; dualClip?: number; entropy?: number },
): Tensor {
  const { logprobs, oldLogprobs, advantages, entropies, weights } = tokens;
  const ratio = exp(sub(logprobs, oldLogprobs));
  const clipped = clip(ratio, 1 - options.clipLow, 1 + options.clipHigh);
  const worse = minimum(mul(ratio, advantages), mul(clipped, advantages));
  // With a positive advantage, `worse` exceeds the bound.
  const surrogate = options.dualClip ? maximum(worse, mul(minimum(advantages, 0), options.dualClip)) : worse;
  const gain = options.entropy ? add(surrogate, mul(entropies, options.entropy)) : surrogate;
  return neg(sum(mul(gain, weights)));
}

/**
 * Returns half the squared error, `sum w max((v - R)², (old + clip(v - old, ±valueClip) - R)²) / 2` (OpenAI Baselines
 * `ppo2`).
 *
 * @param decisions `[n, sequences, 1]`; the weights include the normalisation
 */
export function valueLoss(
  decisions: { values: Tensor; returns: Tensor; oldValues: Tensor; weights: Tensor },
  { valueClip }: { valueClip: number },
): Tensor {
  const { values, returns, oldValues, weights } = decisions;
  const error = square(sub(values, returns));
  const worse = Number.isFinite(valueClip)
    ? maximum(error, square(sub(add(oldValues, clip(sub(values, oldValues), -valueClip, valueClip)), returns)))
    : // Keeps the old values an input of the graph.
      add(error, mul(oldValues, 0));
  return div(sum(mul(worse, weights)), 2);
}

/**
 * Returns `-sum t log p`.
 *
 * @param tokens `[n, sequences, action, vocabulary]`; target rows are weighted and split among equally good tokens
 */
export function crossEntropyLoss({ logprobs, targets }: { logprobs: Tensor; targets: Tensor }): Tensor {
  return neg(sum(mul(logprobs, targets)));
}

/**
 * Returns `-sum w log sum_a p(a)` over the accepted tokens: any of them is as good as another.
 *
 * @param tokens logprobs and `accepted` (1 or 0) `[..., vocabulary]`; normalised weights `[...]`
 */
export function marginalLoss(tokens: { logprobs: Tensor; accepted: Tensor; weights: Tensor }): Tensor {
  const { logprobs, accepted, weights } = tokens;
  // e^-64 of a refused token's probability is nothing in float32, and no denormal.
  const masked = add(logprobs, mul(sub(accepted, 1), 64));
  const largest = stopGradient(max(masked, -1, { keepDims: true }));
  const total = add(log(sum(exp(sub(masked, largest)), [-1], { keepDims: true })), largest);
  return neg(sum(mul(reshape(total, weights.shape), weights)));
}

/**
 * Returns `-sum w log softmax(logits)[class]`.
 *
 * @param places logits `[places, heads, glyphs]`, int32 classes and normalised weights `[places, heads]`
 */
export function readingLoss(places: { logits: Tensor; classes: Tensor; weights: Tensor }): Tensor {
  const { logits, classes, weights } = places;
  return neg(sum(mul(pick(logSoftmax(logits), classes), weights)));
}
