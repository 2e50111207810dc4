import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCheckpoint, saveCheckpoint } from './checkpoint.js';

const whole = {
  tensors: {
    w: { shape: [2, 3], data: Float32Array.of(1, -2, 3.5, 0, 1e-30, 6) },
    b: { shape: [], data: Float32Array.of(7) },
  },
  metadata: { steps: '12', note: 'é, so that bytes are not characters' },
};

describe('checkpoint', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gyre-checkpoint-'));
    path = join(folder, 'model.safetensors');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('comes back as it was', async () => {
    await saveCheckpoint(path, whole);
    expect(await loadCheckpoint(path)).toEqual(whole);
    expect(await readdir(folder)).toEqual(['model.safetensors']);
  });

  it('is a safetensors file: a header of a multiple of 8 bytes, then the data', async () => {
    await saveCheckpoint(path, whole);
    const file = await readFile(path);
    const head = Number(file.readBigUInt64LE(0));
    expect(head % 8).toBe(0);
    const header = JSON.parse(file.subarray(8, 8 + head).toString()) as Record<string, unknown>;
    expect(header.w).toEqual({ dtype: 'F32', shape: [2, 3], data_offsets: [0, 24] });
    expect(file.length).toBe(8 + head + 28);
    expect(file.readFloatLE(8 + head + 8)).toBe(3.5);
  });

  /** A file with any header and any data. */
  const write = async (header: unknown, data: Uint8Array = new Uint8Array(0)) => {
    const json = header instanceof Buffer ? header : Buffer.from(JSON.stringify(header));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(json.length));
    await writeFile(path, Buffer.concat([size, json, data]));
  };

  it('of another program, without a checksum, can be read', async () => {
    await write({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(Float32Array.of(5).buffer));
    expect(await loadCheckpoint(path)).toEqual({
      tensors: { a: { shape: [1], data: Float32Array.of(5) } },
      metadata: {},
    });
  });

  it.each<[string, () => Promise<void>, RegExp]>([
    ['empty', () => writeFile(path, ''), /cut short/],
    ['another kind of file', () => writeFile(path, 'PK\x03\x04 this is a zip archive'), /no safetensors file/],
    ['not JSON', () => write(Buffer.from('{"a": ')), /no safetensors header/],
    ['an array', () => write([]), /no safetensors header/],
    ['no UTF-8', () => write(Buffer.from('{"__metadata__": {"a": "\xff"}}', 'latin1')), /no safetensors header/],
    ['without offsets', () => write({ a: { dtype: 'F32', shape: [1] } }), /no safetensors header/],
    [
      'with a negative length',
      () => write({ a: { dtype: 'F32', shape: [-1], data_offsets: [0, 4] } }),
      /no safetensors header/,
    ],
    [
      'half precision',
      () => write({ a: { dtype: 'F16', shape: [2], data_offsets: [0, 4] } }, new Uint8Array(4)),
      /a as F16/,
    ],
    [
      'of other sizes',
      () => write({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, new Uint8Array(4)),
      /do not fit its shape/,
    ],
    [
      'with a gap',
      () => write({ a: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } }, new Uint8Array(8)),
      /gap or an overlap before a/,
    ],
    [
      'with an overlap',
      () =>
        write(
          {
            a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
            b: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
          },
          new Uint8Array(8),
        ),
      /gap or an overlap before b/,
    ],
    [
      'with too little data',
      () => write({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } }, new Uint8Array(4)),
      /cut short within a/,
    ],
    [
      'with too much data',
      () => write({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(8)),
      /4 bytes too many/,
    ],
    [
      'with NaN',
      () =>
        write({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(Float32Array.of(NaN).buffer)),
      /value of a that is not finite/,
    ],
  ])('that is %s is refused', async (_, make, message) => {
    await make();
    const load = loadCheckpoint(path);
    await expect(load).rejects.toMatchObject({ code: 'corrupt', detail: { field: path } });
    await expect(load).rejects.toThrow(message);
  });

  it('that is cut anywhere is refused, and so is every changed byte of the data', async () => {
    await saveCheckpoint(path, whole);
    const file = await readFile(path);
    for (let length = 0; length < file.length; length++) {
      await writeFile(path, file.subarray(0, length));
      await expect(loadCheckpoint(path)).rejects.toMatchObject({ code: 'corrupt' });
    }
    for (let at = file.length - 28; at < file.length; at++) {
      const changed = Buffer.from(file);
      changed[at]! ^= 1;
      await writeFile(path, changed);
      await expect(loadCheckpoint(path)).rejects.toMatchObject({ code: 'corrupt' });
    }
  });

  it('that does not exist is missing', async () => {
    await expect(loadCheckpoint(path)).rejects.toMatchObject({ code: 'missing' });
  });

  it('is not written with values that are not finite, nor with too few of them', async () => {
    await saveCheckpoint(path, whole);
    const bad = (data: Float32Array) => saveCheckpoint(path, { tensors: { w: { shape: [2], data } }, metadata: {} });
    await expect(bad(Float32Array.of(1, NaN))).rejects.toMatchObject({ code: 'numeric' });
    await expect(bad(Float32Array.of(1))).rejects.toMatchObject({ code: 'shape' });
    expect(await loadCheckpoint(path)).toEqual(whole);
  });

  it('that cannot be written leaves nothing behind', async () => {
    await mkdir(path);
    await writeFile(join(path, 'in the way'), '');
    await expect(saveCheckpoint(path, whole)).rejects.toMatchObject({ code: 'storage' });
    await expect(saveCheckpoint(join(folder, 'nowhere', 'model'), whole)).rejects.toMatchObject({ code: 'storage' });
    expect(await readdir(folder)).toEqual(['model.safetensors']);
  });

  /** A program that saves checkpoints 1, 2, ... of half a million values, and says so after each. */
  const writer = async () => {
    const program = join(folder, 'writer.mjs');
    await writeFile(
      program,
      `import { saveCheckpoint } from ${JSON.stringify(new URL('./checkpoint.js', import.meta.url).href)};
for (let n = 1; ; n++) {
  const data = new Float32Array(500_000).fill(n);
  await saveCheckpoint(${JSON.stringify(path)}, { tensors: { w: { shape: [500_000], data } }, metadata: { n: String(n) } }).catch((error) => {
    console.log(error.code, error.detail.cause.code);
    process.exit(1);
  });
  process.send?.(n);
}`,
    );
    return program;
  };

  it('that finds no room for its last byte leaves the old file and nothing else', async () => {
    await saveCheckpoint(path, whole);
    const program = await writer();
    // The limit on the size of a file, in blocks of 512 bytes, stops a write half-way as a full disk does.
    const limited = spawnSync('sh', ['-c', `ulimit -f 1000; exec "$0" "$1"`, process.execPath, program], {
      encoding: 'utf8',
    });
    expect(limited.stdout).toBe('storage EFBIG\n');
    expect(await loadCheckpoint(path)).toEqual(whole);
    expect((await readdir(folder)).sort()).toEqual(['model.safetensors', 'writer.mjs']);
  });

  it('is the old one or the new one, whenever the writer is killed', async () => {
    const program = await writer();
    for (const delay of [0, 3, 7, 12]) {
      const child = fork(program, { stdio: 'ignore' });
      await once(child, 'message');
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const { tensors, metadata } = await loadCheckpoint(path);
      expect(tensors.w!.data.every((value) => value === Number(metadata.n))).toBe(true);
    }
  });
});
