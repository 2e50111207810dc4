import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';

export const imageFormats = ['qcow2', 'raw'] as const;
export type ImageFormat = (typeof imageFormats)[number];

export interface BaseImage {
  readonly file: FileHandle;
  readonly format: ImageFormat;
  readonly bytes: number;
}

const sector = 512;

const magic = Buffer.from([0x51, 0x46, 0x49, 0xfb]);

/** Incompatible feature: data in another file. */
const externalData = 1n << 2n;

/**
 * Throws `bad_input` for images that refer to files, which could be any on the host.
 *
 * @param format default: detected.
 */
export async function openImage(path: string, format?: ImageFormat): Promise<BaseImage> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw unfit(path, `is not readable: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}`, cause);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unfit(path, 'is not a file');
    const header = Buffer.alloc(104);
    await file.read(header, 0, header.length, 0);
    const seen = header.subarray(0, 4).equals(magic) ? 'qcow2' : 'raw';
    if (format === 'qcow2' && seen === 'raw') throw unfit(path, 'is not a qcow2 image');
    if ((format ?? seen) === 'raw') {
      if (stats.size < sector) throw unfit(path, `has ${stats.size} bytes, less than one sector`);
      return { file, format: 'raw', bytes: Math.ceil(stats.size / sector) * sector };
    }
    checkAlone(path, header);
    return { file, format: 'qcow2', bytes: Number(header.readBigUInt64BE(24)) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** See QEMU's docs/interop/qcow2.txt. */
function checkAlone(path: string, header: Buffer): void {
  const version = header.readUInt32BE(4);
  const led = header.readBigUInt64BE(8) !== 0n || (version >= 3 && (header.readBigUInt64BE(72) & externalData) !== 0n);
  if (led)
    throw unfit(path, 'is incomplete: it has a backing file', undefined, 'merge it with `qemu-img convert -O qcow2`');
}

function unfit(path: string, why: string, cause?: unknown, fix?: string): GyreError {
  return new GyreError('bad_input', `the disk image ${path} ${why}`, {
    field: 'image',
    fix: fix ?? 'use the path of a raw or qcow2 image; convert other kinds with `qemu-img convert -O qcow2`',
    ...(cause === undefined ? {} : { cause }),
  });
}
