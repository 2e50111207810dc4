import { saveCheckpoint } from '../checkpoint/checkpoint.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
  /** Default: a regular file. */
  readonly type?: string;
}

/** Writes a tar archive as Python's tarfile does. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(blocks), Buffer.alloc(1_024)]);
}

function blocks({ name, content, type = '0' }: TarEntry): Buffer {
  const head = Buffer.alloc(512);
  head.write(name);
  head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write(type, 156);
  head.write('ustar\u000000', 257);
  head.write(' '.repeat(8), 148);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** Delivers bytes in chunks of a size. */
export async function* chunksOf(bytes: Buffer, size = 1_000): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export interface ModuleSpec {
  readonly name: string;
  readonly rank: number;
  readonly inputs: number;
  readonly outputs: number;
  /** Draws an entry. */
  readonly draw: () => number;
}

/** Writes a folder as PEFT does. */
export async function writeAdapter(
  folder: string,
  modules: readonly ModuleSpec[],
  config: Readonly<Record<string, unknown>> = {},
): Promise<Checkpoint['tensors']> {
  const tensors: Checkpoint['tensors'] = {};
  for (const { name, rank, inputs, outputs, draw } of modules) {
    const prefix = `base_model.model.${name}`;
    tensors[`${prefix}.lora_A.weight`] = {
      shape: [rank, inputs],
      data: Float32Array.from({ length: rank * inputs }, draw),
    };
    tensors[`${prefix}.lora_B.weight`] = {
      shape: [outputs, rank],
      data: Float32Array.from({ length: outputs * rank }, draw),
    };
  }
  const plain = {
    ...{ peft_type: 'LORA', base_model_name_or_path: 'tiny', r: modules[0]?.rank ?? 1, lora_alpha: 8, bias: 'none' },
    ...{ use_dora: false, use_rslora: false, target_modules: ['q_proj'], rank_pattern: {}, alpha_pattern: {} },
  };
  await mkdir(folder, { recursive: true });
  await saveCheckpoint(join(folder, 'adapter_model.safetensors'), { tensors, metadata: { format: 'pt' } });
  await writeFile(join(folder, 'adapter_config.json'), JSON.stringify({ ...plain, ...config }));
  return tensors;
}
