import { GyreError } from '@gyre/protocol';
import { ancestors } from './gradients.js';
import { Tensor, type Node } from './graph.js';
import { type ModelOptions, nameOf, writeModel } from './onnx.js';
import { reorderResults } from './reorderResults.js';
import { deterministicProducts } from './deterministicProducts.js';

export interface Program {
  /** Sorted topologically. */
  readonly nodes: readonly Node[];
  readonly fed: readonly Tensor[];
  readonly constants: readonly Tensor[];
  readonly outputs: ReadonlyMap<string, Tensor>;
  write(options?: ModelOptions): Uint8Array;
}

export function programOf(outputs: Readonly<Record<string, Tensor>>, steady: boolean): Program {
  const tensors = Object.entries(outputs);
  const graph = tensors[0]?.[1].graph;
  if (!graph)
    throw new GyreError('shape', 'the program has no outputs', { field: 'outputs', fix: 'pass at least one output' });
  for (const [name, tensor] of tensors) {
    if (tensor.graph !== graph) throw new GyreError('shape', 'the outputs belong to different graphs', { field: name });
    if (tensor.dtype === 'int64') {
      throw new GyreError('shape', `output ${name} is int64`, { field: name, fix: 'cast it to int32' });
    }
  }
  const ancestorNodes = ancestors(...tensors.map(([, tensor]) => tensor));
  const nodes = steady ? deterministicProducts(ancestorNodes) : ancestorNodes;
  const leaves = new Set([...nodes.flatMap((node) => node.inputs), ...tensors.map(([, tensor]) => tensor)]);
  const fed: Tensor[] = [];
  const constants: Tensor[] = [];
  for (const leaf of leaves) {
    if (leaf.source.kind === 'constant') constants.push(leaf);
    else if (leaf.source.kind !== 'node') fed.push(leaf);
  }
  // Two outputs may be the same tensor, and one may be an input.
  const named = tensors.map(([name, tensor], place) => {
    const outputs: Tensor[] = [];
    const node: Node = { op: 'Identity', domain: '', inputs: [tensor], outputs, attributes: {} };
    const output = new Tensor(graph, -1 - place, tensor.shape, tensor.dtype, { kind: 'node', node });
    outputs.push(output);
    return { name, output, node };
  });
  const names = named.map(({ node }) => node).sort((a, b) => b.inputs[0]!.id - a.inputs[0]!.id);
  return {
    nodes,
    fed,
    constants,
    outputs: new Map(named.map(({ name, output }) => [name, output])),
    write: (options) =>
      writeModel(
        {
          nodes: [...reorderResults(nodes), ...names],
          inputs: fed,
          constants,
          outputs: named.map(({ output }) => output),
        },
        options,
      ),
  };
}

export function onnxModel(
  outputs: Readonly<Record<string, Tensor>>,
  options: Omit<ModelOptions, 'name'> = {},
): Uint8Array {
  const program = programOf(outputs, false);
  const names = new Map([...program.outputs].map(([name, tensor]) => [tensor, name]));
  for (const { source } of program.fed) {
    if (source.kind !== 'parameter') continue;
    throw new GyreError('shape', `parameter ${source.name} is not frozen`, {
      field: source.name,
      fix: 'freeze the graph first',
    });
  }
  const name = (tensor: Tensor) =>
    tensor.source.kind === 'input' ? tensor.source.name : (names.get(tensor) ?? nameOf(tensor));
  return program.write({ ...options, name });
}
