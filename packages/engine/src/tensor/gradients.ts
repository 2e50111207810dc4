import { GyreError } from '@gyre/protocol';
import type { Node, Tensor } from './graph.js';
import { add } from './elementwise.js';
import { zeros } from './layout.js';
import { sameShape, show } from './shape.js';

/**
 * Returns the gradients of a scalar loss, as differentiable tensors; zeros where no path leads. Throws 'shape' for a
 * tensor inside a recomputed block.
 */
export function gradients(loss: Tensor, targets: readonly Tensor[]): Tensor[] {
  if (loss.shape.length !== 0 || loss.dtype !== 'float32') {
    throw new GyreError('shape', `the loss is ${loss.dtype} ${show(loss.shape)}, not one float32`, {
      field: 'loss',
      fix: 'reduce it with sum or mean',
    });
  }
  const nodes = ancestors(loss);
  requireVisible(nodes, targets);
  const results = pullback(loss, loss.graph.scalar(1), targets, nodes);
  return targets.map((tensor, place) => results[place] ?? zeros(loss.graph, tensor.shape));
}

/** Returns the gradients of sum(cotangent * output); undefined where no path leads. */
export function pullback(
  output: Tensor,
  cotangent: Tensor,
  targets: readonly Tensor[],
  nodes: readonly Node[],
): (Tensor | undefined)[] {
  const active = new Set(targets);
  for (const node of nodes) {
    if (node.rule && endsOf(node).some((end) => active.has(end))) for (const made of node.outputs) active.add(made);
  }
  const arrived = new Map<Tensor, Tensor>();
  if (active.has(output)) arrived.set(output, cotangent);
  for (const node of nodes.toReversed()) {
    const arriving = node.outputs.map((made) => arrived.get(made));
    if (!node.rule || arriving.every((gradient) => gradient === undefined)) continue;
    const thunks = node.rule(arriving, node.outputs);
    endsOf(node).forEach((end, place) => {
      const thunk = thunks[place];
      if (!thunk || !active.has(end) || end.dtype !== 'float32') return;
      const gradient = thunk();
      if (!sameShape(gradient.shape, end.shape)) {
        throw new GyreError(
          'shape',
          `the gradient of ${node.op} has shape ${show(gradient.shape)}, but its input has ${show(end.shape)}`,
          {
            field: node.op,
          },
        );
      }
      const earlier = arrived.get(end);
      arrived.set(end, earlier ? add(earlier, gradient) : gradient);
    });
  }
  return targets.map((tensor) => arrived.get(tensor));
}

function endsOf(node: Node): readonly Tensor[] {
  return node.wrt ?? node.inputs;
}

/** Inside a recomputed block, a tensor would get only part of its gradient. */
function requireVisible(nodes: readonly Node[], targets: readonly Tensor[]): void {
  for (const { wrt, inputs } of nodes) {
    if (!wrt) continue;
    const ends = new Set(wrt);
    const inside = new Set(between((tensor) => ends.has(tensor), inputs).flatMap((node) => node.outputs));
    const hidden = targets.find((tensor) => inside.has(tensor));
    if (hidden) {
      throw new GyreError(
        'shape',
        `cannot compute the gradient of a tensor ${show(hidden.shape)} inside a recomputed block`,
        {
          field: 'of',
          fix: 'compute the tensor before the block, or do not recompute it',
        },
      );
    }
  }
}

/** Sorted topologically. */
export function ancestors(...tensors: Tensor[]): Node[] {
  return between(() => false, tensors);
}

/** Sorted topologically. */
export function between(isEnd: (tensor: Tensor) => boolean, tensors: readonly Tensor[]): Node[] {
  const seen = new Set<Node>();
  const open = [...tensors];
  for (let tensor = open.pop(); tensor; tensor = open.pop()) {
    if (tensor.source.kind !== 'node' || isEnd(tensor) || seen.has(tensor.source.node)) continue;
    seen.add(tensor.source.node);
    open.push(...tensor.source.node.inputs);
  }
  return [...seen].sort((a, b) => a.outputs[0]!.id - b.outputs[0]!.id);
}
