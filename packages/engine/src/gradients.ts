import { GyreError } from '@gyre/protocol';
import type { Node, Tensor } from './graph.js';
import { add } from './elementwise.js';
import { zeros } from './layout.js';
import { sameShape, show } from './shape.js';

/**
 * The gradients of a loss (float32, shape []) with respect to tensors of its graph, as new tensors of the same graph, in
 * the order of `of`. Where no path leads from a tensor to the loss, its gradient is zeros. Throws 'shape' if the loss is
 * no scalar.
 */
export function gradients(loss: Tensor, of: readonly Tensor[]): Tensor[] {
  if (loss.shape.length !== 0 || loss.dtype !== 'float32') {
    throw new GyreError('shape', `the loss is ${loss.dtype} ${show(loss.shape)}`, {
      field: 'loss',
      fix: 'reduce it to one float32 with sum or mean',
    });
  }
  const nodes = ancestors(loss);
  // Tensors that depend on one of `of` through differentiable nodes. Only these get a gradient.
  const active = new Set(of);
  for (const node of nodes) {
    if (node.rule && node.inputs.some((input) => active.has(input)))
      for (const output of node.outputs) active.add(output);
  }
  const found = new Map<Tensor, Tensor>();
  if (active.has(loss)) found.set(loss, loss.graph.scalar(1));
  for (const node of nodes.reverse()) {
    const arriving = node.outputs.map((output) => found.get(output));
    if (!node.rule || arriving.every((gradient) => gradient === undefined)) continue;
    const thunks = node.rule(arriving, node.outputs);
    node.inputs.forEach((input, place) => {
      const thunk = thunks[place];
      if (!thunk || !active.has(input) || input.dtype !== 'float32') return;
      const gradient = thunk();
      if (!sameShape(gradient.shape, input.shape)) {
        throw new GyreError(
          'shape',
          `the gradient of ${node.op} is ${show(gradient.shape)}, its input ${show(input.shape)}`,
          {
            field: node.op,
          },
        );
      }
      const earlier = found.get(input);
      found.set(input, earlier ? add(earlier, gradient) : gradient);
    });
  }
  return of.map((tensor) => found.get(tensor) ?? zeros(loss.graph, tensor.shape));
}

/** Every node that the tensors depend on, each after the nodes that it depends on itself. */
export function ancestors(...tensors: Tensor[]): Node[] {
  const seen = new Set<Node>();
  const open = [...tensors];
  for (let tensor = open.pop(); tensor; tensor = open.pop()) {
    if (tensor.source.kind !== 'node' || seen.has(tensor.source.node)) continue;
    seen.add(tensor.source.node);
    open.push(...tensor.source.node.inputs);
  }
  return [...seen].sort((a, b) => a.outputs[0]!.id - b.outputs[0]!.id);
}
