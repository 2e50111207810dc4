import type { Node } from './graph.js';

/**
 * Orders nodes so that results are computed early. The runtime (ORT 1.30) goes back from each result, last one first, and computes its
 * dependencies. In the order of building that is the first layer's gradient, and the values of all layers would wait for the others. So
 * results come last, in reverse. `nodes` are in the order of dependencies.
 */
export function resultsEarly(nodes: readonly Node[]): Node[] {
  const used = new Set(nodes.flatMap((node) => node.inputs));
  const isResult = (node: Node) => !node.outputs.some((output) => used.has(output));
  return [...nodes.filter((node) => !isResult(node)), ...nodes.filter(isResult).reverse()];
}
