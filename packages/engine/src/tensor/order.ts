import type { Node } from './graph.js';

/**
 * The order in which nodes are written, so that results are computed as soon as they can be. The runtime (ORT 1.30) goes back
 * from each result, beginning with the one that is written last, and computes what it needs first. As they were built, that
 * is the gradient of the first layer: then the values and gradients of all layers are there until the other gradients
 * follow. So results come last, the one that was built first at the very end. `nodes` are in the order of their dependencies.
 */
export function resultsEarly(nodes: readonly Node[]): Node[] {
  const used = new Set(nodes.flatMap((node) => node.inputs));
  const isResult = (node: Node) => !node.outputs.some((output) => used.has(output));
  return [...nodes.filter((node) => !isResult(node)), ...nodes.filter(isResult).reverse()];
}
