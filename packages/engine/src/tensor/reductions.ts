import type { Tensor } from './graph.js';
import { axisOf, sameShape, shapeError, sizeOf, type Shape } from './shape.js';
import { cast, div, equal, mul, needsFloat } from './elementwise.js';
import { expand, reshape } from './layout.js';

export interface ReduceOptions {
  /** Keeps the reduced axes, with length 1. */
  keepDims?: boolean;
}

function reduce(
  op: 'ReduceSum' | 'ReduceMean' | 'ReduceMax',
  x: Tensor,
  axes: readonly number[] | undefined,
  { keepDims = false }: ReduceOptions,
  gradient: (g: Tensor, y: Tensor) => Tensor,
): Tensor {
  if (!(op === 'ReduceSum' && x.dtype === 'int32')) needsFloat(op, x);
  const reduced = [...new Set((axes ?? [...x.shape.keys()]).map((axis) => axisOf(op, x.shape, axis)))].sort(
    (a, b) => a - b,
  );
  if (reduced.length === 0) return x;
  const kept = x.shape.map((length, axis) => (reduced.includes(axis) ? 1 : length));
  const shape = keepDims ? kept : x.shape.filter((_, axis) => !reduced.includes(axis));
  return x.graph.node(op, [x, x.graph.integers(reduced)], shape, x.dtype, {
    attributes: { keepdims: keepDims ? 1 : 0 },
    rule: ([g], [y]) => [() => gradient(reshape(g!, kept), reshape(y!, kept)), undefined],
  });
}

/** Sums over the axes, by default all. */
export function sum(x: Tensor, axes?: readonly number[], options: ReduceOptions = {}): Tensor {
  return reduce('ReduceSum', x, axes, options, (g) => expand(g, x.shape));
}

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

/** Sums over the axes that a broadcast from `shape` repeated. */
export function sumTo(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const added = x.shape.length - shape.length;
  if (added < 0) throw shapeError('sumTo', 'the target has more axes than the tensor');
  const axes = [...x.shape.keys()].filter((axis) => axis < added || (shape[axis - added] === 1 && x.shape[axis] !== 1));
  return reshape(sum(x, axes), shape);
}
