import { statfsSync } from 'node:fs';
import { runOnHost } from './program.js';

const everyMs = 200;
/** Others may free space while the session takes it, so now and then all is counted without a sign. */
const atLatestMs = 10_000;

/**
 * Watches the size of a directory where nothing better holds it. Counting all files is dear, so it is done only when the
 * file system has lost as much space as is still allowed.
 */
export class DiskWatch {
  readonly #timer: NodeJS.Timeout;
  #busy = false;
  #allowedUntilFree = Infinity;
  #counted = 0;

  /** @param passed is called once, when the directory takes more than `bytes`. */
  constructor(
    readonly directory: string,
    readonly bytes: number,
    readonly passed: () => void,
  ) {
    this.#timer = setInterval(() => void this.#look(), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const { bavail, bsize } = statfsSync(this.directory);
      const free = bavail * bsize;
      if (free > this.#allowedUntilFree && Date.now() - this.#counted < atLatestMs) return;
      const { stdout } = await runOnHost('du', ['--summarize', '--one-file-system', '--block-size=1', this.directory]);
      this.#counted = Date.now();
      const used = Number.parseInt(stdout, 10) || 0;
      this.#allowedUntilFree = free - Math.max(0, this.bytes - used);
      if (used <= this.bytes) return;
      this.stop();
      this.passed();
    } catch {
      // The directory is gone: so is the session.
      this.stop();
    } finally {
      this.#busy = false;
    }
  }
}
