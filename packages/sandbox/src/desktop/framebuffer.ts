import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { GyreError, type Size } from '@gyre/protocol';

/** The X server writes during reads: two equal reads are needed, or this many. */
const maxReads = 8;

/** X11/XWDFile.h, big-endian. */
const word = { headerSize: 0, width: 4, height: 5, byteOrder: 7, bitsPerPixel: 11, bytesPerLine: 12, colours: 19 };

/** Shared by all screens: comparisons are synchronous. */
const piece = Buffer.alloc(2 ** 18);

const bytesPerColour = 12;
const bytesPerPixel = 4;
const lsbFirst = 0;

export class Framebuffer {
  readonly size: Size;
  readonly bytes: number;
  readonly #file: number;
  readonly #offset: number;

  constructor(path: string, size: Size) {
    // Programs inside can reach the folder: do not follow links or block on a pipe.
    this.#file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const header = Buffer.alloc(100);
    if (fstatSync(this.#file).isFile()) readSync(this.#file, header, 0, header.length, 0);
    const wordAt = (index: number) => header.readUInt32BE(index * 4);
    const { width, height } = size;
    const layout = [word.width, word.height, word.bitsPerPixel, word.byteOrder, word.bytesPerLine].map(wordAt);
    const expected = [width, height, 8 * bytesPerPixel, lsbFirst, width * bytesPerPixel];
    if (layout.some((value, index) => value !== expected[index])) {
      closeSync(this.#file);
      throw new GyreError('infra', `${path} is not a screen of ${width} x ${height} px with 32 bits per pixel`, {
        part: 'display',
        field: 'desktop',
        fix: 'start another desktop',
      });
    }
    this.size = size;
    this.#offset = wordAt(word.headerSize) + wordAt(word.colours) * bytesPerColour;
    this.bytes = width * height * bytesPerPixel;
  }

  /** Reads BGRX `[height, width, 4]`. Throws `infra` if the file was truncated. */
  read<Screen extends Uint8Array>(screen: Screen): Screen {
    this.#fill(screen, this.bytes, this.#offset);
    for (let reads = 1; reads < maxReads && this.#renew(screen); reads++);
    return screen;
  }

  watch(): () => boolean {
    const previous = Buffer.alloc(this.bytes);
    this.#renew(previous);
    return () => this.#renew(previous);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Rejects short reads, which would leave part of another screen. */
  #fill(into: Uint8Array, length: number, from: number): void {
    if (readSync(this.#file, into, 0, length, from) === length) return;
    throw new GyreError('infra', 'the screen file was truncated', {
      part: 'display',
      field: 'desktop',
      fix: 'start another desktop',
    });
  }

  /** Updates an earlier copy; returns whether it differed. */
  #renew(screen: Uint8Array): boolean {
    let changed = false;
    for (let offset = 0; offset < this.bytes; offset += piece.length) {
      const length = Math.min(piece.length, this.bytes - offset);
      this.#fill(piece, length, this.#offset + offset);
      if (piece.compare(screen, offset, offset + length, 0, length) === 0) continue;
      screen.set(piece.subarray(0, length), offset);
      changed = true;
    }
    return changed;
  }
}

/** Converts BGRX to RGB. */
export function toRgb(screen: Uint8Array, rgb: Uint8Array): Uint8Array {
  const pixels = new Uint32Array(screen.buffer, screen.byteOffset, screen.length / bytesPerPixel);
  // Four pixels are three words: twice as fast as bytewise.
  const groups = rgb.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0 ? pixels.length >> 2 : 0;
  const words = new Uint32Array(rgb.buffer, groups === 0 ? 0 : rgb.byteOffset, groups * 3);
  for (let index = 0, to = 0; to < words.length; index += 4, to += 3) {
    const a = pixels[index]!;
    const b = pixels[index + 1]!;
    const c = pixels[index + 2]!;
    const d = pixels[index + 3]!;
    words[to] = ((a >> 16) & 0xff) | (a & 0xff00) | ((a & 0xff) << 16) | ((b << 8) & 0xff00_0000);
    words[to + 1] = ((b >> 8) & 0xff) | ((b & 0xff) << 8) | (c & 0xff_0000) | ((c & 0xff00) << 16);
    words[to + 2] = (c & 0xff) | ((d >> 8) & 0xff00) | ((d & 0xff00) << 8) | (d << 24);
  }
  for (let index = groups * 4; index < pixels.length; index++) {
    const pixel = pixels[index]!;
    rgb[index * 3] = pixel >> 16;
    rgb[index * 3 + 1] = pixel >> 8;
    rgb[index * 3 + 2] = pixel;
  }
  return rgb;
}
