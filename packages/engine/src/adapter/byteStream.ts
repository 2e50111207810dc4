import { GyreError } from '@gyre/protocol';

/** Reads a stream of chunks by lengths. */
export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #limit: number;
  #pending: Buffer = Buffer.alloc(0);
  #total = 0;

  /** @param limit in bytes; a longer stream is refused */
  constructor(chunks: AsyncIterable<Uint8Array>, limit = Infinity) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#limit = limit;
  }

  /** Returns fewer bytes at the end of the stream alone. Holds them in memory. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pieces(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    let missing = length;
    for await (const part of this.pieces(length)) missing -= part.length;
    if (missing > 0) throw truncated();
  }

  /** Yields the next `length` bytes as they arrive, or fewer at the end of the stream. */
  async *pieces(length = Infinity): AsyncGenerator<Buffer> {
    for (let missing = length; missing > 0;) {
      if (this.#pending.length === 0 && !(await this.#fill())) return;
      const piece = this.#pending.subarray(0, missing);
      this.#pending = this.#pending.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  /** Ends the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#pending.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      const { value } = next;
      this.#total += value.length;
      if (this.#total > this.#limit) throw corruptArchive(`is larger than ${this.#limit / 2 ** 30} GiB`);
      this.#pending = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return true;
  }
}

export function corruptArchive(fault: string, cause?: unknown): GyreError {
  return new GyreError('corrupt', `the archive ${fault}`, {
    ...{ field: 'archive', cause },
    fix: 'use a server that archives LoRA adapters in the format of PEFT, such as SkyRL 0.4',
  });
}

export const truncated = (): GyreError => corruptArchive('is truncated');
