import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { checkpointShapes } from '../checkpoint/checkpoint.js';
import { show } from '../tensor/shape.js';
import { type AdapterConfig, readAdapterConfig, weightsFile } from './adapterConfig.js';

/** Names the tensors of a module's update `B A`. */
export interface AdapterModule {
  readonly a: string;
  readonly b: string;
  readonly rank: number;
}

interface Shaped {
  readonly shape: readonly number[];
}

const tensorName = /^(.+)\.(lora_(?:embedding_)?)([AB])(\.weight)?$/;

/**
 * Reads the configuration and the tensors' shapes of a folder in PEFT's format.
 *
 * @returns modules by the name of the model's module, such as `model.layers.0.self_attn.q_proj`
 * @throws GyreError `missing`; `corrupt` for a rank that differs from the configuration's
 */
export async function inspectAdapter(
  folder: string,
): Promise<{ config: AdapterConfig; modules: Map<string, AdapterModule> }> {
  const config = await readAdapterConfig(folder);
  const path = join(folder, weightsFile);
  return { config, modules: adapterModules(await checkpointShapes(path), config, path) };
}

/** Pairs the tensors of each module. */
export function adapterModules(
  tensors: ReadonlyMap<string, Shaped>,
  { r, rank_pattern: ranks }: AdapterConfig,
  path: string,
): Map<string, AdapterModule> {
  const corrupt = (name: string, fault: string) =>
    new GyreError('corrupt', `${path} is not a LoRA adapter: ${fault}`, {
      field: name,
      fix: 'write the adapter again, with PEFT or the server that trained it',
    });
  const pairs = new Map<string, Partial<Record<'A' | 'B', string>>>();
  for (const name of tensors.keys()) {
    const [, module, , side] = tensorName.exec(name) ?? [];
    if (module === undefined) throw corrupt(name, `its tensor ${name} is neither lora_A nor lora_B`);
    const pair = pairs.get(module) ?? {};
    if (pair[side as 'A' | 'B'] !== undefined) throw corrupt(name, `${module} has two tensors lora_${side!}`);
    pairs.set(module, { ...pair, [side!]: name });
  }
  if (pairs.size === 0) throw corrupt(path, 'it has no tensors');
  const mayDiffer = Object.keys(ranks ?? {}).length > 0;
  const modules = new Map(
    [...pairs].map(([module, { A: a, B: b }]) => {
      if (a === undefined || b === undefined)
        throw corrupt(module, `${module} lacks lora_${a === undefined ? 'A' : 'B'}`);
      const [left, right] = [tensors.get(b)!.shape, tensors.get(a)!.shape];
      const rank = left.length === 2 && right.length === 2 ? right[0]! : r;
      const fits = left.includes(rank) && right.includes(rank) && (left.length !== 2 || left[1] === rank);
      if (!fits) throw corrupt(module, `${module} has shapes ${show(left)} and ${show(right)}, whose ranks differ`);
      if (rank !== r && !mayDiffer) throw corrupt(module, `${module} has rank ${rank}, its configuration ${r}`);
      return [module.replace(/^base_model\.model\./, ''), { a, b, rank }];
    }),
  );
  if (modules.size < pairs.size) throw corrupt(path, 'it names a module twice');
  return modules;
}
