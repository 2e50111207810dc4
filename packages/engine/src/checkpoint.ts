import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { sizeOf } from './shape.js';

export interface Checkpoint {
  tensors: Record<string, { shape: number[]; data: Float32Array }>;
  metadata: Record<string, string>;
}

/** Metadata entry with the SHA-256 of the data section. Written and taken out here; files of other programs lack it. */
const digestKey = 'gyre.sha256';

const length = z.int().nonnegative();
const Header = z.record(
  z.string(),
  z.strictObject({ dtype: z.string(), shape: z.array(length), data_offsets: z.tuple([length, length]) }),
);
const Metadata = z.record(z.string(), z.string());

/**
 * Writes a safetensors file (https://github.com/huggingface/safetensors#format) that other programs can read. The file
 * appears at once and whole: it is written beside its place, flushed to disk and renamed, so that whoever dies when leaves the
 * old file or the new one. Throws 'numeric' if a value is not finite, 'shape' if a tensor has the wrong number of values,
 * and 'storage' if the disk is full or cannot be written; then the old file is untouched.
 */
export async function saveCheckpoint(path: string, { tensors, metadata }: Checkpoint): Promise<void> {
  const header: Record<string, unknown> = {};
  const parts: Uint8Array[] = [];
  const digest = createHash('sha256');
  let end = 0;
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    if (name === '__metadata__')
      throw new GyreError('bad_input', 'no tensor can be named __metadata__', { field: name });
    if (data.length !== sizeOf(shape)) {
      throw new GyreError('shape', `tensor ${name} has ${data.length} values for [${shape.join(', ')}]`, {
        field: name,
      });
    }
    if (!data.every(Number.isFinite)) {
      throw new GyreError('numeric', `tensor ${name} has a value that is not finite`, {
        field: name,
        fix: 'go back to the last checkpoint',
      });
    }
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + bytes.length] };
    end += bytes.length;
    digest.update(bytes);
    parts.push(bytes);
  }
  const json = JSON.stringify({ __metadata__: { ...metadata, [digestKey]: digest.digest('hex') }, ...header });
  // Spaces at the end of the header put the data at a multiple of 8 bytes.
  const head = Buffer.from(json.padEnd(json.length + 7 - ((Buffer.byteLength(json) + 7) % 8)));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(head.length));
  const draft = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(draft, 'wx');
    try {
      for (const part of [size, head, ...parts]) await file.writeFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    // The rename itself must be on disk too.
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
  } catch (cause) {
    // Where even that fails, the folder is gone or read-only: what failed first is what matters.
    await rm(draft, { force: true }).catch(() => undefined);
    throw new GyreError('storage', `cannot write ${path}: ${(cause as Error).message}`, {
      field: path,
      fix: 'make room, or save to another place',
      cause,
    });
  }
}

/**
 * Reads a safetensors file of float32 tensors. Throws 'missing' if there is none, and 'corrupt', naming the file and what is
 * wrong, if it is not whole: cut short, with a header that is not one, with data that overlap, have gaps, are not
 * float32, are not finite, or are not what was written.
 */
export async function loadCheckpoint(path: string): Promise<Checkpoint> {
  const corrupt = (what: string, cause?: unknown) =>
    new GyreError('corrupt', `${path} ${what}`, {
      field: path,
      fix: 'use an older checkpoint',
      ...(cause ? { cause } : {}),
    });
  const file = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT'
      ? new GyreError('missing', `there is no checkpoint ${path}`, { field: path, fix: 'check the path', cause })
      : new GyreError('storage', `cannot read ${path}: ${cause.message}`, {
          field: path,
          fix: 'check its permissions',
          cause,
        });
  });
  if (file.length < 8) throw corrupt('is cut short: it has no header');
  const headSize = Number(file.readBigUInt64LE(0));
  if (headSize > file.length - 8)
    throw corrupt('is cut short, or no safetensors file: its header is larger than the file');
  let entries: z.infer<typeof Header>;
  let metadata: Record<string, string>;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file.subarray(8, 8 + headSize));
    const { __metadata__, ...rest } = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    metadata = Metadata.parse(__metadata__ ?? {});
    entries = Header.parse(rest);
  } catch (cause) {
    throw corrupt('has no safetensors header', cause);
  }
  const data = file.subarray(8 + headSize);
  const tensors: Checkpoint['tensors'] = {};
  let end = 0;
  for (const [name, entry] of Object.entries(entries).sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0])) {
    const [from, to] = entry.data_offsets;
    if (entry.dtype !== 'F32') throw corrupt(`holds ${name} as ${entry.dtype} and not as F32`);
    if (from !== end) throw corrupt(`has a gap or an overlap before ${name}`);
    if (to - from !== 4 * sizeOf(entry.shape))
      throw corrupt(`holds ${to - from} bytes for ${name}, which do not fit its shape`);
    if (to > data.length) throw corrupt(`is cut short within ${name}`);
    // A copy, because the offset in the file need not be a multiple of 4.
    const values = new Float32Array(Uint8Array.from(data.subarray(from, to)).buffer);
    if (!values.every(Number.isFinite)) throw corrupt(`holds a value of ${name} that is not finite`);
    tensors[name] = { shape: entry.shape, data: values };
    end = to;
  }
  if (end !== data.length) throw corrupt(`has ${data.length - end} bytes too many`);
  const { [digestKey]: digest, ...own } = metadata;
  if (digest !== undefined && createHash('sha256').update(data).digest('hex') !== digest) {
    throw corrupt('is not what was written: its checksum differs');
  }
  return { tensors, metadata: own };
}
