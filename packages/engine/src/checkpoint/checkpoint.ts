import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { bytesOf, fromHalf, overflowsAt, toHalf, type HalfType, type StoredType } from './half.js';
import { show, sizeOf } from '../tensor/shape.js';

/** float32 in memory; `dtype` may store it in half precision. */
export interface CheckpointTensor {
  shape: number[];
  data: Float32Array;
  dtype?: HalfType;
}
export interface StoredShape {
  readonly dtype: StoredType;
  readonly shape: number[];
}
export type TensorMap = Record<string, CheckpointTensor>;

export interface Checkpoint {
  tensors: TensorMap;
  metadata: Record<string, string>;
}

const digestKey = 'gyre.sha256';
const versionKey = 'gyre.version';
/** Incremented when older readers would misread a file. */
const version = 1;

const chunk = 1 << 20;
/** The format's own limit. */
const largestHeader = 100_000_000;

const length = z.int().nonnegative();
const Header = z.record(
  z.string(),
  z.strictObject({ dtype: z.string(), shape: z.array(length), data_offsets: z.tuple([length, length]) }),
);
const Metadata = z.record(z.string(), z.string());

/**
 * Writes a safetensors file (https://github.com/huggingface/safetensors#format), then flushes and renames it into
 * place. The tensors must not change meanwhile. Throws 'numeric' for a value that is not finite or overflows half
 * precision.
 */
export async function saveCheckpoint(path: string, { tensors, metadata }: Checkpoint): Promise<void> {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, tensor] of Object.entries(tensors)) {
    if (name === '__metadata__')
      throw new GyreError('bad_input', 'the tensor name __metadata__ is reserved', { field: name });
    const { shape, data, dtype = 'F32' } = tensor;
    if (data.length !== sizeOf(shape)) {
      throw new GyreError('shape', `tensor ${name} has ${data.length} values for ${show(shape)}`, { field: name });
    }
    refuseUnfit(name, data, dtype);
    header[name] = { dtype, shape, data_offsets: [end, end + bytesOf[dtype] * data.length] };
    end += bytesOf[dtype] * data.length;
  }
  const digest = createHash('sha256');
  for (const part of stored(tensors)) digest.update(part);
  const reserved = { [versionKey]: String(version), [digestKey]: digest.digest('hex') };
  const json = JSON.stringify({ __metadata__: { ...metadata, ...reserved }, ...header });
  // Pads the header so that the data is aligned to 8 bytes.
  const head = Buffer.from(json.padEnd(json.length + 7 - ((Buffer.byteLength(json) + 7) % 8)));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(head.length));
  const draft = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(size);
      await file.writeFile(head);
      // One part at a time bounds memory.
      for (const part of stored(tensors)) await file.writeFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    // Makes the rename durable.
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new GyreError('storage', `cannot write ${path}: ${(cause as Error).message}`, {
      field: path,
      fix: 'free some disk space, or save to another path',
      cause,
    });
  }
}

/**
 * Reads a safetensors file, converting half precision to float32. Throws 'missing', 'bad_input' (newer format) or
 * 'corrupt'.
 */
export function loadCheckpoint(path: string): Promise<Checkpoint> {
  return opened(path, (file) => read(path, file));
}

/** Reads names, types and shapes alone. Throws as `loadCheckpoint` does, except for damaged values. */
export function checkpointShapes(path: string): Promise<Map<string, StoredShape>> {
  return opened(path, async (file) => {
    const { entries } = await readHeader(path, file);
    return new Map(entries.map(([name, { dtype, shape }]) => [name, { dtype, shape }]));
  });
}

async function opened<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable(path, cause as Error);
    throw new GyreError('missing', `checkpoint ${path} does not exist`, { field: path, fix: 'check the path', cause });
  });
  try {
    return await work(file);
  } catch (cause) {
    throw cause instanceof GyreError ? cause : unreadable(path, cause as Error);
  } finally {
    await file.close();
  }
}

const corruptFile =
  (path: string) =>
  (fault: string, cause?: unknown): GyreError =>
    new GyreError('corrupt', `${path} ${fault}`, {
      field: path,
      fix: 'use an older checkpoint',
      ...(cause ? { cause } : {}),
    });

interface StoredHeader {
  /** In the order of their data, which begins at the file's position. */
  readonly entries: readonly [name: string, entry: StoredShape][];
  readonly metadata: Readonly<Record<string, string>>;
}

