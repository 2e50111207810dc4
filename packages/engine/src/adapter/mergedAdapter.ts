import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { type Checkpoint, type CheckpointTensor, loadCheckpoint, saveCheckpoint } from '../checkpoint/checkpoint.js';
import type { HalfType } from '../checkpoint/half.js';
import { show } from '../tensor/shape.js';
import { type AdapterModule, adapterModules } from './adapter.js';
import { type AdapterConfig, configFile, readAdapterConfig, weightsFile } from './adapterConfig.js';
import { writeAdapterFolder } from './adapterFolder.js';

export interface MergedAdapter {
  /** Rank of every module, which is also the `lora_alpha`. */
  readonly rank: number;
  readonly modules: number;
  readonly config: AdapterConfig;
  readonly checkpoint: Checkpoint;
}

interface Adapter {
  readonly folder: string;
  /** Normalised. */
  readonly weight: number;
  readonly config: AdapterConfig;
  readonly tensors: Checkpoint['tensors'];
  readonly modules: ReadonlyMap<string, AdapterModule>;
}

/**
 * Averages LoRA adapters of one base model, in folders of PEFT's format. The result's update of each module is exactly
 * the weighted mean of the adapters' updates `scale B A`: A and B are concatenated along the rank, with the weights and
 * scales in B. An adapter without a module has update 0 there. Ranks and alphas may differ; zeros fill modules up to
 * the largest sum of ranks.
 *
 * @param weights normalised by their sum; may be negative. Default: equal.
 * @throws GyreError `bad_input` for other base models, and for features by name whose update is not `scale B A`, such
 *   as DoRA; `shape`; `corrupt`; `missing`
 */
export async function mergeAdapters(
  folders: readonly string[],
  weights: readonly number[] = folders.map(() => 1),
  half?: HalfType,
): Promise<MergedAdapter> {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.length !== folders.length || !(Math.abs(total) > 0 && Math.abs(total) < Infinity)) {
    throw new GyreError('bad_input', `the weights [${weights.join(', ')}] are invalid for ${folders.length} adapters`, {
      field: 'weights',
      fix: 'give one number per adapter; their sum must not be 0',
    });
  }
  const adapters: Adapter[] = [];
  for (const [i, folder] of folders.entries()) {
    const config = await readAdapterConfig(folder);
    expectMergeable(folder, config);
    expectSameBase(folder, config, adapters[0]);
    const path = join(folder, weightsFile);
    const { tensors } = await loadCheckpoint(path);
    const modules = adapterModules(new Map(Object.entries(tensors)), config, path);
    adapters.push({ folder, weight: weights[i]! / total, config, tensors, modules });
  }
  const names = [...new Set(adapters.flatMap(({ modules }) => [...modules.keys()]))];
  const rankOf = (name: string) => adapters.reduce((sum, { modules }) => sum + (modules.get(name)?.rank ?? 0), 0);
  const rank = names.reduce((largest, name) => Math.max(largest, rankOf(name)), 0);
  const tensors = Object.assign({}, ...names.map((name) => mergedModule(name, adapters, rank, half))) as Record<
    string,
    CheckpointTensor
  >;
  const config = mergedConfig(adapters, names, rank);
  return { rank, modules: names.length, config, checkpoint: { tensors, metadata: { format: 'pt' } } };
}

/** Writes a folder in PEFT's format, for `vllm serve --lora-modules NAME=FOLDER`. */
export async function saveAdapter(
  folder: string,
  { config, checkpoint }: Pick<MergedAdapter, 'config' | 'checkpoint'>,
): Promise<void> {
  await writeAdapterFolder(folder, async (draft) => {
    await saveCheckpoint(join(draft, weightsFile), checkpoint);
    await writeFile(join(draft, configFile), `${JSON.stringify(config, null, 2)}\n`, { flush: true });
  });
}

function mergedModule(
  name: string,
  adapters: readonly Adapter[],
  rank: number,
  dtype: HalfType | undefined,
): Record<string, CheckpointTensor> {
  const parts = adapters.flatMap((adapter) => {
    const module = adapter.modules.get(name);
    return module ? [partOf(name, adapter, module)] : [];
  });
  const [first] = parts as [Part, ...Part[]];
  const { inputs, outputs } = first;
  const [right, left] = [new Float32Array(rank * inputs), new Float32Array(outputs * rank)];
  let row = 0;
  for (const part of parts) {
    if (part.inputs !== inputs || part.outputs !== outputs || part.names.join() !== first.names.join()) {
      const [here, there] = [first, part].map((each) => show([each.outputs, each.inputs]));
      throw new GyreError('shape', `${first.folder} and ${part.folder} differ in ${name}: ${here} and ${there}`, {
        field: name,
        fix: 'merge adapters of one base model',
      });
    }
    right.set(part.a, row * inputs);
    for (let o = 0; o < outputs; o++) {
      for (let k = 0; k < part.rank; k++) left[o * rank + row + k] = part.scale * part.b[o * part.rank + k]!;
    }
    row += part.rank;
  }
  const [a, b] = first.names;
  return {
    [a]: { shape: [rank, inputs], data: right, dtype },
    [b]: { shape: [outputs, rank], data: left, dtype },
  };
}

