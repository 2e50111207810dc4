import { statfsSync } from 'node:fs';
import { runOnHost } from './program.js';

const everyMs = 200;
/** Others may free space while the session takes it, so now and then all is counted without a sign. */
const atLatestMs = 10_000;

/** What of a session takes room. */
export interface Watched {
  readonly directory: string;
  /** A file system of its own, in memory. */
  readonly memory: string;
}

/**
 * Watches what a session takes where nothing better holds it. Counting all files is dear, so it is done only when the file systems have
 * lost as much space as is still allowed.
 */
export class DiskWatch {
  readonly #timer: NodeJS.Timeout;
  #busy = false;
  /** What may be taken before all is counted again. */
  #slack = 0;
  #freeThen = 0;
  #heldThen = 0;
  #counted = 0;

  /** @param passed is called once, when the session takes more than `bytes`. */
  constructor(
    readonly watched: Watched,
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
      const { directory, memory } = this.watched;
      const { bavail, bsize } = statfsSync(directory);
      const free = bavail * bsize;
      const held = inUse(memory);
      const taken = Math.max(0, this.#freeThen - free) + Math.max(0, held - this.#heldThen);
      if (taken < this.#slack && Date.now() - this.#counted < atLatestMs) return;
      const { stdout } = await runOnHost('du', ['--summarize', '--one-file-system', '--block-size=1', directory]);
      this.#counted = Date.now();
      const used = (Number.parseInt(stdout, 10) || 0) + held;
      [this.#freeThen, this.#heldThen, this.#slack] = [free, held, this.bytes - used];
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

/** Bytes in use of a file system; none where it cannot be looked at. */
function inUse(path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(path);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}
