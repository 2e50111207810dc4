import { open } from 'node:fs/promises';

/** Reads the lines that a file gains. A file that shrinks is read from its start. */
export class LineTail {
  readonly #path: string;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the complete lines since the last call; all of them at first. */
  async lines(): Promise<string[]> {
    const handle = await open(this.#path, 'r').catch(() => undefined);
    if (!handle) return [];
    try {
      const { size } = await handle.stat();
      if (size < this.#offset) this.#offset = 0;
      const bytes = Buffer.alloc(size - this.#offset);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#offset);
      const end = bytes.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      this.#offset += end;
      return bytes
        .toString('utf8', 0, end)
        .split('\n')
        .filter((line) => line !== '');
    } finally {
      await handle.close();
    }
  }
}
