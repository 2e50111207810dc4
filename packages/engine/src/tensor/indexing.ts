import type { Tensor } from './graph.js';
import { axisOf, checkShape, sameShape, shapeError, show, type Shape } from './shape.js';
import { cast, equal } from './elementwise.js';
import { expand, needsFloat } from './broadcast.js';
import { zeros } from './layout.js';
import { reshape } from './reshape.js';
import { matmul } from './products.js';

function needsIds(op: string, ids: Tensor): void {
  if (ids.dtype !== 'int32') throw shapeError(op, `the ids are ${ids.dtype}, not int32`, 'cast them to int32');
}

/**
 * Looks up rows of [n, d] by int32 ids. Ids must be 0..n-1: a larger one fails the run, a negative one goes unnoticed.
 */
export function gather(table: Tensor, ids: Tensor): Tensor {
  needsFloat('Gather', table);
  needsIds('Gather', ids);
  const [n, d] = table.shape;
  if (n === undefined || d === undefined || table.shape.length !== 2) {
    throw shapeError('Gather', `the table has shape ${show(table.shape)}, not [n, d]`, 'reshape it to two axes');
  }
  return table.graph.node('Gather', [table, ids], [...ids.shape, d], 'float32', {
    attributes: { axis: 0 },
    rule: ([g]) => [() => scatterAdd(g!, ids, n), undefined],
  });
}

/** Below, a product with one-hot rows is faster than scattering. */
const fewRows = 512;

/**
 * The transpose of `gather`: rows [..., d], ids int32 [...] -> [n, d]. Invalid ids are ignored up to 512 rows; above,
 * as for `gather`.
 */
export function scatterAdd(rows: Tensor, ids: Tensor, n: number): Tensor {
  needsFloat('scatterAdd', rows);
  needsIds('scatterAdd', ids);
  checkShape('scatterAdd', [n]);
  const d = rows.shape.at(-1);
  if (d === undefined || !sameShape(rows.shape.slice(0, -1), ids.shape)) {
    throw shapeError('scatterAdd', `ids ${show(ids.shape)} do not match ${show(rows.shape)}`, 'pass one id per row');
  }
  const flat = reshape(rows, [-1, d]);
  if (n <= fewRows) return matmul(oneHot(reshape(ids, [-1]), n), flat, { transposeA: true });
  // ScatterND is faster, but its threads lose updates (ORT 1.30).
  return scatterElements(flat, expand(reshape(ids, [-1, 1]), flat.shape), [n, d], 0);
}

/** Maps int32 [...] to float32 [..., n]. */
export function oneHot(ids: Tensor, n: number): Tensor {
  needsIds('OneHot', ids);
  const classes = ids.graph.constant(
    Int32Array.from({ length: n }, (_, id) => id),
    [n],
  );
  return cast(equal(reshape(ids, [...ids.shape, 1]), classes), 'float32');
}

/** Returns x[ids[i, j], j] for axis 0 of a matrix. x and ids (int32) differ only in that axis. Ids as for `gather`. */
export function gatherElements(x: Tensor, ids: Tensor, axis: number): Tensor {
  needsFloat('GatherElements', x);
  // Ids from kernels are int64.
  if (ids.dtype !== 'int64') needsIds('GatherElements', ids);
  const dimension = axisOf('GatherElements', x.shape, axis);
  if (
    !sameShape(x.shape.toSpliced(dimension, 1), ids.shape.toSpliced(dimension, 1)) ||
    x.shape.length !== ids.shape.length
  ) {
    throw shapeError(
      'GatherElements',
      `ids ${show(ids.shape)} do not match ${show(x.shape)}`,
      `make all lengths equal except that of axis ${axis}`,
    );
  }
  return x.graph.node('GatherElements', [x, ids], ids.shape, 'float32', {
    attributes: { axis: dimension },
    rule: ([g]) => [() => scatterElements(g!, ids, x.shape, dimension), undefined],
  });
}

/** The transpose of `gatherElements`. */
export function scatterElements(values: Tensor, ids: Tensor, shape: Shape, axis: number): Tensor {
  const { graph } = values;
  return graph.node('ScatterElements', [zeros(graph, shape), ids, values], shape, 'float32', {
    attributes: { axis, reduction: 'add' },
    rule: ([g]) => [undefined, undefined, () => gatherElements(g!, ids, axis)],
  });
}

/** Maps x [..., n] and ids int32 [...] to [...]. Ids as for `gather`. */
export function pick(x: Tensor, ids: Tensor): Tensor {
  needsFloat('pick', x);
  needsIds('pick', ids);
  if (!sameShape(x.shape.slice(0, -1), ids.shape) || x.shape.length === 0) {
    throw shapeError(
      'pick',
      `ids ${show(ids.shape)} do not match ${show(x.shape)}`,
      'pass one id per row of the last axis',
    );
  }
  return reshape(gatherElements(x, reshape(ids, [...ids.shape, 1]), -1), ids.shape);
}
