import { totalmem } from 'node:os';
import { GyreError } from '@gyre/protocol';
import type { DType, Node, Tensor } from '../tensor/graph.js';
import { show, sizeOf } from '../tensor/shape.js';

const bytesOf: Readonly<Record<DType, number>> = { float32: 4, int32: 4, int64: 8, bool: 1, uint8: 1, int8: 1 };

function bytesOfTensor({ shape, dtype }: Tensor): number {
  return sizeOf(shape) * bytesOf[dtype];
}

/** Estimates a session's peak: constants plus the outputs alive at once in node order. */
export function peakBytes(nodes: readonly Node[], constants: readonly Tensor[], outputs: readonly Tensor[]): number {
  const lastUse = new Map<Tensor, number>();
  for (const [place, { inputs, outputs: results }] of nodes.entries()) {
    for (const tensor of [...results, ...inputs]) lastUse.set(tensor, place);
  }
  for (const tensor of outputs) lastUse.set(tensor, Infinity);
  let alive = constants.reduce((sum, tensor) => sum + bytesOfTensor(tensor), 0);
  let peak = alive;
  for (const [place, { inputs, outputs: results }] of nodes.entries()) {
    for (const tensor of results) alive += bytesOfTensor(tensor);
    peak = Math.max(peak, alive);
    for (const tensor of new Set([...results, ...inputs])) {
      if (tensor.source.kind === 'node' && lastUse.get(tensor) === place) alive -= bytesOfTensor(tensor);
    }
  }
  return peak;
}

export function requireFittingTensors(tensors: Iterable<Tensor>): void {
  const limit = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  for (const tensor of tensors) {
    if (bytesOfTensor(tensor) <= limit) continue;
    const { source } = tensor;
    const name = source.kind === 'node' ? source.node.op : source.kind === 'constant' ? 'constant' : source.name;
    throw new GyreError(
      'bad_input',
      `${name} ${show(tensor.shape)} takes ${gibibytes(bytesOfTensor(tensor))}, but this machine has ${gibibytes(limit)}`,
      { field: name, fix: 'reduce the batch size' },
    );
  }
}

export function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toPrecision(3)} GiB`;
}
