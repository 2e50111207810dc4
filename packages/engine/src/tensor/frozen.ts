import { ancestors } from './gradients.js';
import { Graph, type Node, type Tensor } from './graph.js';
import { abs, add, cast, max, mul, reshape } from './ops.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { blockLength, int4Blocks, int8Columns } from './quantisation.js';
import { sizeOf, type Shape } from './shape.js';

/**
 * `w8a8`: 8-bit weights with a scale per column, 8-bit activations with a scale per row. `w4a8`: 4-bit weights with a
 * scale per 32 numbers of a column.
 */
export const precisions = ['f32', 'w8a8', 'w4a8'] as const;
export type Precision = (typeof precisions)[number];
export type PrecisionOf = (name: string) => Precision;

/** Below, quantising activations costs more than it saves. */
const smallestQuantised = 16_384;

/**
 * Copies outputs into a graph with constant parameters, which the runtime lays out once and folds. Matrices of at least
 * `smallestQuantised` numbers are quantised. Rows do not affect each other. There are no gradients.
 */
export function frozen(
  outputs: Readonly<Record<string, Tensor>>,
  parameters: ParameterStore,
  precisionOf: PrecisionOf,
): Record<string, Tensor> {
  const tensors = Object.values(outputs);
  const nodes = ancestors(...tensors);
  const matrices = quantisedMatrices(nodes, precisionOf);
  const graph = new Graph(tensors[0]?.graph);
  const copies = new Map<Tensor, Tensor>();
  const copy = (tensor: Tensor): Tensor => {
    const { source, shape } = tensor;
    const copied =
      copies.get(tensor) ??
      (source.kind === 'parameter' ? graph.constant(parameters.view(source.name), shape) : graph.copyLeaf(tensor));
    copies.set(tensor, copied);
    return copied;
  };
  for (const node of nodes) {
    const inputs = node.inputs.map(copy);
    const matrix = matrices.get(node);
    const results = matrix
      ? [quantisedProduct(inputs, parameters.view(matrix), node.outputs[0]!.shape[1]!, precisionOf(matrix))]
      : graph.nodes(node.op, inputs, node.outputs, { domain: node.domain, attributes: node.attributes });
    for (const [place, output] of node.outputs.entries()) copies.set(output, results[place]!);
  }
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, copy(tensor)]));
}

export function frozenBytes(outputs: readonly Tensor[], precisionOf: PrecisionOf): number {
  const nodes = ancestors(...outputs);
  const matrices = new Set(quantisedMatrices(nodes, precisionOf).values());
  const shapes = new Map<string, Shape>();
  for (const { source, shape } of nodes.flatMap(({ inputs }) => inputs)) {
    if (source.kind === 'parameter') shapes.set(source.name, shape);
  }
  let bytes = 0;
  for (const [name, shape] of shapes) {
    const [inner = 1, columns = 1] = shape;
    if (!matrices.has(name)) bytes += 4 * sizeOf(shape);
    else if (precisionOf(name) === 'w8a8') bytes += columns * (inner + 4);
    else bytes += columns * Math.ceil(inner / blockLength) * (blockLength / 2 + 4);
  }
  return bytes;
}

function quantisedMatrices(nodes: readonly Node[], precisionOf: PrecisionOf): Map<Node, string> {
  const matrices = new Map<Node, string>();
  // Depend on an input; the session computes other tensors once.
  const varying = new Set<Tensor>();
  for (const node of nodes) {
    const { op, inputs, outputs, attributes } = node;
    if (!inputs.some((input) => input.source.kind === 'input' || varying.has(input))) continue;
    for (const output of outputs) varying.add(output);
    const [x, w] = inputs;
    const isPlain = (op === 'MatMul' || op === 'Gemm') && Object.keys(attributes).length === 0;
    if (!isPlain || x?.shape.length !== 2 || w?.source.kind !== 'parameter') continue;
    if (sizeOf(w.shape) >= smallestQuantised && precisionOf(w.source.name) !== 'f32') matrices.set(node, w.source.name);
  }
  return matrices;
}

/** `inputs` are x `[rows, inner]`, W (`matrix`) and the bias `[columns]`. */
function quantisedProduct(
  [x, , bias]: readonly Tensor[],
  matrix: Float32Array,
  columns: number,
  precision: Precision,
): Tensor {
  const product = (precision === 'w8a8' ? product8 : product4)(x!, matrix, columns);
  return bias ? add(product, bias) : product;
}

/**
 * Signed activations have no fast kernel (ORT 1.30, AVX-512). Scales per row cost a third more than
 * `DynamicQuantizeLinear`'s single one, which would make rows depend on their batch.
 */
function product8(x: Tensor, matrix: Float32Array, columns: number): Tensor {
  const { graph } = x;
  const [rows, inner] = x.shape as [number, number];
  const { values, scales } = int8Columns(matrix, columns);
  const rowScales = add(mul(max(abs(x), 1), 1 / 127), 1e-12);
  const middle = graph.constant(new Uint8Array(rows).fill(128), [rows]);
  const whole = graph.node('QuantizeLinear', [x, rowScales, middle], x.shape, 'uint8', { attributes: { axis: 0 } });
  const sums = graph.node(
    'MatMulInteger',
    [whole, graph.constant(values, [inner, columns]), graph.constant(Uint8Array.of(128), [])],
    [rows, columns],
    'int32',
  );
  return mul(mul(cast(sums, 'float32'), graph.constant(scales, [columns])), reshape(rowScales, [rows, 1]));
}

function product4(x: Tensor, matrix: Float32Array, columns: number): Tensor {
  const { graph } = x;
  const [rows, inner] = x.shape as [number, number];
  const { packed, scales, blocks } = int4Blocks(matrix, columns);
  const weights = graph.constant(packed, [columns, blocks, blockLength / 2]);
  return graph.node(
    'MatMulNBits',
    [x, weights, graph.constant(scales, [columns * blocks])],
    [rows, columns],
    'float32',
    {
      domain: 'com.microsoft',
      // Level 4 quantises activations to 8 bits.
      attributes: { K: inner, N: columns, bits: 4, block_size: blockLength, accuracy_level: 4 },
    },
  );
}
