import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { inspectAdapter } from '../adapter/adapter.js';
import { configFile, weightsFile } from '../adapter/adapterConfig.js';
import { writeAdapterFolder } from '../adapter/adapterFolder.js';
import { ByteStream, corruptArchive } from '../adapter/byteStream.js';
import { archivedFiles } from '../adapter/tarArchive.js';

const largest: ReadonlyMap<string, number> = new Map([
  [configFile, 2 ** 20],
  [weightsFile, 8 * 2 ** 30],
]);
const largestHeader = 100_000_000;

const Header = z.record(z.string(), z.unknown());

/**
 * Lists the tensors of an adapter, such as `base_model.model.visual.blocks.0.attn.qkv.lora_A.weight`.
 *
 * @param archive a tar archive, gzipped or not, with a `.safetensors` file
 * @throws GyreError `corrupt` for anything else
 */
export async function adapterTensors(archive: AsyncIterable<Uint8Array>): Promise<string[]> {
  for await (const { name, content } of archivedFiles(archive)) {
    if (!name.endsWith('.safetensors')) continue;
    const stream = new ByteStream(content);
    const size = await stream.take(8);
    const length = size.length === 8 ? Number(size.readBigUInt64LE()) : NaN;
    if (!(length <= largestHeader)) break;
    try {
      const header = Header.parse(JSON.parse((await stream.take(length)).toString()));
      return Object.keys(header).filter((tensor) => tensor !== '__metadata__');
    } catch (cause) {
      throw corruptArchive(`has no header in ${name}`, cause);
    }
  }
  throw corruptArchive('has no weights');
}

/**
 * Stores the adapter of an archive in a folder, in PEFT's format, after its shapes were checked. Only the two files of
 * an adapter are written, under their fixed names; reading stops at the weights of a whole model.
 *
 * @throws GyreError `corrupt` for an archive without an adapter; `storage`
 */
export async function extractAdapter(archive: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  await writeAdapterFolder(folder, async (draft) => {
    const missing = new Set(largest.keys());
    for await (const { name, size, content } of archivedFiles(archive)) {
      const limit = largest.get(name);
      if (limit === undefined) {
        if (/\.(safetensors|bin|pt)$/.test(name)) throw corruptArchive(`holds ${name}: a whole model, not an adapter`);
        continue;
      }
      if (!missing.delete(name)) throw corruptArchive(`has ${name} twice`);
      if (size > limit) throw corruptArchive(`has ${name} of ${size} bytes, more than ${limit}`);
      await pipeline(content, createWriteStream(join(draft, name), { flags: 'wx', flush: true }));
      if (missing.size === 0) break;
    }
    if (missing.size > 0) throw corruptArchive(`has no ${[...missing].join(' and no ')}`);
    await inspectAdapter(draft);
  });
}
