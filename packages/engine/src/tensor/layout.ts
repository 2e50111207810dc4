import type { Graph, Tensor } from './graph.js';
import { axisOf, checkShape, sameShape, shapeError, show, type Shape } from './shape.js';
import { expand } from './broadcast.js';

/** Permutes axes: axis i of the result is axis perm[i] of x. */
export function transpose(x: Tensor, perm: readonly number[]): Tensor {
  const inverse = x.shape.map((_, axis) => perm.indexOf(axis));
  if (perm.length !== x.shape.length || inverse.includes(-1)) {
    throw shapeError('Transpose', `${show(perm)} is not a permutation of the axes of ${show(x.shape)}`);
  }
  if (perm.every((axis, place) => axis === place)) return x;
  const shape = perm.map((axis) => x.shape[axis]!);
  return x.graph.node('Transpose', [x], shape, x.dtype, {
    attributes: { perm },
    rule: ([g]) => [() => transpose(g!, inverse)],
  });
}

/** Excludes `end`. To cut a tensor into all its parts, `split` has the cheaper gradient. */
export function slice(x: Tensor, axis: number, start: number, end: number): Tensor {
  const dimension = axisOf('Slice', x.shape, axis);
  const length = x.shape[dimension]!;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end > length || start >= end) {
    throw shapeError('Slice', `${start} to ${end} is not within axis ${axis} of ${show(x.shape)}`);
  }
  if (start === 0 && end === length) return x;
  const { graph } = x;
  const shape = x.shape.with(dimension, end - start);
  return graph.node(
    'Slice',
    [x, graph.integers([start]), graph.integers([end]), graph.integers([dimension])],
    shape,
    x.dtype,
    {
      rule: ([g]) => [() => pad(g!, dimension, start, length - end), undefined, undefined, undefined],
    },
  );
}

/** Pads with zeros. */
export function pad(x: Tensor, axis: number, before: number, after: number): Tensor {
  const dimension = axisOf('Pad', x.shape, axis);
  if (!Number.isInteger(before) || !Number.isInteger(after) || before < 0 || after < 0) {
    throw shapeError('Pad', `cannot pad with ${before} and ${after}`);
  }
  if (before === 0 && after === 0) return x;
  const length = x.shape[dimension]!;
  const pads = [
    ...x.shape.map((_, i) => (i === dimension ? before : 0)),
    ...x.shape.map((_, i) => (i === dimension ? after : 0)),
  ];
  return x.graph.node('Pad', [x, x.graph.integers(pads)], x.shape.with(dimension, before + length + after), x.dtype, {
    rule: ([g]) => [() => slice(g!, dimension, before, before + length), undefined],
  });
}

export function concat(xs: readonly Tensor[], axis: number): Tensor {
  const [first] = xs;
  if (!first) throw shapeError('Concat', 'no tensors were given');
  const dimension = axisOf('Concat', first.shape, axis);
  for (const x of xs) {
    if (x.dtype !== first.dtype || !sameShape(x.shape.toSpliced(dimension, 1), first.shape.toSpliced(dimension, 1))) {
      throw shapeError(
        'Concat',
        `${first.dtype} ${show(first.shape)} and ${x.dtype} ${show(x.shape)} cannot be joined along axis ${axis}`,
      );
    }
  }
  if (xs.length === 1) return first;
  const lengths = xs.map((x) => x.shape[dimension]!);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return first.graph.node('Concat', xs, first.shape.with(dimension, total), first.dtype, {
    attributes: { axis: dimension },
    rule: ([g]) => xs.map((_, place) => () => split(g!, dimension, lengths)[place]!),
  });
}

/** WebGPU devices have at least 8 buffers for a kernel's inputs and outputs. */
const maxParts = 7;

/** `lengths` add up to the axis. */
export function split(x: Tensor, axis: number, lengths: readonly number[]): readonly Tensor[] {
  const dimension = axisOf('Split', x.shape, axis);
  checkShape('Split', lengths);
  if (lengths.reduce((sum, length) => sum + length, 0) !== x.shape[dimension]) {
    throw shapeError('Split', `parts ${show(lengths)} do not add up to axis ${axis} of ${show(x.shape)}`);
  }
  if (lengths.length === 1) return [x];
  const { graph } = x;
  if (graph.backend === 'webgpu' && lengths.length > maxParts) {
    const each = Math.ceil(lengths.length / maxParts);
    const groups = Array.from({ length: Math.ceil(lengths.length / each) }, (_, i) =>
      lengths.slice(i * each, (i + 1) * each),
    );
    const totals = groups.map((group) => group.reduce((sum, length) => sum + length, 0));
    return split(x, dimension, totals).flatMap((part, i) => split(part, dimension, groups[i]!));
  }
  const parts = lengths.map((length) => ({ shape: x.shape.with(dimension, length), dtype: x.dtype }));
  return graph.nodes('Split', [x, graph.integers(lengths)], parts, {
    attributes: { axis: dimension },
    rule: (gs) => [
      () =>
        concat(
          gs.map((g, place) => g ?? zeros(graph, parts[place]!.shape)),
          dimension,
        ),
      undefined,
    ],
  });
}

export function zeros(graph: Graph, shape: Shape): Tensor {
  return expand(graph.scalar(0), shape);
}
