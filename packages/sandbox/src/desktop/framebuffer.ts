import { closeSync, constants, openSync, readSync } from 'node:fs';
import { GyreError, type Size } from '@gyre/protocol';

/** The X server writes while it is read: an image counts once two reads agree. What never stands still is taken as it is. */
const mostReads = 8;

/** Words of the header of an XWD image (X11/XWDFile.h). They are big-endian. */
const word = { headerSize: 0, width: 4, height: 5, byteOrder: 7, bitsPerPixel: 11, bytesPerLine: 12, colours: 19 };

const bytesPerColour = 12;
const bytesPerPixel = 4;
const leastFirst = 0;

/** The screen of an Xvfb: the file that it keeps it in. */
export class Framebuffer {
  readonly size: Size;
  readonly #file: number;
  readonly #offset: number;
  readonly #bytes: number;
  #last: Buffer;
  #next: Buffer;

  /** Throws `infra` where the file is not an XWD image of that size with 32 bits a pixel. */
  constructor(path: string, size: Size) {
    this.#file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, header.length, 0);
    const at = (index: number) => header.readUInt32BE(index * 4);
    const { width, height } = size;
    const layout = [word.width, word.height, word.bitsPerPixel, word.byteOrder, word.bytesPerLine].map(at);
    const expected = [width, height, 8 * bytesPerPixel, leastFirst, width * bytesPerPixel];
    if (layout.some((value, index) => value !== expected[index])) {
      closeSync(this.#file);
      throw new GyreError('infra', `${path} is not a screen of ${width} x ${height} px and 32 bits a pixel`, {
        field: 'desktop',
        fix: 'start another desktop',
      });
    }
    this.size = size;
    this.#offset = at(word.headerSize) + at(word.colours) * bytesPerColour;
    this.#bytes = width * height * bytesPerPixel;
    this.#last = Buffer.alloc(this.#bytes);
    this.#next = Buffer.alloc(this.#bytes);
  }

  /** What the screen shows, as the server keeps it: `[height, width, 4]`; good until the next `read`. */
  read(): Buffer {
    this.#readInto(this.#last);
    for (let reads = 1; reads < mostReads; reads++) {
      this.#readInto(this.#next);
      if (this.#next.equals(this.#last)) break;
      [this.#last, this.#next] = [this.#next, this.#last];
    }
    return this.#last;
  }

  /** A question that can be asked again and again: has the screen changed since the last time? */
  watch(): () => boolean {
    let shown = Buffer.alloc(this.#bytes);
    let next = Buffer.alloc(this.#bytes);
    this.#readInto(shown);
    return () => {
      this.#readInto(next);
      if (next.equals(shown)) return false;
      [shown, next] = [next, shown];
      return true;
    };
  }

  close(): void {
    closeSync(this.#file);
  }

  #readInto(screen: Buffer): void {
    readSync(this.#file, screen, 0, this.#bytes, this.#offset);
  }
}

/** Turns what `read` gave into RGB `[height, width, 3]`. Returns `rgb`. */
export function toRgb(screen: Buffer, rgb: Uint8Array): Uint8Array {
  const pixels = new Uint32Array(screen.buffer, screen.byteOffset, screen.length / bytesPerPixel);
  for (let index = 0, to = 0; index < pixels.length; index++, to += 3) {
    const pixel = pixels[index]!;
    rgb[to] = pixel >> 16;
    rgb[to + 1] = pixel >> 8;
    rgb[to + 2] = pixel;
  }
  return rgb;
}
