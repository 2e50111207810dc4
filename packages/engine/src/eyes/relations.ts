import type { Tensor } from '../tensor/graph.js';
import {
  abs,
  add,
  cast,
  clip,
  concat,
  greater,
  less,
  max,
  mul,
  neg,
  reshape,
  slice,
  sqrt,
  square,
  sub,
  transpose,
  minimum,
  maximum,
} from '../tensor/ops.js';
import { matmul } from '../tensor/ops.js';
import { quantityNames } from './quantities.js';

/** Above, two strings count as equal in spite of a misread letter. */
const equality = 0.93;

/** Best likeness to a quoted string and to a word of one, and whether it is an equality. */
export const matchWidth = 4;

/** Planes that say how one token relates to another: by strings, quantities, order in the instruction, place. */
export const relationPlaneCounts = {
  likeness: 2,
  quantities: 2 * quantityNames.length,
  order: 5,
  geometry: 9,
} as const;
export const biasPlanes = Object.values(relationPlaneCounts).reduce((sum, count) => sum + count);

export interface RelatedTokens {
  /** `[n, tokens, quantities]`: values, and 1 where there is one. */
  readonly values: Tensor;
  readonly known: Tensor;
  /** `[n, tokens]`: places in the instruction, far apart for tokens of other kinds. */
  readonly places: Tensor;
  /** `[n, tokens, 4]`: left, top, right, bottom in shares of the screen's width. */
  readonly boxes: Tensor;
  /** `[n, tokens]`: 1 for tokens with a box. */
  readonly placed: Tensor;
}

/** Returns `[n, tokens, tokens]`: the likeness of any two strings. */
export function likeness(strings: Tensor): Tensor {
  return matmul(strings, strings, { transposeB: true });
}

/**
 * Returns `[n, tokens, matchWidth]`.
 *
 * @param quoted `[n, 2, tokens]`, 0 for quoted strings and for words of one, -9 for others
 */
export function bestMatches(alike: Tensor, quoted: Tensor): Tensor {
  const [n = 0, tokens = 0] = alike.shape;
  const best = [0, 1].map((row) => {
    const masked = add(alike, reshape(slice(quoted, 1, row, row + 1), [n, 1, tokens]));
    return reshape(max(masked, 2), [n, tokens, 1]);
  });
  return concat(
    best.flatMap((value) => [maximum(value, 0), cast(greater(value, equality), 'float32')]),
    2,
  );
}

/** Returns `[n, biasPlanes, tokens * tokens]`, row by row the token that looks and the one that it looks at. */
export function relationPlanes(alike: Tensor, related: RelatedTokens): Tensor {
  const [n = 0, tokens = 0] = alike.shape;
  const flat = (plane: Tensor): Tensor => reshape(plane, [n, 1, tokens * tokens]);
  const truth = (plane: Tensor): Tensor => cast(plane, 'float32');
  const planes = [
    mul(alike, 4),
    mul(truth(greater(alike, equality)), 4),
    ...quantities(related),
    ...order(related.places),
    ...geometry(related),
  ];
  return concat(planes.map(flat), 1);

  function order(places: Tensor): Tensor[] {
    const apart = difference(places);
    const isAt = (distance: number): Tensor => truth(less(abs(add(apart, -distance)), 0.5));
    return [isAt(1), isAt(-1), isAt(2), isAt(-2), truth(less(abs(apart), 4.5))];
  }

  function quantities({ values, known }: RelatedTokens): Tensor[] {
    return quantityNames.flatMap((_, i) => {
      const channel = (channels: Tensor): Tensor => reshape(slice(channels, 2, i, i + 1), [n, tokens]);
      const both = mul(reshape(channel(known), [n, tokens, 1]), reshape(channel(known), [n, 1, tokens]));
      const apart = difference(channel(values));
      const same = truth(less(abs(apart), 1e-6));
      return [mul(mul(both, same), 4), mul(both, clip(apart, -1, 1))];
    });
  }

  function geometry({ boxes, placed }: RelatedTokens): Tensor[] {
    const side = (i: number): Tensor => reshape(slice(boxes, 2, i, i + 1), [n, tokens]);
    const [left, top, right, bottom] = [side(0), side(1), side(2), side(3)] as const;
    const half = (a: Tensor, b: Tensor): Tensor => mul(add(a, b), 0.5);
    const across = difference(half(left, right));
    const down = difference(half(top, bottom));
    const height = maximum(sub(bottom, top), 0.02);
    const lower = minimum(reshape(height, [n, tokens, 1]), reshape(height, [n, 1, tokens]));
    const row = truth(less(abs(down), mul(lower, 0.5)));
    const column = truth(less(abs(across), 0.04));
    const edges: [Tensor, 1 | -1][] = [
      [left, 1],
      [top, 1],
      [right, -1],
      [bottom, -1],
    ];
    const within = edges
      .map(([edge, sign]) => truth(greater(mul(difference(edge), sign), -0.01)))
      .reduce((a, b) => mul(a, b));
    const distance = sqrt(add(add(square(across), square(down)), 1e-6));
    const both = mul(reshape(placed, [n, tokens, 1]), reshape(placed, [n, 1, tokens]));
    return [
      row,
      column,
      mul(row, truth(greater(across, 0))),
      mul(column, truth(greater(down, 0))),
      within,
      transpose(within, [0, 2, 1]),
      mul(neg(distance), 4),
      truth(less(distance, 0.12)),
      truth(less(distance, 0.02)),
    ].map((plane) => mul(plane, both));
  }
}

/** Returns `[n, tokens, tokens]`: the value of the token looked at, less that of the one that looks. */
function difference(values: Tensor): Tensor {
  const [n = 0, tokens = 0] = values.shape;
  return sub(reshape(values, [n, 1, tokens]), reshape(values, [n, tokens, 1]));
}
