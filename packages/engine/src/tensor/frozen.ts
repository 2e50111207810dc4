import { ancestors } from './gradients.js';
import { Graph, type Node, type Tensor } from './graph.js';
import { abs, add, cast, max, mul, reshape } from './ops.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { blockLength, int4Blocks, int8Columns } from './quantisation.js';
import { sizeOf, type Shape } from './shape.js';

/**
 * How products with weights are computed where nothing is learnt. `f32`: as in training. `w8a8`: weights of 8 bits with a scale
 * for each column, activations of 8 bits with a scale for each row, found when it runs. `w4a8`: weights of 4 bits with a scale for
 * every 32 of a column, activations of 8 bits likewise.
 */
export const precisions = ['f32', 'w8a8', 'w4a8'] as const;
export type Precision = (typeof precisions)[number];
/** That of each parameter, by its name. */
export type PrecisionOf = (name: string) => Precision;

/** Weights with fewer numbers stay float32: quantising the activations would cost more than is gained. */
export const smallestQuantised = 16_384;

/**
 * The same outputs in a graph of their own in which the parameters are constants, so that the runtime can lay them out once and
 * fold what depends on nothing else. Products of activations with matrices of at least `smallestQuantised` numbers are computed
 * in the precision of the matrix; the rest is float32. A row's result does not depend on the other rows. Has no gradients, and
 * stays as it is when the parameters change. Throws 'shape' if a parameter is not in the store.
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
  const made = new Map<Tensor, Tensor>();
  const copy = (tensor: Tensor): Tensor => {
    const { source, shape } = tensor;
    const copied =
      made.get(tensor) ??
      (source.kind === 'parameter' ? graph.constant(parameters.view(source.name), shape) : graph.copyLeaf(tensor));
    made.set(tensor, copied);
    return copied;
  };
  for (const node of nodes) {
    const inputs = node.inputs.map(copy);
    const matrix = matrices.get(node);
    const results = matrix
      ? [quantisedProduct(inputs, parameters.view(matrix), node.outputs[0]!.shape[1]!, precisionOf(matrix))]
      : graph.nodes(node.op, inputs, node.outputs, { domain: node.domain, attributes: node.attributes });
    for (const [place, output] of node.outputs.entries()) made.set(output, results[place]!);
  }
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, copy(tensor)]));
}

/** Bytes of all weights that the outputs, which may be of several graphs, depend on, each once, as `frozen` keeps them. */
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

/** The names of the weights of those products that are to be quantised. */
function quantisedMatrices(nodes: readonly Node[], precisionOf: PrecisionOf): Map<Node, string> {
  const found = new Map<Node, string>();
  // What does not depend on an input is computed once, when the session is built: without loss.
  const varying = new Set<Tensor>();
  for (const node of nodes) {
    const { op, inputs, outputs, attributes } = node;
    if (!inputs.some((input) => input.source.kind === 'input' || varying.has(input))) continue;
    for (const output of outputs) varying.add(output);
    const [x, w] = inputs;
    const isPlain = (op === 'MatMul' || op === 'Gemm') && Object.keys(attributes).length === 0;
    if (!isPlain || x?.shape.length !== 2 || w?.source.kind !== 'parameter') continue;
    if (sizeOf(w.shape) >= smallestQuantised && precisionOf(w.source.name) !== 'f32') found.set(node, w.source.name);
  }
  return found;
}

/** x W, plus the bias if there is one: `inputs` are x `[rows, inner]`, W, whose numbers are `matrix`, and the bias `[columns]`. */
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
 * In operators of ONNX itself. Activations are unsigned, around 128: with signed ones the runtime (ORT 1.30, AVX-512) has no fast
 * kernel. A scale for each row costs about a third more than `DynamicQuantizeLinear`'s one for
 * all, with which a row's result would depend on the batch that it is in.
 */
function product8(x: Tensor, matrix: Float32Array, columns: number): Tensor {
  const { graph } = x;
  const [rows, inner] = x.shape as [number, number];
  const { values, scales } = int8Columns(matrix, columns);
  // A row of zeros must not be divided by zero.
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
      // Level 4 quantises the activations to 8 bits.
      attributes: { K: inner, N: columns, bits: 4, block_size: blockLength, accuracy_level: 4 },
    },
  );
}
