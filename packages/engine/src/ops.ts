export {
  add,
  cast,
  clip,
  div,
  equal,
  erf,
  exp,
  gelu,
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
  relu,
  sigmoid,
  sqrt,
  square,
  stopGradient,
  sub,
  tanh,
  where,
  type Operand,
} from './elementwise.js';
export { concat, expand, pad, reshape, slice, split, transpose, zeros } from './layout.js';
export { max, mean, sum, type ReduceOptions } from './reductions.js';
export { linear, matmul, type MatmulOptions } from './products.js';
export { layerNorm, logSoftmax, softmax } from './normalisation.js';
export { gather, oneHot, pick } from './indexing.js';
export { conv2d, type ConvOptions } from './convolution.js';
