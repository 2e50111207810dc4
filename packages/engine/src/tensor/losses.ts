import type { Tensor } from './graph.js';
import { sameShape, shapeError, show } from './shape.js';
import { abs, add, div, minimum, mul, needsFloat, neg, square, sub } from './elementwise.js';
import { softplus } from './activations.js';
import { pick } from './indexing.js';
import { logSoftmax } from './normalisation.js';
import { mean, sum } from './reductions.js';

export interface LossOptions {
  /** How much each element counts, float32 of the shape of the losses; not all 0. The result is sum(w * loss) / sum(w). */
  weights?: Tensor;
}

function average(op: string, losses: Tensor, { weights }: LossOptions): Tensor {
  if (!weights) return mean(losses);
  needsFloat(op, weights);
  if (!sameShape(weights.shape, losses.shape)) {
    throw shapeError(op, `weights ${show(weights.shape)} do not fit losses ${show(losses.shape)}`, 'one for each loss');
  }
  return div(sum(mul(weights, losses)), sum(weights));
}

/** Two tensors of equal shape: broadcasting here is nearly always a mistake. */
function needsPair(op: string, x: Tensor, target: Tensor): void {
  needsFloat(op, x);
  needsFloat(op, target);
  if (!sameShape(x.shape, target.shape)) {
    throw shapeError(op, `${show(x.shape)} and targets ${show(target.shape)} differ`, 'reshape or expand one of them');
  }
}

/**
 * Mean of -log softmax(logits)[id]: logits [..., classes], ids int32 [...] -> []. With label smoothing s, the target is
 * 1 - s + s / classes for the id and s / classes elsewhere (Szegedy et al. 2016, section 7). Ids as for `gather`.
 */
export function crossEntropy(
  logits: Tensor,
  ids: Tensor,
  { labelSmoothing = 0, ...options }: LossOptions & { labelSmoothing?: number } = {},
): Tensor {
  if (!(labelSmoothing >= 0 && labelSmoothing <= 1)) {
    throw shapeError('crossEntropy', `the label smoothing is ${labelSmoothing}`, 'give 0 to 1');
  }
  const logprobs = logSoftmax(logits);
  const chosen = pick(logprobs, ids);
  const expected =
    labelSmoothing === 0 ? chosen : add(mul(chosen, 1 - labelSmoothing), mul(mean(logprobs, [-1]), labelSmoothing));
  return average('crossEntropy', neg(expected), options);
}

/** Mean of (x - target)²: two of the same shape -> []. */
export function mse(x: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  needsPair('mse', x, target);
  return average('mse', square(sub(x, target)), options);
}

/**
 * Mean of r² / 2 up to |r| = delta and delta (|r| - delta / 2) beyond, with r = x - target (Huber 1964): two of the same
 * shape -> [].
 */
export function huber(
  x: Tensor,
  target: Tensor,
  { delta = 1, ...options }: LossOptions & { delta?: number } = {},
): Tensor {
  needsPair('huber', x, target);
  if (!(delta > 0)) throw shapeError('huber', `delta is ${delta}`, 'give a number > 0');
  const size = abs(sub(x, target));
  const held = minimum(size, delta);
  return average('huber', mul(held, sub(size, mul(held, 0.5))), options);
}

/** Mean of -t log p - (1 - t) log(1 - p) with p = sigmoid(logits), without overflow: two of the same shape, t in 0..1 -> []. */
export function binaryCrossEntropy(logits: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  needsPair('binaryCrossEntropy', logits, target);
  const losses = add(mul(target, softplus(neg(logits))), mul(sub(1, target), softplus(logits)));
  return average('binaryCrossEntropy', losses, options);
}
