import type { FileHandle } from 'node:fs/promises';
import sharp from 'sharp';
import { GyreError, type Size } from '@gyre/protocol';
import { frameOf, type Frame } from '../frame.js';
import { nameless } from './namelessFile.js';
import type { Qmp } from './qmp.js';

/** One picture of the screen. */
export interface Picture {
  readonly size: Size;
  /** `[height, width, 3]` as RGB. */
  readonly pixels: Buffer;
}

/** Px of a side: more than any card shows. */
const largest = 16_384;

/** Where QEMU puts pictures. */
export async function screenFile(): Promise<FileHandle> {
  const file = await nameless('gyre-screen');
  // QEMU, which is another user, opens it anew by its descriptor.
  await file.chmod(0o666);
  return file;
}

/** The screen of a machine, as its graphics card has it. */
export class VmScreen {
  readonly #qmp: Qmp;
  readonly #file: FileHandle;
  readonly #path: string;

  /**
   * @param file of `screenFile`.
   * @param descriptor of that file in QEMU.
   */
  constructor(qmp: Qmp, file: FileHandle, descriptor: number) {
    this.#qmp = qmp;
    this.#file = file;
    // Opened by this name it is written from its start, whatever was written before.
    this.#path = `/proc/self/fd/${descriptor}`;
  }

  async picture(): Promise<Picture> {
    await this.#qmp.ask('screendump', { filename: this.#path });
    const { size } = await this.#file.stat();
    const bytes = Buffer.allocUnsafe(Math.min(size, 3 * largest ** 2));
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, 0);
    return parsePicture(bytes.subarray(0, bytesRead));
  }
}

/** Reads a portable pixmap with a byte for each value (P6). Throws `infra` for what is none. */
export function parsePicture(bytes: Buffer): Picture {
  const header = /^P6\s+(\d{1,5})\s+(\d{1,5})\s+255\s/.exec(bytes.toString('latin1', 0, 64));
  const [width, height] = [Number(header?.[1] ?? 0), Number(header?.[2] ?? 0)];
  const pixels = bytes.subarray(header?.[0].length ?? 0);
  if (width >= 1 && height >= 1 && pixels.length === width * height * 3) return { size: { width, height }, pixels };
  throw new GyreError('infra', `no picture of the machine's screen: ${bytes.length} bytes that are none`, {
    part: 'vm',
    field: 'screen',
  });
}

/** A picture as everyone takes it. */
export async function frameOfPicture({ size, pixels }: Picture): Promise<Frame> {
  const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return frameOf(png, size);
}

export function samePicture(a: Picture, b: Picture): boolean {
  return a.size.width === b.size.width && a.pixels.equals(b.pixels);
}
