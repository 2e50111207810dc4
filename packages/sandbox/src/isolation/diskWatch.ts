import { statfsSync } from 'node:fs';
import { runOnHost } from './program.js';

const everyMs = 200;
/** Others may free space meanwhile, which hides the session's use, so a recount is due regardless. */
const atLatestMs = 10_000;

export interface Watched {
  readonly directory: string;
  readonly memory: string;
}

/**
 * Watches disk usage that the kernel does not bound. Counting files is expensive, so it waits until the file systems
 * have lost the space that the session may still take.
 */
export class DiskWatch {
  readonly #timer: NodeJS.Timeout;
  #busy = false;
  /** Bytes that may be taken before the next count. */
  #slack = 0;
  #freeThen = 0;
  #memoryThen = 0;
  #counted = 0;

  constructor(
    readonly watched: Watched,
    readonly bytes: number,
    readonly onExceeded: () => void,
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
      const memoryUsed = inUse(memory);
      const taken = Math.max(0, this.#freeThen - free) + Math.max(0, memoryUsed - this.#memoryThen);
      if (taken < this.#slack && Date.now() - this.#counted < atLatestMs) return;
      const { stdout } = await runOnHost('du', ['--summarize', '--one-file-system', '--block-size=1', directory]);
      this.#counted = Date.now();
      const used = (Number.parseInt(stdout, 10) || 0) + memoryUsed;
      [this.#freeThen, this.#memoryThen, this.#slack] = [free, memoryUsed, this.bytes - used];
      if (used <= this.bytes) return;
      this.stop();
      this.onExceeded();
    } catch {
      this.stop();
    } finally {
      this.#busy = false;
    }
  }
}

function inUse(path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(path);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}
