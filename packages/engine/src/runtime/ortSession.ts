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

export async function openOrtSession(model: Uint8Array, options: OrtSessionOptions): Promise<ort.InferenceSession> {
  const { backend, threads, spinning = false, profile, onDevice = false, bytes } = options;
  const { InferenceSession } = onnxRuntime();
  try {
    if (backend === 'webgpu') await (deviceSession ??= holdDevice());
    return await InferenceSession.create(model, {
      executionProviders: backend === 'webgpu' ? ['webgpu', 'cpu'] : ['cpu'],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      // A memory plan would be allocated while the first run's memory is still held, nearly doubling the peak.
      enableMemPattern: false,
      // Run errors are thrown; logging would print them twice.
      logSeverityLevel: 4,
      ...(profile === undefined ? {} : { enableProfiling: true, profileFilePrefix: profile }),
      ...(onDevice ? { preferredOutputLocation: 'gpu-buffer' as const } : {}),
      extra: { session: { intra_op: { allow_spinning: spinning ? '1' : '0' } } },
    });
  } catch (cause) {
    if (isOutOfMemory(cause)) throw outOfMemory(bytes, cause);
    const { message } = cause as Error;
    // The runtime reports it only in the message.
    if (backend === 'webgpu' && /WebGPU (adapter|device)|backend not found/i.test(message)) throw withoutAdapter(cause);
    throw new GyreError('shape', `the runtime rejected the graph: ${message}`, { cause });
  }
}

let deviceSession: Promise<unknown> | undefined;

/**
 * Keeps a session open: the runtime drops the device and its compiled shaders with the last session, and recompiling
 * takes seconds.
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
    deviceSession = undefined;
    throw error;
  }
}

export function isOutOfMemory(cause: unknown): boolean {
  return /bad_alloc|allocat/i.test((cause as Error).message);
}

export function outOfMemory(bytes: number, cause: unknown): GyreError {
  return new GyreError('bad_input', `not enough memory for a graph of about ${gibibytes(bytes)}`, {
    field: 'memory',
    fix: 'reduce the batch size, or release unused executables',
    cause,
  });
}
