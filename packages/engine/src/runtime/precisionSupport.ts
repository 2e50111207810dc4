import { GyreError } from '@gyre/protocol';
import { compile } from './executable.js';
import { type Precision, frozen } from '../tensor/frozen.js';
import { Graph } from '../tensor/graph.js';
import { matmul } from '../tensor/ops.js';
import { ParameterStore } from './parameters.js';

const side = 128;

/**
 * Tests the largest product that every precision computes exactly. Throws 'missing' if the runtime lacks it,
 * 'bad_input' if the processor gets it wrong.
 */
export async function requirePrecision(precision: Precision, product = largestProduct): Promise<void> {
  const fix = precision === 'f32' ? 'reinstall onnxruntime-node' : 'use f32 or another quantisation';
  const computed = await product(precision).catch((cause: unknown) => {
    if (cause instanceof GyreError && cause.code === 'missing') throw cause;
    throw new GyreError('missing', `this onnxruntime-node does not support ${precision} matrix products`, {
      field: 'frozen',
      fix,
      cause,
    });
  });
  if (computed.every((value) => Math.abs(value - side) < 1e-2 * side)) return;
  throw new GyreError('bad_input', `${precision} matrix products overflow on this processor`, { field: 'frozen', fix });
}

/** Multiplies matrices of ones: each is the maximum of its row and column. */
async function largestProduct(precision: Precision): Promise<Float32Array> {
  const parameters = new ParameterStore([{ name: 'w', shape: [side, side], init: 'ones' }], 0);
  const graph = new Graph();
  const y = matmul(graph.input('x', [1, side]), graph.parameter('w', [side, side]));
  const executable = await compile(
    frozen({ y }, parameters, () => precision),
    { threads: 1 },
  );
  const x = new Float32Array(side).fill(1);
  const result = await executable.run({ x }).finally(() => executable.release());
  return result.y as Float32Array;
}
