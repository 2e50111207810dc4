import type { Tensor } from './graph.js';
import { sameShape, shapeError, show, sizeOf, type Shape } from './shape.js';

/** Reshapes. One length may be -1: the rest. */
export function reshape(x: Tensor, shape: Shape): Tensor {
  const known = sizeOf(shape.filter((length) => length !== -1));
  const open = shape.filter((length) => length === -1).length;
  const full = shape.map((length) => (length === -1 ? sizeOf(x.shape) / known : length));
  if (
    open > 1 ||
    !full.every((length) => Number.isInteger(length) && length >= 1) ||
    sizeOf(full) !== sizeOf(x.shape)
  ) {
    throw shapeError('Reshape', `cannot reshape ${show(x.shape)} to ${show(shape)}`, 'keep the number of elements');
  }
  if (sameShape(full, x.shape)) return x;
  return x.graph.node('Reshape', [x, x.graph.integers(full)], full, x.dtype, {
    rule: ([g]) => [() => reshape(g!, x.shape), undefined],
  });
}
