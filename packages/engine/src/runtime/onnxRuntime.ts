import { createRequire } from 'node:module';
import { GyreError } from '@gyre/protocol';
import type * as Runtime from 'onnxruntime-node';

const require = createRequire(import.meta.url);
let loaded: typeof Runtime | undefined;

/** Loads ONNX Runtime on first use. It is optional: its install script downloads CUDA libraries and fails offline. */
export function onnxRuntime(): typeof Runtime {
  try {
    return (loaded ??= require('onnxruntime-node') as typeof Runtime);
  } catch (cause) {
    const [message = ''] = (cause as Error).message.split('\n');
    throw new GyreError('missing', `cannot load onnxruntime-node: ${message}`, {
      field: 'onnxruntime-node',
      fix: 'run `npm install --ignore-scripts`; `gyre doctor` checks the rest',
      cause,
    });
  }
}
