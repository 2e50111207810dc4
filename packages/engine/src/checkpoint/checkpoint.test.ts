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

  const write = async (header: unknown, data: Uint8Array = new Uint8Array(0)) => {
    const json = header instanceof Buffer ? header : Buffer.from(JSON.stringify(header));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(json.length));
    await writeFile(path, Buffer.concat([size, json, data]));
  };

  it('keeps tensors in half precision where they say so, in half the bytes', async () => {
    const data = Float32Array.of(1, -0.5, 2 ** -14, 3 * 2 ** -24, 0, 1.0001);
    const tensorAs = (dtype: 'F16' | 'BF16') => ({ shape: [6], data, dtype });
    await saveCheckpoint(path, {
      tensors: { a: tensorAs('F16'), b: tensorAs('BF16'), w: whole.tensors.w },
      metadata: {},
    });
    const { tensors } = await loadCheckpoint(path);
    const exact = [1, -0.5, 2 ** -14, 3 * 2 ** -24, 0, 1];
    expect(tensors).toEqual({
      a: { shape: [6], data: Float32Array.from(exact), dtype: 'F16' },
      b: { shape: [6], data: Float32Array.from(exact), dtype: 'BF16' },
      w: whole.tensors.w,
    });
    const file = await readFile(path);
    expect(file.length).toBe(8 + Number(file.readBigUInt64LE(0)) + 12 + 12 + 24);
    await saveCheckpoint(path, { tensors, metadata: {} });
    expect((await loadCheckpoint(path)).tensors).toEqual(tensors);
  });

  it('refuses a number that is too large for half precision, and names the tensor', async () => {
    await saveCheckpoint(path, whole);
    const save = (dtype: 'F16' | 'BF16', value: number) =>
      saveCheckpoint(path, { tensors: { w: { shape: [2], data: Float32Array.of(1, value), dtype } }, metadata: {} });
    for (const [dtype, value] of [
      ['F16', -65_520],
      ['BF16', 3.4e38],
    ] as const) {
      await expect(save(dtype, value)).rejects.toMatchObject({
        code: 'numeric',
        message: expect.stringContaining(`too large for ${dtype}`),
        detail: { field: 'w' },
      });
    }
    expect(await loadCheckpoint(path)).toEqual(whole);
    await save('F16', 65_519);
    expect((await loadCheckpoint(path)).tensors.w!.data[1]).toBe(65_504);
  });

  it('goes through tensors of several chunks', async () => {
    const data = Float32Array.from({ length: 2_100_001 }, (_, i) => i % 2048);
    const tensors = {
      half: { shape: [data.length], data, dtype: 'F16' as const },
      full: { shape: [data.length], data },
    };
    await saveCheckpoint(path, { tensors, metadata: {} });
    const loaded = await loadCheckpoint(path);
    for (const name of ['half', 'full'])
      expect(Buffer.from(loaded.tensors[name]!.data.buffer).equals(Buffer.from(data.buffer))).toBe(true);
  });

  it('of a newer version is refused as such, even if it is not understood', async () => {
    await write({ __metadata__: { 'gyre.version': '2' }, a: { dtype: 'F4', shape: [2], data_offsets: [0, 1] } });
    await expect(loadCheckpoint(path)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('has format version 2, but this version of gyre reads up to 1'),
    });
  });

  it('of another program, without a checksum, can be read', async () => {
    await write({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(Float32Array.of(5).buffer));
    expect(await loadCheckpoint(path)).toEqual({
      tensors: { a: { shape: [1], data: Float32Array.of(5) } },
      metadata: {},
    });
  });

  it.each<[string, () => Promise<void>, RegExp]>([
    ['empty', () => writeFile(path, ''), /is truncated/],
    ['another kind of file', () => writeFile(path, 'PK\x03\x04 this is a zip archive'), /not a safetensors file/],
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
      'of another type',
      () => write({ a: { dtype: 'F64', shape: [1], data_offsets: [0, 8] } }, new Uint8Array(8)),
      /a as F64/,
    ],
    [
      'with an infinite number in half precision',
      () => write({ a: { dtype: 'BF16', shape: [1], data_offsets: [0, 2] } }, Uint8Array.of(0x80, 0x7f)),
      /value in a that is not finite/,
    ],
    [
      'of other sizes',
      () => write({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, new Uint8Array(4)),
      /does not match its shape/,
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
      /truncated within a/,
    ],
    [
      'with too much data',
      () => write({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(8)),
      /4 extra bytes at the end/,
    ],
    [
      'with NaN',
      () =>
        write({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(Float32Array.of(NaN).buffer)),
      /value in a that is not finite/,
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
    for (let position = file.length - 28; position < file.length; position++) {
      const changed = Buffer.from(file);
      changed[position]! ^= 1;
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

  it('can be read by the Python library, and reads what it writes', async ({ skip }) => {
    const python = (program: string) => spawnSync('python3', ['-c', program, path], { encoding: 'utf8' });
    if (python('import numpy, safetensors.numpy').status !== 0)
      skip('python3 with safetensors and numpy is not installed');
    const half = { shape: [1, 2], data: Float32Array.of(0.5, -3), dtype: 'F16' as const };
    const brain = { shape: [2], data: Float32Array.of(0.5, -3), dtype: 'BF16' as const };
    await saveCheckpoint(path, { ...whole, tensors: { ...whole.tensors, half, brain } });
    const read = python(`
import json, sys
from safetensors import safe_open
with safe_open(sys.argv[1], 'numpy') as file:
    names = sorted(file.keys())
    print(json.dumps([
        names,
        [str(file.get_slice(name).get_dtype()) for name in names],
        [file.get_tensor(name).tolist() for name in names if name != 'brain'],
        file.metadata()['note'],
    ]))
`);
    expect(read.stderr).toBe('');
    expect(JSON.parse(read.stdout)).toEqual([
      ['b', 'brain', 'half', 'w'],
      ['F32', 'BF16', 'F16', 'F32'],
      [
        7,
        [[0.5, -3]],
        [
          [1, -2, 3.5],
          [0, Math.fround(1e-30), 6],
        ],
      ],
      whole.metadata.note,
    ]);
    const write = python(`
import sys
import numpy
from safetensors.numpy import save_file
save_file({'w': numpy.float32([[1, 2], [3, 4]]), 'half': numpy.float16([0.1, -2])}, sys.argv[1], {'by': 'python'})
`);
    expect(write.stderr).toBe('');
    expect(await loadCheckpoint(path)).toEqual({
      tensors: {
        w: { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) },
        half: { shape: [2], data: Float32Array.of(0.0999755859375, -2), dtype: 'F16' },
      },
      metadata: { by: 'python' },
    });
  });

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
    // `ulimit -f`, in blocks of 512 bytes, fails a write half-way, like a full disk.
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