interface Part {
  readonly folder: string;
  readonly names: readonly [a: string, b: string];
  readonly rank: number;
  readonly inputs: number;
  readonly outputs: number;
  /** Times the adapter's weight. */
  readonly scale: number;
  /** [rank, inputs] */
  readonly a: Float32Array;
  /** [outputs, rank] */
  readonly b: Float32Array;
}

function partOf(name: string, { folder, weight, config, tensors }: Adapter, { a, b, rank }: AdapterModule): Part {
  const [right, left] = [tensors[a]!, tensors[b]!];
  if (right.shape.length !== 2 || left.shape.length !== 2) {
    throw new GyreError('bad_input', `${folder} adapts ${name}, which is neither linear nor an embedding`, {
      field: name,
      fix: 'train adapters without it: exclude_modules',
    });
  }
  const { lora_alpha: alpha, use_rslora: isStabilised } = config;
  return {
    folder,
    names: [a, b],
    rank,
    inputs: right.shape[1]!,
    outputs: left.shape[0]!,
    scale: (weight * alpha) / (isStabilised ? Math.sqrt(rank) : rank),
    a: right.data,
    b: left.data,
  };
}

/** These change the update, or weights beside it. An absent or empty value is plain LoRA. */
const plainValues: Readonly<Record<string, readonly unknown[]>> = {
  use_dora: [false],
  bias: ['none'],
  lora_bias: [false],
  modules_to_save: [],
  alpha_pattern: [],
  layer_replication: [],
  trainable_token_indices: [],
  target_parameters: [],
  alora_invocation_tokens: [],
  use_qalora: [false],
  arrow_config: [],
  fan_in_fan_out: [false],
  // The others change the base weights, too.
  init_lora_weights: [true, false, 'gaussian', 'eva', 'orthogonal'],
};

function expectMergeable(folder: string, config: AdapterConfig): void {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  const refused = Object.entries(plainValues).filter(
    ([key, plain]) => !isEmpty(config[key]) && !plain.includes(config[key]),
  );
  if (refused.length === 0) return;
  const names = refused.map(([key]) => `${key}: ${JSON.stringify(config[key])}`).join(', ');
  throw new GyreError('bad_input', `${folder} is not plain LoRA, and is not merged: ${names}`, {
    field: refused.map(([key]) => key).join(', '),
    fix: 'train adapters without it',
  });
}

function expectSameBase(folder: string, config: AdapterConfig, first: Adapter | undefined): void {
  const base = config.base_model_name_or_path ?? undefined;
  if (base === undefined) {
    throw new GyreError('bad_input', `${folder} names no base model`, {
      field: 'base_model_name_or_path',
      fix: `add it to ${join(folder, configFile)}`,
    });
  }
  if (!first) return;
  for (const key of ['base_model_name_or_path', 'revision'] as const) {
    const [here, there] = [first.config[key] ?? undefined, config[key] ?? undefined];
    if (here === there) continue;
    throw new GyreError(
      'bad_input',
      `${first.folder} and ${folder} are of different base models: ${key} is ${String(here)} and ${String(there)}`,
      { field: key, fix: `merge adapters of one base model; if it is one under two names, edit ${configFile}` },
    );
  }
}

/** These choose the modules. */
const choices = ['target_modules', 'exclude_modules', 'layers_to_transform', 'layers_pattern'] as const;

function mergedConfig(adapters: readonly Adapter[], modules: readonly string[], rank: number): AdapterConfig {
  const configs = adapters.map(({ config }) => config);
  const sorted = (value: unknown) =>
    JSON.stringify(Array.isArray(value) ? [...(value as unknown[])].sort() : (value ?? null));
  const areEqual = choices.every((key) => new Set(configs.map((config) => sorted(config[key]))).size === 1);
  return {
    ...configs[0]!,
    ...{ r: rank, lora_alpha: rank, use_rslora: false, rank_pattern: {}, alpha_pattern: {} },
    inference_mode: true,
    // Full names choose exactly the union.
    ...(!areEqual && { ...Object.fromEntries(choices.map((key) => [key, null])), target_modules: [...modules] }),
  };
}
