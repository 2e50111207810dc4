import type { Tensor } from './graph.js';
import { axisOf } from './shape.js';
import { cast, equal, sub, where } from './elementwise.js';
import { needsFloat } from './broadcast.js';
import { max } from './reductions.js';

/** Returns the index (int32) of the largest element along one axis, the first of equal ones, without a gradient. */
export function argMax(x: Tensor, axis: number): Tensor {
  needsFloat('ArgMax', x);
  const at = axisOf('ArgMax', x.shape, axis);
  if (x.graph.backend === 'webgpu') return firstLargest(x, at);
  return cast(
    x.graph.node('ArgMax', [x], x.shape.toSpliced(at, 1), 'int64', { attributes: { axis: at, keepdims: 0 } }),
    'int32',
  );
}

/** Computes `argMax` without int64, which WebGPU kernels do not cast: the largest get their distance from the end of the axis, others 0. */
function firstLargest(x: Tensor, axis: number): Tensor {
  const n = x.shape[axis]!;
  const distances = x.graph.constant(
    Array.from({ length: n }, (_, i) => n - i),
    x.shape.map((_, i) => (i === axis ? n : 1)),
  );
  const scores = where(equal(x, max(x, axis, { keepDims: true })), distances, 0);
  return cast(sub(n, max(scores, axis)), 'int32');
}
