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
  maximum,
  minimum,
  mul,
  neg,
  sqrt,
  square,
  stopGradient,
  sub,
  where,
  type Operand,
} from './elementwise.js';
export { gelu, relu, tanh } from './activations.js';
export { concat, pad, slice, split, transpose, zeros } from './layout.js';
export { expand, type ReduceOptions, sum } from './broadcast.js';
export { reshape } from './reshape.js';
export { max, mean } from './reductions.js';
export { linear, matmul, type MatmulOptions } from './products.js';
export { layerNorm, logSoftmax, softmax } from './normalisation.js';
export { gather, gatherElements, oneHot, pick, scatterAdd } from './indexing.js';
export { argMax } from './ranking.js';
export { conv2d, type ConvOptions } from './convolution.js';
export { maxPool2d, type PoolOptions } from './pooling.js';
export { recompute } from './recompute.js';
