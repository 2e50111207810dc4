import { expand, reduce, type ReduceOptions, sum } from './broadcast.js';
import { cast, div, equal, mul } from './elementwise.js';
import type { Tensor } from './graph.js';
import { sizeOf } from './shape.js';

/** Averages over the axes, by default all. */
export function mean(x: Tensor, axes?: readonly number[], options: ReduceOptions = {}): Tensor {
  return reduce('ReduceMean', x, axes, options, (g) => expand(mul(g, sizeOf(g.shape) / sizeOf(x.shape)), x.shape));
}

/** Returns the largest element along one axis. Equal ones share the gradient. */
export function max(x: Tensor, axis: number, options: ReduceOptions = {}): Tensor {
  return reduce('ReduceMax', x, [axis], options, (g, y) => {
    const largest = cast(equal(x, y), 'float32');
    return mul(largest, div(g, sum(largest, [axis], { keepDims: true })));
  });
}
