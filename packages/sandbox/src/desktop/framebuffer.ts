import { closeSync, openSync, readSync } from 'node:fs';
import { GyreError, type Size } from '@gyre/protocol';

/** The X server writes while it is read: an image counts once two reads agree. What never stands still is taken as it is. */
const mostReads = 8;

/** Words of the header of an XWD image (X11/XWDFile.h). They are big-endian. */
const word = { headerSize: 0, width: 4, height: 5, byteOrder: 7, bitsPerPixel: 11, bytesPerLine: 12, colours: 19 };

const bytesPerColour = 12;
const bytesPerPixel = 4;

/** The screen of an Xvfb: the file that it keeps it in. */
export class Framebuffer {
  readonly size: Size;
  readonly #file: number;
  readonly #offset: number;
  readonly #bytes: number;
  readonly #stride: number;
  #last: Buffer;
  #next: Buffer;

  /** Throws `infra` where the file is not an XWD image of 32 bits a pixel. */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, header.length, 0);
    const at = (index: number) => header.readUInt32BE(index * 4);
    if (at(word.bitsPerPixel) !== 8 * bytesPerPixel || at(word.byteOrder) !== 0) {
      closeSync(this.#file);
      throw new GyreError('infra', `${path} is not a screen of 32 bits a pixel`, { fix: 'start Xvfb with depth 24' });
    }
    this.size = { width: at(word.width), height: at(word.height) };
    this.#offset = at(word.headerSize) + at(word.colours) * bytesPerColour;
    this.#stride = at(word.bytesPerLine);
    this.#bytes = this.#stride * this.size.height;
    this.#last = Buffer.alloc(this.#bytes);
    this.#next = Buffer.alloc(this.#bytes);
  }

  /** What the screen shows, as the server keeps it: for `equals` and `rgbOf`, until the next `read`. */
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

  /** RGB `[height, width, 3]` of what `read` gave. */
  rgbOf(screen: Buffer): Uint8Array {
    const { width, height } = this.size;
    const rgb = new Uint8Array(width * height * 3);
    for (let y = 0, to = 0; y < height; y++) {
      // Blue, green, red, nothing.
      for (let x = 0, from = y * this.#stride; x < width; x++, from += bytesPerPixel, to += 3) {
        rgb[to] = screen[from + 2]!;
        rgb[to + 1] = screen[from + 1]!;
        rgb[to + 2] = screen[from]!;
      }
    }
    return rgb;
  }

  close(): void {
    closeSync(this.#file);
  }

  #readInto(screen: Buffer): void {
    readSync(this.#file, screen, 0, this.#bytes, this.#offset);
  }
}
