import type { Tensor } from './graph.js';
import { axisOf, checkShape, sameShape, shapeError, show, type Shape } from './shape.js';
import { cast, equal, needsFloat } from './elementwise.js';
import { expand, reshape, zeros } from './layout.js';
import { matmul } from './products.js';

function needsIds(op: string, ids: Tensor): void {
  if (ids.dtype !== 'int32') throw shapeError(op, `ids are ${ids.dtype}`, 'ids are int32');
}

/**
 * Row ids[...] of a table: [n, d], ids int32 [...] -> [..., d]. Ids must be 0..n-1: a larger one makes the run fail, a
 * negative one is not noticed.
 */
export function gather(table: Tensor, ids: Tensor): Tensor {
  needsFloat('Gather', table);
  needsIds('Gather', ids);
  const [n, d] = table.shape;
  if (n === undefined || d === undefined || table.shape.length !== 2) {
    throw shapeError('Gather', `the table is ${show(table.shape)}`, 'a table is [n, d]');
  }
  return table.graph.node('Gather', [table, ids], [...ids.shape, d], 'float32', {
    attributes: { axis: 0 },
    rule: ([g]) => [() => scatterAdd(g!, ids, n), undefined],
  });
}

/** Up to this many rows, a product with one-hot rows is faster than scattering; measured at 2560 ids of width 128. */
const fewRows = 512;

/**
 * Adds each row to row ids[...] of a table of zeros, the transpose of `gather`: rows [..., d], ids int32 [...] -> [n, d].
 * Ids must be 0..n-1: another one is left out up to 512 rows; above, a larger one makes the run fail and a negative one is
 * not noticed.
 */
export function scatterAdd(rows: Tensor, ids: Tensor, n: number): Tensor {
  needsFloat('scatterAdd', rows);
  needsIds('scatterAdd', ids);
  checkShape('scatterAdd', [n]);
  const d = rows.shape.at(-1);
  if (d === undefined || !sameShape(rows.shape.slice(0, -1), ids.shape)) {
    throw shapeError('scatterAdd', `ids ${show(ids.shape)} do not fit ${show(rows.shape)}`, 'one id for each row');
  }
  const flat = reshape(rows, [-1, d]);
  if (n <= fewRows) return matmul(oneHot(reshape(ids, [-1]), n), flat, { transposeA: true });
  // Not ScatterND, which is faster still: its threads add to the same row at once and lose updates (ORT 1.30).
  return scatterElements(flat, expand(reshape(ids, [-1, 1]), flat.shape), [n, d], 0);
}

/** 1 at the id and 0 elsewhere: ids int32 [...] -> float32 [..., n]. */
export function oneHot(ids: Tensor, n: number): Tensor {
  needsIds('OneHot', ids);
  const classes = ids.graph.constant(
    Int32Array.from({ length: n }, (_, id) => id),
    [n],
  );
  return cast(equal(reshape(ids, [...ids.shape, 1]), classes), 'float32');
}

/**
 * The elements at ids along one axis: result[i, j] = x[ids[i, j], j] for axis 0 of a matrix. x and ids (int32) have the same
 * lengths but for that axis; the result has the shape of ids. Ids as for `gather`.
 */
export function gatherElements(x: Tensor, ids: Tensor, axis: number): Tensor {
  needsFloat('GatherElements', x);
  // Kernels that give ids give int64.
  if (ids.dtype !== 'int64') needsIds('GatherElements', ids);
  const at = axisOf('GatherElements', x.shape, axis);
  if (!sameShape(x.shape.toSpliced(at, 1), ids.shape.toSpliced(at, 1)) || x.shape.length !== ids.shape.length) {
    throw shapeError(
      'GatherElements',
      `ids ${show(ids.shape)} do not fit ${show(x.shape)}`,
      `all lengths but that of axis ${axis} must be equal`,
    );
  }
  return x.graph.node('GatherElements', [x, ids], ids.shape, 'float32', {
    attributes: { axis: at },
    rule: ([g]) => [() => scatterElements(g!, ids, x.shape, at), undefined],
  });
}

/** The transpose of `gatherElements`: zeros of a shape, to which each value is added at its id along the axis. */
export function scatterElements(values: Tensor, ids: Tensor, shape: Shape, axis: number): Tensor {
  const { graph } = values;
  return graph.node('ScatterElements', [zeros(graph, shape), ids, values], shape, 'float32', {
    attributes: { axis, reduction: 'add' },
    rule: ([g]) => [undefined, undefined, () => gatherElements(g!, ids, axis)],
  });
}

/** The element at ids of the last axis: x [..., n], ids int32 [...] -> [...]. Ids as for `gather`. */
export function pick(x: Tensor, ids: Tensor): Tensor {
  needsFloat('pick', x);
  needsIds('pick', ids);
  if (!sameShape(x.shape.slice(0, -1), ids.shape) || x.shape.length === 0) {
    throw shapeError(
      'pick',
      `ids ${show(ids.shape)} do not fit ${show(x.shape)}`,
      'one id for each row of the last axis',
    );
  }
  return reshape(gatherElements(x, reshape(ids, [...ids.shape, 1]), -1), ids.shape);
}
