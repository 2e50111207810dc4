import type { Rule, Tensor } from './graph.js';
import { sameShape, shapeError, show } from './shape.js';
import { cast, equal, needsFloat } from './elementwise.js';
import { expand, reshape, zeros } from './layout.js';
import { matmul } from './products.js';

function needsIds(op: string, ids: Tensor): void {
  if (ids.dtype !== 'int32') throw shapeError(op, `ids are ${ids.dtype}`, 'ids are int32');
}

/** Up to this many rows, a product with one-hot rows is faster than scattering; measured at 2560 ids of width 128. */
const fewRows = 512;

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
  const { graph } = table;
  const rule: Rule = ([g]) => [
    () => {
      const rows = reshape(g!, [-1, d]);
      if (n <= fewRows) return matmul(oneHot(reshape(ids, [-1]), n), rows, { transposeA: true });
      // Not ScatterND, which is faster still: its threads add to the same row at once and lose updates (ORT 1.30).
      const places = expand(reshape(ids, [-1, 1]), rows.shape);
      const attributes = { axis: 0, reduction: 'add' };
      return graph.node('ScatterElements', [zeros(graph, table.shape), places, rows], table.shape, 'float32', {
        attributes,
      });
    },
    undefined,
  ];
  return graph.node('Gather', [table, ids], [...ids.shape, d], 'float32', { attributes: { axis: 0 }, rule });
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

/** The element at ids of the last axis: x [..., n], ids int32 [...] -> [...]. Ids as for `gather`. */
export function pick(x: Tensor, ids: Tensor): Tensor {
  needsFloat('GatherElements', x);
  needsIds('GatherElements', ids);
  if (!sameShape(x.shape.slice(0, -1), ids.shape) || x.shape.length === 0) {
    throw shapeError(
      'pick',
      `ids ${show(ids.shape)} do not fit ${show(x.shape)}`,
      'one id for each row of the last axis',
    );
  }
  const { graph } = x;
  const axis = x.shape.length - 1;
  const at = reshape(ids, [...ids.shape, 1]);
  const picked = graph.node('GatherElements', [x, at], at.shape, 'float32', {
    attributes: { axis },
    rule: ([g]) => [
      () =>
        graph.node('ScatterElements', [zeros(graph, x.shape), at, g!], x.shape, 'float32', { attributes: { axis } }),
      undefined,
    ],
  });
  return reshape(picked, ids.shape);
}
