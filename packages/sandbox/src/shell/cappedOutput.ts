import { joinWithGap } from './shortened.js';

/** Stores the first and last bytes of an output, and counts the rest. */
export class CappedOutput {
  readonly #headCap: number;
  readonly #tailCap: number;
  #room: Buffer = Buffer.alloc(0);
  #headBytes = 0;
  /** Ring buffer of the last bytes; the oldest is at `#total - headCap` modulo its length. */
  #ring: Buffer = Buffer.alloc(0);
  #total = 0;
  #ended = false;

  constructor(cap: number) {
    this.#headCap = Math.ceil(cap / 2);
    this.#tailCap = Math.floor(cap / 2);
  }

  get bytes(): number {
    return this.#total;
  }

  get leftOut(): number {
    const { head, tail } = this.#kept();
    return this.#overflows ? this.#total - head.length - tail.length : 0;
  }

  push(chunk: Uint8Array): void {
    const taken = Math.min(this.#headCap - this.#headBytes, chunk.length);
    if (taken > 0) this.#begin(chunk.subarray(0, taken));
    this.#total += taken;
    const rest = chunk.subarray(taken);
    if (rest.length > 0) this.#keep(rest);
  }

  /** Ends the output: an incomplete last character is no longer withheld. */
  end(): void {
    this.#ended = true;
  }

  /** Returns UTF-8, cut between characters, with a bracketed line for omitted bytes. Invalid bytes become U+FFFD. */
  text(): string {
    const { head, tail } = this.#kept();
    if (!this.#overflows) return Buffer.concat([head, tail]).toString('utf8');
    return joinWithGap(head.toString('utf8'), `${this.leftOut} bytes`, tail.toString('utf8'));
  }

  get #overflows(): boolean {
    return this.#total > this.#headCap + this.#tailCap;
  }

  get #head(): Buffer {
    return this.#room.subarray(0, this.#headBytes);
  }

  /** Doubling bounds the copying, however small the chunks. */
  #begin(piece: Uint8Array): void {
    const needed = this.#headBytes + piece.length;
    if (needed > this.#room.length) {
      const size = Math.min(this.#headCap, Math.max(2 * this.#room.length, needed));
      this.#room = Buffer.concat([this.#head], size);
    }
    this.#room.set(piece, this.#headBytes);
    this.#headBytes = needed;
  }

  #keep(rest: Uint8Array): void {
    const last = rest.subarray(Math.max(0, rest.length - this.#tailCap));
    const beyond = this.#total - this.#headCap;
    if (beyond + rest.length > this.#ring.length && this.#ring.length < this.#tailCap) {
      const size = Math.min(this.#tailCap, Math.max(2 * this.#ring.length, beyond + rest.length));
      this.#ring = Buffer.concat([this.#ring.subarray(0, beyond)], size);
    }
    this.#total += rest.length;
    if (this.#ring.length === 0) return;
    const position = (beyond + rest.length - last.length) % this.#ring.length;
    const first = last.subarray(0, this.#ring.length - position);
    this.#ring.set(first, position);
    this.#ring.set(last.subarray(first.length), 0);
  }

  #kept(): { head: Buffer; tail: Buffer } {
    const beyond = this.#total - this.#head.length;
    if (!this.#overflows) {
      const end = this.#ended || beyond > 0 ? this.#head.length : wholeEnd(this.#head);
      const tail = this.#ring.subarray(0, beyond);
      return { head: this.#head.subarray(0, end), tail: this.#ended ? tail : tail.subarray(0, wholeEnd(tail)) };
    }
    const start = this.#ring.length === 0 ? 0 : beyond % this.#ring.length;
    const tail = Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start)]);
    const end = this.#ended ? tail.length : wholeEnd(tail);
    return { head: this.#head.subarray(0, wholeEnd(this.#head)), tail: tail.subarray(wholeStart(tail), end) };
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns the end of the last whole character. */
function wholeEnd(bytes: Uint8Array): number {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead -= 1;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead >= 0 && lead + length > bytes.length ? lead : bytes.length;
}

function wholeStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}
