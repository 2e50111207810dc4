import { type Tensor, ops } from '@gyre/engine';

/** Returns the binary cross-entropy of logits, element by element. */
export function binaryCrossEntropy(logits: Tensor, targets: Tensor): Tensor {
  const { abs, add, exp, log, mul, neg, relu, sub } = ops;
  return add(sub(relu(logits), mul(logits, targets)), log(add(exp(neg(abs(logits))), 1)));
}

/** Returns `-sum w log softmax(logits)[class]` of logits `[places, classes]`. */
export function weightedCrossEntropy(logits: Tensor, classes: Tensor, weights: Tensor): Tensor {
  return ops.neg(ops.sum(ops.mul(ops.pick(ops.logSoftmax(logits), classes), weights)));
}