async function readHeader(path: string, file: FileHandle): Promise<StoredHeader> {
  const corrupt = corruptFile(path);
  const { size } = await file.stat();
  if (size < 8) throw corrupt('is truncated: it has no header');
  const start = Buffer.alloc(8);
  await fill(file, start);
  const headSize = Number(start.readBigUInt64LE());
  if (headSize > size - 8) throw corrupt('is truncated or not a safetensors file: its header is larger than the file');
  if (headSize > largestHeader) throw corrupt('is not a safetensors file: its header is larger than 100 MB');
  const head = Buffer.alloc(headSize);
  await fill(file, head);
  let entries: [name: string, entry: z.infer<typeof Header>[string]][];
  let metadata: Record<string, string>;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head);
    const { __metadata__, ...rest } = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    metadata = Metadata.parse(__metadata__ ?? {});
    entries = Object.entries(Header.parse(rest)).sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0]);
  } catch (cause) {
    throw corrupt('has no safetensors header', cause);
  }
  const { [versionKey]: written = '1' } = metadata;
  if (Number(written) > version) {
    throw new GyreError(
      'bad_input',
      `${path} has format version ${written}, but this version of gyre reads up to ${version}`,
      {
        field: path,
        fix: 'upgrade gyre to the version that wrote the file',
      },
    );
  }
  const dataSize = size - 8 - headSize;
  let end = 0;
  const checked = entries.map(([name, { dtype, shape, data_offsets }]): [string, StoredShape] => {
    const [from, to] = data_offsets;
    if (!isStored(dtype)) throw corrupt(`stores ${name} as ${dtype}, not as F32, F16 or BF16`);
    if (from !== end) throw corrupt(`has a gap or an overlap before ${name}`);
    if (to - from !== bytesOf[dtype] * sizeOf(shape))
      throw corrupt(`has ${to - from} bytes for ${name}, which does not match its shape`);
    if (to > dataSize) throw corrupt(`is truncated within ${name}`);
    end = to;
    return [name, { dtype, shape }];
  });
  if (end !== dataSize) throw corrupt(`has ${dataSize - end} extra bytes at the end`);
  return { entries: checked, metadata };
}

async function read(path: string, file: FileHandle): Promise<Checkpoint> {
  const corrupt = corruptFile(path);
  const { entries, metadata } = await readHeader(path, file);
  const { [digestKey]: digest, [versionKey]: _, ...userMetadata } = metadata;
  const tensors: TensorMap = {};
  const hash = createHash('sha256');
  for (const [name, { shape, dtype }] of entries) {
    const data = new Float32Array(sizeOf(shape));
    for (let chunkStart = 0; chunkStart < data.length; chunkStart += chunk) {
      const part = data.subarray(chunkStart, chunkStart + chunk);
      const raw = dtype === 'F32' ? part : new Uint16Array(part.length);
      const bytes = bytesIn(raw);
      await fill(file, bytes);
      hash.update(bytes);
      if (dtype !== 'F32') fromHalf(dtype, raw as Uint16Array, part);
    }
    if (firstBeyond(data, Infinity) >= 0) throw corrupt(`has a value in ${name} that is not finite`);
    tensors[name] = { shape, data, ...(dtype === 'F32' ? {} : { dtype }) };
  }
  if (digest !== undefined && hash.digest('hex') !== digest) {
    throw corrupt('is damaged: its checksum does not match');
  }
  return { tensors, metadata: userMetadata };
}

async function fill(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesRead } = await file.read(bytes, offset, bytes.length - offset);
    if (bytesRead === 0) throw new Error('the file shrank while it was read');
    offset += bytesRead;
  }
}

function* stored(tensors: TensorMap): Generator<Uint8Array> {
  for (const { data, dtype } of Object.values(tensors)) {
    for (let start = 0; start < data.length; start += chunk) {
      const part = data.subarray(start, start + chunk);
      yield bytesIn(dtype ? toHalf(dtype, part) : part);
    }
  }
}

function bytesIn({ buffer, byteOffset, byteLength }: Float32Array | Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function refuseUnfit(name: string, data: Float32Array, dtype: StoredType): void {
  const place = firstBeyond(data, overflowsAt[dtype]);
  if (place < 0) return;
  const value = data[place]!;
  if (Number.isFinite(value)) {
    throw new GyreError('numeric', `tensor ${name} contains ${value}, which is too large for ${dtype}`, {
      field: name,
      fix: dtype === 'F16' ? 'store it as BF16 or float32' : 'store it as float32',
    });
  }
  throw new GyreError('numeric', `tensor ${name} contains a value that is not finite`, {
    field: name,
    fix: 'resume from the last checkpoint',
  });
}

function firstBeyond(data: Float32Array, magnitude: number): number {
  for (let i = 0; i < data.length; i++) if (!(Math.abs(data[i]!) < magnitude)) return i;
  return -1;
}

function isStored(dtype: string): dtype is StoredType {
  return Object.hasOwn(bytesOf, dtype);
}

function unreadable(path: string, cause: Error): GyreError {
  return new GyreError('storage', `cannot read ${path}: ${cause.message}`, {
    field: path,
    fix: 'check its permissions',
    cause,
  });
}
