import { Violation } from './violation.js';

export interface Oversized {
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
}

export interface MessageOptions {
  readonly delimiter: number;
  /** Returns the size limit by the first bytes; at least 256. */
  readonly limit: (head: Buffer) => number;
  /** Bytes beyond the limit to skip until it is a violation. Default 0. */
  readonly maxDropped?: number;
  readonly message: (bytes: Buffer) => void;
  readonly oversized?: (message: Oversized) => void;
}

const edge = 256;

/** Splits a stream at a delimiter; buffers at most one message. */
export class Messages {
  readonly #options: MessageOptions;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #limit: number | undefined;
  #dropped: { readonly head: Buffer; tail: Buffer } | undefined;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  /** Throws `Violation`. */
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
    this.#limit = undefined;
    this.#dropped = undefined;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#dropped === undefined) {
      this.#pieces.push(part);
      if (this.#bytes <= edge) return;
    }
    const { limit, maxDropped: maxDropped = 0 } = this.#options;
    this.#limit ??= limit(this.#pieces.length === 1 ? part : ends(this.#pieces).head);
    if (this.#bytes <= this.#limit) return;
    if (this.#bytes > this.#limit + maxDropped) {
      const bound = this.#limit + maxDropped;
      this.#reset();
      throw new Violation(`sent a message of more than ${bound} bytes`);
    }
    const head = this.#dropped?.head ?? ends(this.#pieces).head;
    const tail = this.#dropped ? ends([this.#dropped.tail, part]).tail : ends(this.#pieces).tail;
    this.#dropped = { head, tail };
    this.#pieces = [];
  }
}

/** Copies both ends, so that the rest can be freed. */
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
