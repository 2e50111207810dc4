import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openImage } from './image.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-image-'));
});
afterAll(() => rm(folder, { recursive: true }));

function qcow2({ bytes = 2 ** 30, backing = 0, features = 0 } = {}): Buffer {
  const header = Buffer.alloc(512);
  header.write('QFI\xfb', 'latin1');
  header.writeUInt32BE(3, 4);
  header.writeBigUInt64BE(BigInt(backing), 8);
  header.writeBigUInt64BE(BigInt(bytes), 24);
  header.writeBigUInt64BE(BigInt(features), 72);
  return header;
}

async function file(name: string, content: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function shape(path: string, format?: 'raw' | 'qcow2') {
  const { file: opened, ...rest } = await openImage(path, format);
  await opened.close();
  return rest;
}

test('a disk is as large as its image says, in whole sectors', async () => {
  expect(await shape(await file('a.qcow2', qcow2({ bytes: 12_345 * 512 })))).toEqual({
    format: 'qcow2',
    bytes: 12_345 * 512,
  });
  expect(await shape(await file('a.img', Buffer.alloc(1_000)))).toEqual({ format: 'raw', bytes: 1_024 });
  expect(await shape(join(folder, 'a.qcow2'), 'raw')).toEqual({ format: 'raw', bytes: 512 });
  await symlink('a.img', join(folder, 'link'));
  expect(await shape(join(folder, 'link'))).toEqual({ format: 'raw', bytes: 1_024 });
});

test.each([
  ['names another file beneath it', qcow2({ backing: 104 }), undefined, /has a backing file/],
  ['has its data elsewhere', qcow2({ features: 4 }), undefined, /has a backing file/],
  ['is shorter than a sector', Buffer.alloc(100), undefined, /less than one sector/],
  ['is not of the kind that was said', Buffer.alloc(512), 'qcow2', /not a qcow2 image/],
] as const)('an image that %s is refused', async (_what, content, format, message) => {
  const path = await file('bad', content);
  await expect(openImage(path, format)).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'image' },
    message: expect.stringMatching(message),
  });
});

test('special files are refused without hanging', async () => {
  for (const path of [folder, join(folder, 'none'), '/dev/zero']) {
    await expect(openImage(path)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'image' } });
  }
});
