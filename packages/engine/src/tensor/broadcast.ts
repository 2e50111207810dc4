import type { Tensor } from './graph.js';
import { reshape } from './reshape.js';
import { axisOf, broadcast, checkShape, sameShape, shapeError, show, type Shape } from './shape.js';

export function needsFloat(op: string, x: Tensor): void {
  if (x.dtype !== 'float32') throw shapeError(op, `expected float32, got ${x.dtype}`, 'cast it');
}

export interface ReduceOptions {
  /** Keeps the reduced axes, with length 1. */
  keepDims?: boolean;
}

/** Reduces over axes. `gradient` maps the arriving gradient and the output, both with the reduced axes as length 1. */
export function reduce(
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
  const reducedShape = x.shape.map((length, axis) => (reduced.includes(axis) ? 1 : length));
  const shape = keepDims ? reducedShape : x.shape.filter((_, axis) => !reduced.includes(axis));
  return x.graph.node(op, [x, x.graph.integers(reduced)], shape, x.dtype, {
    attributes: { keepdims: keepDims ? 1 : 0 },
    rule: ([g], [y]) => [() => gradient(reshape(g!, reducedShape), reshape(y!, reducedShape)), undefined],
  });
}

/** Sums over the axes, by default all. */
export function sum(x: Tensor, axes?: readonly number[], options: ReduceOptions = {}): Tensor {
  return reduce('ReduceSum', x, axes, options, (g) => expand(g, x.shape));
}

/** Broadcasts x to a larger shape by numpy's rule. */
export function expand(x: Tensor, shape: Shape): Tensor {
  checkShape('Expand', shape);
  if (!sameShape(broadcast('Expand', x.shape, shape), shape)) {
    throw shapeError('Expand', `cannot expand ${show(x.shape)} to ${show(shape)}`);
  }
  if (sameShape(x.shape, shape)) return x;
  return x.graph.node('Expand', [x, x.graph.integers(shape)], [...shape], x.dtype, {
    rule: ([g]) => [() => sumTo(g!, x.shape), undefined],
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
