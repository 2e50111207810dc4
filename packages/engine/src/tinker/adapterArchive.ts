import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const block = 512;

/** Yields the files of a tar archive. */
function* files(tar: Buffer): Generator<{ readonly name: string; readonly content: Buffer }> {
  for (let start = 0; start + block <= tar.length && tar[start] !== 0;) {
    const text = (from: number, length: number) =>
      tar.toString('latin1', start + from, start + from + length).split('\0')[0]!;
    const size = Number.parseInt(text(124, 12).trim(), 8);
    if (!Number.isSafeInteger(size) || size < 0) return;
    const begin = start + block;
    yield { name: text(0, 100), content: tar.subarray(begin, begin + size) };
    start = begin + Math.ceil(size / block) * block;
  }
}

const Header = z.record(z.string(), z.unknown());

/**
 * Lists the tensors of an adapter, such as `base_model.model.visual.blocks.0.attn.qkv.lora_A.weight`.
 *
 * @param archive a tar archive, gzipped or not, with a `.safetensors` file
 * @returns undefined for anything else
 */
export function adapterTensors(archive: Buffer): string[] | undefined {
  try {
    const tar = archive[0] === 0x1f && archive[1] === 0x8b ? gunzipSync(archive) : archive;
    for (const { name, content } of files(tar)) {
      if (!name.endsWith('.safetensors') || content.length < 8) continue;
      const length = Number(content.readBigUInt64LE());
      const header = Header.parse(JSON.parse(content.toString('utf8', 8, 8 + length)));
      return Object.keys(header).filter((tensor) => tensor !== '__metadata__');
    }
  } catch {
    return undefined;
  }
  return undefined;
}
