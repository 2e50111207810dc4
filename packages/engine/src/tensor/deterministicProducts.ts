import { Tensor, type Attribute, type Node } from './graph.js';
import { sizeOf } from './shape.js';

/**
 * Transposes matrix products (a b = (b' a')') whose last bits would depend on the number of threads.
 *
 * The runtime (MLAS, `sgemm.cpp`) sums over the inner length in pieces whose size depends on a thread's columns. It
 * splits columns among threads if they outnumber the rows, else rows; transposed, they do not. A single column has
 * another kernel, which takes four rows at a time from the thread's start; transposed, threads start at multiples of
 * 16.
 */
export function deterministicProducts(nodes: readonly Node[]): Node[] {
  // Below the ids of the graph and the outputs.
  let id = -1_000_000;
  return nodes.flatMap((node) => {
    const { outputs, attributes, op } = node;
    const [a, b, bias] = node.inputs;
    const [product] = outputs;
    if (!a || !b || !product || !isUnsteady(node, product)) return [node];
    const swapped = product.shape.with(-1, product.shape.at(-2)!).with(-2, product.shape.at(-1)!);
    const make = (
      name: string,
      domain: Node['domain'],
      inputs: readonly Tensor[],
      nodeAttributes: Readonly<Record<string, Attribute>>,
      result?: Tensor,
    ): Node => {
      const results: Tensor[] = [];
      const step: Node = { op: name, domain, inputs, outputs: results, attributes: nodeAttributes };
      const shape = name === 'FusedMatMul' ? swapped : product.shape;
      results.push(result ?? new Tensor(product.graph, id--, shape, 'float32', { kind: 'node', node: step }));
      return step;
    };
    // The runtime would fuse a Gemm and its Transpose back into the original.
    const turned = make('FusedMatMul', 'com.microsoft', [b, a], {
      transA: attributes.transB ? 0 : 1,
      transB: attributes.transA ? 0 : 1,
      alpha: attributes.alpha ?? { float: 1 },
    });
    const axes = [...product.shape.keys()];
    const perm = [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!];
    const back = make('Transpose', '', turned.outputs, { perm }, op === 'Gemm' && bias ? undefined : product);
    return op === 'Gemm' && bias
      ? [turned, back, make('Add', '', [back.outputs[0]!, bias], {}, product)]
      : [turned, back];
  });
}

function isUnsteady({ op, inputs, attributes }: Node, { shape }: Tensor): boolean {
  if (op !== 'MatMul' && op !== 'Gemm' && op !== 'FusedMatMul') return false;
  // Batched products are split as wholes.
  if (sizeOf(shape.slice(0, -2)) > 1) return false;
  const [m, n] = [shape.at(-2)!, shape.at(-1)!];
  const k = inputs[0]!.shape.at(attributes.transA ? -2 : -1)!;
  // Smaller products get one thread; an inner length up to 128 is one piece, and up to 16 columns go to one thread.
  if (m === 1 || m * n * k < 65_536) return false;
  return n === 1 || (n > m && n > 16 && k > 128);
}
