import { Violation } from './violation.js';

/** What is known of a message that was too large to be kept. */
export interface Oversized {
  readonly bytes: number;
  /** Its first and last bytes, as text. */
  readonly head: string;
  readonly tail: string;
}

export interface MessageOptions {
  /** The byte that ends each message. */
  readonly delimiter: number;
  /** Bytes of a message, by its first bytes. At least 256. */
  readonly most: (head: Buffer) => number;
  /** Bytes of a larger message that are passed over while its end is awaited. Default 0: it is a violation at once. */
  readonly mostDropped?: number;
  readonly message: (bytes: Buffer) => void;
  /** A larger message is over. */
  readonly oversized?: (message: Oversized) => void;
}

/** Bytes that are kept of either end of a message that is too large. */
const edge = 256;

/** Splits a stream of bytes into messages that end in a delimiter. Holds no more than one message of the allowed size. */
export class Messages {
  readonly #options: MessageOptions;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #most: number | undefined;
  /** Set while a message is passed over. */
  #dropped: { readonly head: Buffer; tail: Buffer } | undefined;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  /** Takes what has come. Throws `Violation`, and what the handlers throw. */
  push(chunk: Buffer): void {
    const { delimiter, message } = this.#options;
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end >= 0; end = chunk.indexOf(delimiter, start)) {
      const part = chunk.subarray(start, end);
      start = end + 1;
      this.#keep(part);
      const whole = this.#pieces.length === 1 ? part : Buffer.concat(this.#pieces);
      const { bytes, dropped } = { bytes: this.#bytes, dropped: this.#dropped };
      this.#reset();
      if (dropped === undefined) message(whole);
      else this.#options.oversized?.({ bytes, head: dropped.head.toString(), tail: dropped.tail.toString() });
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #reset(): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.#most = undefined;
    this.#dropped = undefined;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#dropped === undefined) {
      this.#pieces.push(part);
      if (this.#bytes <= edge) return;
    }
    const { most, mostDropped = 0 } = this.#options;
    this.#most ??= most(this.#pieces.length === 1 ? part : ends(this.#pieces).head);
    if (this.#bytes <= this.#most) return;
    if (this.#bytes > this.#most + mostDropped) {
      const bound = this.#most + mostDropped;
      this.#reset();
      throw new Violation(`sent a message of more than ${bound} bytes`);
    }
    const head = this.#dropped?.head ?? ends(this.#pieces).head;
    const tail = this.#dropped ? ends([this.#dropped.tail, part]).tail : ends(this.#pieces).tail;
    this.#dropped = { head, tail };
    this.#pieces = [];
  }
}

/** Copies of the first and the last bytes, which do not hold the rest in memory. */
function ends(pieces: readonly Buffer[]): { head: Buffer; tail: Buffer } {
  const first: Buffer[] = [];
  for (let index = 0, bytes = 0; index < pieces.length && bytes < edge; index++) {
    first.push(pieces[index]!);
    bytes += pieces[index]!.length;
  }
  const last: Buffer[] = [];
  for (let index = pieces.length - 1, bytes = 0; index >= 0 && bytes < edge; index--) {
    last.unshift(pieces[index]!.subarray(-edge));
    bytes += pieces[index]!.length;
  }
  return {
    head: Buffer.concat(first.map((piece) => piece.subarray(0, edge))).subarray(0, edge),
    tail: Buffer.from(Buffer.concat(last).subarray(-edge)),
  };
}
