import { type Graph, type ParameterSpec, type Tensor, ops } from '@gyre/engine';

/** Lists `NAME.w` and `NAME.b` of a linear layer. `gain` 2 suits a ReLU after it. */
export function denseParameters(name: string, from: number, to: number, gain = 2): ParameterSpec[] {
  return [
    { name: `${name}.w`, shape: [from, to], init: { normal: Math.sqrt(gain / from) } },
    { name: `${name}.b`, shape: [to], init: 'zeros' },
  ];
}

/** Lists `NAME.g` and `NAME.s` of a layer norm. */
export function normParameters(name: string, width: number): ParameterSpec[] {
  return [
    { name: `${name}.g`, shape: [width], init: 'ones' },
    { name: `${name}.s`, shape: [width], init: 'zeros' },
  ];
}

/** Maps the last axis from the layer's inputs to its `to` outputs. */
export function dense(graph: Graph, name: string, x: Tensor, to: number): Tensor {
  const w = graph.parameter(`${name}.w`, [x.shape.at(-1) ?? 0, to]);
  return ops.linear(x, w, graph.parameter(`${name}.b`, [to]));
}

/** Added to variances: blank places have none, and would get gradients hundreds of times as large as others. */
const blankVariance = 0.05;

export function norm(graph: Graph, name: string, x: Tensor): Tensor {
  const width = [x.shape.at(-1) ?? 0];
  return ops.layerNorm(x, graph.parameter(`${name}.g`, width), graph.parameter(`${name}.s`, width), blankVariance);
}

/** Joins each place with its neighbours at multiples of `step` along an axis, zeros outside, on the last axis. */
export function beside(x: Tensor, axis: number, reach = 1, step = 1): Tensor {
  const length = x.shape[axis] ?? 0;
  const padded = ops.pad(x, axis, reach * step, reach * step);
  const shifted = Array.from({ length: 2 * reach + 1 }, (_, i) => ops.slice(padded, axis, i * step, i * step + length));
  return ops.concat(shifted, x.shape.length - 1);
}

/** Joins each place of `[n, rows, columns, channels]` with its eight neighbours, on the last axis. */
export function neighbourhood(x: Tensor, step = 1): Tensor {
  return beside(beside(x, 2, 1, step), 1, 1, step);
}

/** Maps `[n, rows, columns, channels]` to `[n, rows / side, columns / side, side² channels]`. */
export function blocked(x: Tensor, side = 2): Tensor {
  const [n = 0, rows = 0, columns = 0, channels = 0] = x.shape;
  const [down, across] = [rows / side, columns / side];
  const split = ops.reshape(x, [n, down, side, across, side, channels]);
  return ops.reshape(ops.transpose(split, [0, 1, 3, 2, 4, 5]), [n, down, across, side * side * channels]);
}
