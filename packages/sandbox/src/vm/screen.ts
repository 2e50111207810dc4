import type { FileHandle } from 'node:fs/promises';
import sharp from 'sharp';
import { GyreError, type Size } from '@gyre/protocol';
import { frameOf, type Frame } from '../recording/frame.js';
import { openUnnamedFile } from './unnamedFile.js';
import type { Qmp } from './qmp.js';

export interface Picture {
  readonly size: Size;
  /** RGB `[height, width, 3]`. */
  readonly pixels: Buffer;
}

const maxPixels = 2 ** 26;

const headerBytes = 64;

export async function screenFile(): Promise<FileHandle> {
  const file = await openUnnamedFile('gyre-screen');
  // QEMU, another user, reopens the file by its descriptor.
  await file.chmod(0o666);
  return file;
}

export class VmScreen {
  readonly #qmp: Qmp;
  readonly #file: FileHandle;
  readonly #path: string;

  /**
   * @param file from `screenFile`.
   * @param descriptor of that file in QEMU.
   */
  constructor(qmp: Qmp, file: FileHandle, descriptor: number) {
    this.#qmp = qmp;
    this.#file = file;
    // This name reopens the file, so writing starts at 0.
    this.#path = `/proc/self/fd/${descriptor}`;
  }

  /** Throws `infra` for a malformed picture: a guest in control of QEMU could write anything. */
  async picture(): Promise<Picture> {
    await this.#qmp.ask('screendump', { filename: this.#path });
    const head = Buffer.alloc(headerBytes);
    const { bytesRead } = await this.#file.read(head, 0, headerBytes, 0);
    const { size, bytes } = parseHeader(head.subarray(0, bytesRead));
    const pixels = Buffer.alloc(size.width * size.height * 3);
    const read = await this.#file.read(pixels, 0, pixels.length, bytes);
    if (read.bytesRead !== pixels.length) throw noPicture('its file is incomplete');
    return { size, pixels };
  }
}

/** Parses a PPM header (P6, 8 bits). Throws `infra` if malformed. */
function parseHeader(head: Buffer): { readonly size: Size; readonly bytes: number } {
  const header = /^P6\s+(\d{1,5})\s+(\d{1,5})\s+255\s/.exec(head.toString('latin1', 0, headerBytes));
  const [width, height] = [Number(header?.[1] ?? 0), Number(header?.[2] ?? 0)];
  if (header && width >= 1 && height >= 1 && width * height <= maxPixels)
    return { size: { width, height }, bytes: header[0].length };
  throw noPicture('its file is invalid');
}

function noPicture(why: string): GyreError {
  return new GyreError('infra', `no screenshot of the machine: ${why}`, {
    part: 'vm',
    field: 'screen',
    fix: 'restart the machine',
  });
}

export async function frameOfPicture({ size, pixels }: Picture): Promise<Frame> {
  const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return frameOf(png, size);
}

export function samePicture(a: Picture, b: Picture): boolean {
  return a.size.width === b.size.width && a.pixels.equals(b.pixels);
}
