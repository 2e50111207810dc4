import { mergeAdapters, saveAdapter } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { adapterOf } from '@gyre/training';
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Outcome } from '../command.js';
import { checkPath } from '../flags/checkPath.js';
import type { Terminal } from '../terminal/terminal.js';

type HalfType = NonNullable<Parameters<typeof mergeAdapters>[2]>;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @throws GyreError `bad_input` unless it is a file or the folder of an adapter */
export function checkMergeable(name: string, path: string): void {
  checkPath(name, path, isFolder(path) ? 'read a folder' : 'read a file');
}

/**
 * Returns the folders of LoRA adapters; undefined for checkpoints of native policies.
 *
 * @throws GyreError `bad_input` for a mixture, and for a checkpoint without a pulled adapter
 */
export async function adapterFolders(paths: readonly string[]): Promise<string[] | undefined> {
  const folders: string[] = [];
  const native: string[] = [];
  for (const path of paths) {
    const folder = await adapterFolder(path);
    (folder === undefined ? native : folders).push(folder ?? path);
  }
  if (folders.length === 0) return undefined;
  const [first] = native;
  if (first === undefined) return folders;
  throw new GyreError('bad_input', `${first} is a checkpoint of a native policy, ${folders[0]!} a LoRA adapter`, {
    field: 'checkpoints',
    fix: 'merge one kind at a time',
  });
}

async function adapterFolder(path: string): Promise<string | undefined> {
  if (isFolder(path)) return path;
  if (basename(path) === 'adapter_model.safetensors') return dirname(path);
  if (!path.endsWith('.json')) return undefined;
  const folder = await adapterOf(path);
  if (folder !== undefined) return folder;
  throw new GyreError('bad_input', `${path} has no pulled adapter: its weights are only at the server`, {
    field: 'checkpoints',
    fix: 'train with served.pull: kept (the default) on a server that archives adapters, or name a folder of PEFT',
  });
}

interface MergeOptions {
  readonly folders: readonly string[];
  readonly weights: readonly number[] | undefined;
  readonly half: HalfType | undefined;
  readonly output: string;
}

export async function mergeLora(
  { folders, weights = folders.map(() => 1), half, output }: MergeOptions,
  terminal: Terminal,
): Promise<Outcome> {
  checkPath('--output', output, 'write a folder');
  const merged = await mergeAdapters(folders, weights, half);
  await saveAdapter(output, merged);
  const { rank, modules, config } = merged;
  const base = config.base_model_name_or_path ?? 'MODEL';
  terminal.print(`${folders.length} adapters, ${modules} modules, rank ${rank}: ${output}`);
  terminal.print(`vllm serve ${base} --enable-lora --max-lora-rank ${vllmRank(rank)} --lora-modules merged=${output}`);
  return { ok: true, result: { checkpoints: folders, weights, output, rank, modules, base } };
}

/** vLLM takes these as `--max-lora-rank`. */
const vllmRanks = [8, 16, 32, 64, 128, 256, 320, 512];
const vllmRank = (rank: number): number => vllmRanks.find((largest) => largest >= rank) ?? rank;
