import { GyreError } from '@gyre/protocol';
import type * as ort from 'onnxruntime-node';
import { stopGradient } from '../tensor/elementwise.js';
import { gibibytes } from './footprint.js';
import { ancestors } from '../tensor/gradients.js';
import { Graph, type Backend } from '../tensor/graph.js';
import { writeModel } from '../tensor/onnx.js';
import { onnxRuntime } from './onnxRuntime.js';
import { withoutAdapter } from './vulkan.js';

export interface OrtSessionOptions {
  backend: Backend;
  threads: number;
  spinning?: boolean;
  profile?: string | undefined;
  onDevice?: boolean;
  bytes: number;
}

/**
 * Opens an ONNX model in the runtime. Throws 'shape' if it refuses the graph, 'bad_input' if memory does not suffice, and 'missing' if
 * there is no WebGPU adapter.
 */
export async function openOrtSession(model: Uint8Array, options: OrtSessionOptions): Promise<ort.InferenceSession> {
  const { backend, threads, spinning = false, profile, onDevice = false, bytes } = options;
  const { InferenceSession } = onnxRuntime();
  try {
    if (backend === 'webgpu') await (held ??= holdDevice());
    return await InferenceSession.create(model, {
      executionProviders: backend === 'webgpu' ? ['webgpu', 'cpu'] : ['cpu'],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      // A memory plan from the first run would be allocated beside that run's memory: nearly twice as much.
      enableMemPattern: false,
      // Errors of a run are thrown; the runtime would print them too.
      logSeverityLevel: 4,
      ...(profile === undefined ? {} : { enableProfiling: true, profileFilePrefix: profile }),
      ...(onDevice ? { preferredOutputLocation: 'gpu-buffer' as const } : {}),
      extra: { session: { intra_op: { allow_spinning: spinning ? '1' : '0' } } },
    });
  } catch (cause) {
    if (isOutOfMemory(cause)) throw outOfMemory(bytes, cause);
    const { message } = cause as Error;
    // The runtime has no code for it, only a message.
    if (backend === 'webgpu' && /WebGPU (adapter|device)|backend not found/i.test(message)) throw withoutAdapter(cause);
    throw new GyreError('shape', `the runtime refuses the graph: ${message}`, { cause });
  }
}

let held: Promise<unknown> | undefined;

/**
 * Opens a session that stays: compiled shaders belong to the device, which the runtime drops with its last session. Recompiling them takes
 * seconds.
 */
async function holdDevice(): Promise<unknown> {
  const x = new Graph({ backend: 'webgpu' }).input('x', [1]);
  const y = stopGradient(x);
  try {
    return await onnxRuntime().InferenceSession.create(writeModel({ nodes: ancestors(y), inputs: [x], outputs: [y] }), {
      executionProviders: ['webgpu'],
      logSeverityLevel: 4,
    });
  } catch (error) {
    held = undefined;
    throw error;
  }
}

export function isOutOfMemory(cause: unknown): boolean {
  return /bad_alloc|allocat/i.test((cause as Error).message);
}

export function outOfMemory(bytes: number, cause: unknown): GyreError {
  return new GyreError('bad_input', `not enough memory for a graph of about ${gibibytes(bytes)}`, {
    field: 'memory',
    fix: 'make the batch smaller, or release executables that are not needed',
    cause,
  });
}
