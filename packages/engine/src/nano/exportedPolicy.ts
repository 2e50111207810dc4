import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError, type Size } from '@gyre/protocol';
import { type Precision, frozen } from '../tensor/frozen.js';
import type { Tensor } from '../tensor/graph.js';
import type { HalfType } from '../checkpoint/half.js';
import { ParameterStore } from '../runtime/parameters.js';
import { onnxModel, programOf } from '../tensor/program.js';
import { hasReader } from '../eyes/nativeArchitecture.js';
import { pixelPolicyName } from './builtInWeights.js';
import { longestAction, longestContext } from './architecture.js';
import { describeExport, exportedFormat } from './exportedFormat.js';
import { encodeGraph, prefillGraph, stepGraph } from './graphs.js';
import { Model } from './model.js';
import { policyPrecision } from './policyPrecision.js';
import type { PolicyCheckpoint } from './policyCheckpoint.js';

export interface ExportOptions {
  readonly screen: Size;
  readonly screenshots?: number;
  readonly precision?: Precision;
  /** Stores unquantised weights; computation is float32. */
  readonly half?: HalfType | undefined;
}

export type ExportedFiles = Readonly<Record<string, number>>;

/**
 * Exports standalone ONNX files: `encode.onnx` (pixels to features), `prefill.onnx` (features and context to the first
 * token's logits), `step.onnx` (one more token), and `policy.json`, which documents them. Only `w4a8` needs
 * com.microsoft's `MatMulNBits`.
 */
export async function exportPolicy(
  directory: string,
  { tensors, metadata, architecture }: PolicyCheckpoint,
  { screen, screenshots = 1, precision = 'f32', half }: ExportOptions,
): Promise<ExportedFiles> {
  if (architecture.role !== 'policy') {
    throw new GyreError('bad_input', 'the checkpoint holds a critic, not a policy', {
      field: 'checkpoint',
      fix: 'use the checkpoint of a policy',
    });
  }
  if (hasReader(architecture)) {
    throw new GyreError('bad_input', 'a policy with a reader cannot be exported: its input is more than pixels', {
      field: 'checkpoint',
      fix: `use a policy without a reader, such as ${pixelPolicyName}`,
    });
  }
  if (screenshots > architecture.screenshots) {
    throw new GyreError(
      'bad_input',
      `the policy takes at most ${architecture.screenshots} screenshots, not ${screenshots}`,
      {
        field: 'screenshots',
        fix: `use ${architecture.screenshots} or fewer`,
      },
    );
  }
  const model = new Model(architecture, 'cpu', true);
  const parameters = new ParameterStore([...model.parameters], 0);
  parameters.restore(tensors);
  const shape = { n: 1, screen, screenshots };
  const graphs = {
    encode: () => encodeGraph(model, 1, screen),
    prefill: () => prefillGraph(model, { ...shape, context: longestContext }),
    step: () => stepGraph(model, { ...shape, length: longestContext + longestAction }),
  };
  const files: Record<string, number> = {};
  const write = async (name: string, content: Uint8Array | string) => {
    files[name] = Buffer.byteLength(content);
    await writeFile(join(directory, name), content);
  };
  try {
    await mkdir(directory, { recursive: true });
    const models: Record<string, unknown> = {};
    for (const [name, build] of Object.entries(graphs)) {
      const outputs = frozen(build(), parameters, policyPrecision(precision));
      await write(`${name}.onnx`, onnxModel(outputs, { half }));
      models[name] = { file: `${name}.onnx`, ...signatureOf(outputs) };
    }
    // Written last to mark a complete directory.
    const description = {
      format: exportedFormat,
      architecture,
      policyVersion: Number(metadata.policyVersion ?? 0),
      weights: { precision, half: half ?? 'none' },
      screen,
      screenshots,
      models,
      ...describeExport(screen),
    };
    await write('policy.json', `${JSON.stringify(description, null, 2)}\n`);
  } catch (cause) {
    if (cause instanceof GyreError) throw cause;
    throw new GyreError('storage', `cannot write ${directory}: ${(cause as Error).message}`, {
      field: directory,
      fix: 'free some disk space, or name a writable directory',
      cause,
    });
  }
  return files;
}

function signatureOf(outputs: Readonly<Record<string, Tensor>>): Record<'inputs' | 'outputs', unknown> {
  const described = (name: string, { dtype, shape }: Tensor) => ({ name, dtype, shape });
  return {
    inputs: programOf(outputs, false).fed.flatMap((tensor) =>
      tensor.source.kind === 'input' ? [described(tensor.source.name, tensor)] : [],
    ),
    outputs: Object.entries(outputs).map(([name, tensor]) => described(name, tensor)),
  };
}
