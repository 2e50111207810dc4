import { type Graph, type ParameterSpec, type Tensor, ops } from '@gyre/engine';
import { z } from 'zod';
import { blocked, dense, denseParameters, neighbourhood } from './layers.js';

/** Px per cell. */
export const cellSize = 4;
/** Px of a square whose brightness is normalised together; sides of pictures are multiples of it. */
const contrastSize = 8;

const width = z.int().positive();

/** Widths of the detector's layers. */
export const DetectorShape = z.strictObject({
  fine: width.default(24).describe('channels of the first layer'),
  wide: width.default(32).describe('channels of the other layers'),
});
export type DetectorShape = z.infer<typeof DetectorShape>;

/** Distances between the neighbours that each layer joins, in cells: together they reach 8 cells to each side. */
const steps = [1, 2, 4] as const;

/** Outputs are in this many px. */
export const distanceUnit = 16;

export function detectorParameters({ fine, wide }: DetectorShape): ParameterSpec[] {
  return [
    ...denseParameters('fine', 9 * cellSize ** 2, fine),
    ...steps.flatMap((step, i) => denseParameters(`wide${step}`, 9 * (i === 0 ? fine : wide), wide)),
    ...denseParameters('out', wide, 3, 1),
  ];
}

export interface Cells {
  /** Logit of each cell lying in the middle of a line, `[n, rows, columns]`. */
  readonly cores: Tensor;
  /** Distances to the line's top and bottom, in `distanceUnit`, `[n, rows, columns, 2]`. */
  readonly edges: Tensor;
}

/** Maps pictures, uint8 `[n, height, width, 3]`, to cells. */
export function cellsOf(graph: Graph, shape: DetectorShape, pictures: Tensor): Cells {
  const { relu, reshape, slice } = ops;
  const [n = 0, height = 0, length = 0] = pictures.shape;
  const blocks = blocked(reshape(contrastOf(pictures), [n, height, length, 1]), cellSize);
  let x = relu(dense(graph, 'fine', neighbourhood(blocks), shape.fine));
  for (const step of steps) x = relu(dense(graph, `wide${step}`, neighbourhood(x, step), shape.wide));
  const out = dense(graph, 'out', x, 3);
  const [rows, columns] = [height / cellSize, length / cellSize];
  return { cores: reshape(slice(out, 3, 0, 1), [n, rows, columns]), edges: slice(out, 3, 1, 3) };
}

/**
 * Returns the absolute deviation of brightness from the surroundings' mean, in standard deviations, so that text looks
 * the same in every theme (Jarrett et al. 2009).
 */
function contrastOf(pictures: Tensor): Tensor {
  const { abs, add, cast, div, mean, minimum, mul, reshape, sqrt, square, sub } = ops;
  const [n = 0, height = 0, length = 0] = pictures.shape;
  const [rows, columns] = [height / contrastSize, length / contrastSize];
  const brightness = mul(mean(cast(pictures, 'float32'), [3]), 1 / 255);
  const squares = reshape(brightness, [n, rows, contrastSize, columns, contrastSize]);
  const around = (x: Tensor): Tensor => reshape(smooth(mean(x, [2, 4])), [n, rows, 1, columns, 1]);
  const difference = sub(squares, around(squares));
  const deviation = sqrt(add(around(square(difference)), 1e-3));
  return minimum(reshape(div(abs(difference), deviation), [n, height, length]), 4);
}

/** Averages each place of `[n, rows, columns]` with those of its eight neighbours that exist. */
function smooth(x: Tensor): Tensor {
  const { add, div, pad, slice } = ops;
  const total = (y: Tensor): Tensor =>
    [1, 2].reduce((sum, axis) => {
      const length = sum.shape[axis] ?? 0;
      const padded = pad(sum, axis, 1, 1);
      return add(sum, add(slice(padded, axis, 0, length), slice(padded, axis, 2, length + 2)));
    }, y);
  const ones = x.graph.constant(new Float32Array(x.shape.reduce((a, b) => a * b, 1)).fill(1), x.shape);
  return div(total(x), total(ones));
}
