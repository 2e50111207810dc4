export interface FrameOptions {
  /** Bytes that hold the length. */
  readonly header: number;
  /** Returns the total size. Throws `Violation`. */
  readonly lengthOf: (header: Buffer) => number;
  /** Larger frames are skipped. */
  readonly maxBytes: number;
  readonly frame: (bytes: Buffer) => void;
}

/** Splits a stream into frames; buffers at most one. */
export class Frames {
  readonly #options: FrameOptions;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #needed: number;
  #skipping = 0;

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#needed = options.header;
  }

  /** Throws `Violation`. */
  push(chunk: Buffer): void {
    const { header, lengthOf, maxBytes, frame } = this.#options;
    let rest = this.#skip(chunk);
    if (rest.length === 0) return;
    this.#pieces.push(rest);
    this.#bytes += rest.length;
    if (this.#bytes < this.#needed) return;
    rest = this.#pieces.length === 1 ? rest : Buffer.concat(this.#pieces);
    this.#needed = header;
    while (rest.length >= header) {
      const length = lengthOf(rest);
      if (length > maxBytes) {
        this.#skipping = length;
        rest = this.#skip(rest);
        continue;
      }
      if (rest.length < length) {
        this.#needed = length;
        break;
      }
      const whole = rest.subarray(0, length);
      rest = rest.subarray(length);
      frame(whole);
    }
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
  }

  #skip(bytes: Buffer): Buffer {
    const skipped = Math.min(this.#skipping, bytes.length);
    this.#skipping -= skipped;
    return bytes.subarray(skipped);
  }
}
