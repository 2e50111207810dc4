import { GyreError } from '@gyre/protocol';
import type * as ort from 'onnxruntime-node';
import { stopGradient } from '../tensor/elementwise.js';
import { gibibytes } from './footprint.js';
import { ancestors } from '../tensor/gradients.js';
import { Graph, type Backend } from '../tensor/graph.js';
import { writeModel } from '../tensor/onnx.js';
import { onnxRuntime } from './onnxRuntime.js';
import { withoutAdapter } from './vulkan.js';

export interface SessionOptions {
  backend: Backend;
  threads: number;
  spinning?: boolean;
  /** See `CompileOptions`. */
  profile?: string | undefined;
  /** Whether outputs stay on the device. */
  onDevice?: boolean;
  /** What the graph needs of memory, for the message when there is not enough. */
  bytes: number;
}

/**
 * Opens an ONNX model in the runtime. Throws 'shape' if it refuses the graph, 'bad_input' if there is not enough memory, and
 * 'missing' if it is for WebGPU and no adapter can be had.
 */
export async function openSession(model: Uint8Array, options: SessionOptions): Promise<ort.InferenceSession> {
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
      // A plan of the memory made from the first run would be allocated beside what that run has left: nearly twice as much.
      enableMemPattern: false,
      // What goes wrong in a run is thrown; the runtime would print it as well.
      logSeverityLevel: 4,
      ...(profile === undefined ? {} : { enableProfiling: true, profileFilePrefix: profile }),
      ...(onDevice ? { preferredOutputLocation: 'gpu-buffer' as const } : {}),
      extra: { session: { intra_op: { allow_spinning: spinning ? '1' : '0' } } },
    });
  } catch (cause) {
    if (isOutOfMemory(cause)) throw outOfMemory(bytes, cause);
    const { message } = cause as Error;
    // The runtime has no code for it: it is known by its message alone.
    if (backend === 'webgpu' && /WebGPU (adapter|device)|backend not found/i.test(message)) throw withoutAdapter(cause);
    throw new GyreError('shape', `the runtime refuses the graph: ${message}`, { cause });
  }
}

let held: Promise<unknown> | undefined;

/**
 * Opens a session that stays. The shaders that have been compiled belong to the device, and the runtime lets go of that with the
 * last session that uses it: without this, a graph that is compiled again would take seconds again.
 */
async function holdDevice(): Promise<unknown> {
  const x = new Graph({ backend: 'webgpu' }).input('x', [1]);
  const y = stopGradient(x);
  try {
    return await onnxRuntime().InferenceSession.create(writeModel(ancestors(y), [x], [], [y]), {
      executionProviders: ['webgpu'],
      logSeverityLevel: 4,
    });
  } catch (error) {
    held = undefined;
    throw error;
  }
}

/** The runtime has no code for it: it is known by its message alone. */
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
