import type { Tensor } from './graph.js';
import { axisOf } from './shape.js';
import { cast, equal, sub, where } from './elementwise.js';
import { needsFloat } from './broadcast.js';
import { max } from './reductions.js';

/** Returns int32; the first of equal elements wins. No gradient passes. */
export function argMax(x: Tensor, axis: number): Tensor {
  needsFloat('ArgMax', x);
  const dimension = axisOf('ArgMax', x.shape, axis);
  if (x.graph.backend === 'webgpu') return firstLargest(x, dimension);
  return cast(
    x.graph.node('ArgMax', [x], x.shape.toSpliced(dimension, 1), 'int64', {
      attributes: { axis: dimension, keepdims: 0 },
    }),
    'int32',
  );
}

/** Avoids int64, which WebGPU kernels do not cast: maxima get their distance from the end of the axis. */
function firstLargest(x: Tensor, axis: number): Tensor {
  const n = x.shape[axis]!;
  const distances = x.graph.constant(
    Array.from({ length: n }, (_, i) => n - i),
    x.shape.map((_, i) => (i === axis ? n : 1)),
  );
  const scores = where(equal(x, max(x, axis, { keepDims: true })), distances, 0);
  return cast(sub(n, max(scores, axis)), 'int32');
}
