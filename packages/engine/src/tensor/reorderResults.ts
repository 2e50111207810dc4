import type { Node } from './graph.js';

/**
 * Moves results to the end, in reverse. The runtime (ORT 1.30) computes the dependencies of each result, last one
 * first. In building order, that starts with the first layer's gradient, for which all layers' values must be stored.
 */
export function reorderResults(nodes: readonly Node[]): Node[] {
  const used = new Set(nodes.flatMap((node) => node.inputs));
  const isResult = (node: Node) => !node.outputs.some((output) => used.has(output));
  return [...nodes.filter((node) => !isResult(node)), ...nodes.filter(isResult).reverse()];
}
