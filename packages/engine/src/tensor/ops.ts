export {
  abs,
  add,
  cast,
  clip,
  div,
  equal,
  erf,
  exp,
  greater,
  less,
  log,
  logicalAnd,
  logicalNot,
  logicalOr,
  maximum,
  minimum,
  mul,
  neg,
  pow,
  sqrt,
  square,
  stopGradient,
  sub,
  where,
  type Operand,
} from './elementwise.js';
export { gelu, relu, sigmoid, silu, softplus, tanh } from './activations.js';
export { concat, expand, pad, reshape, slice, split, transpose, zeros } from './layout.js';
export { cumSum, logSumExp, max, mean, sum, type ReduceOptions } from './reductions.js';
export { linear, matmul, type MatmulOptions } from './products.js';
export { groupNorm, layerNorm, logSoftmax, rmsNorm, softmax } from './normalisation.js';
export { gather, gatherElements, oneHot, pick, scatterAdd } from './indexing.js';
export { argMax, topK } from './ranking.js';
export { conv2d, type ConvOptions } from './convolution.js';
export { averagePool2d, maxPool2d, type PoolOptions } from './pooling.js';
export { attention, type AttentionOptions } from './attention.js';
export { binaryCrossEntropy, crossEntropy, huber, mse, type LossOptions } from './losses.js';
export { recompute } from './recompute.js';
