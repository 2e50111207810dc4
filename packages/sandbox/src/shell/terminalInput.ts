import { writeSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';
import { isCode } from '../files/failure.js';

const maxWaiting = 2 ** 20;

const firstPause = 1;
const longestPause = 50;

/** node-pty's own `write` blocks this process if the program does not read. */
export class TerminalInput {
  /** Not in the typings. The socket owns the descriptor, which may be reused once destroyed. */
  readonly #pty: { readonly fd: number; readonly _socket: ReadStream };
  readonly #waiting: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #pause = firstPause;

  constructor(pty: IPty) {
    this.#pty = pty as unknown as { fd: number; _socket: ReadStream };
  }

  /** Returns false, writing nothing, if too much waits. */
  write(text: string): boolean {
    const data = Buffer.from(text);
    if (this.#bytes + data.length > maxWaiting) return false;
    this.#waiting.push(data);
    this.#bytes += data.length;
    if (this.#timer === undefined) this.#flush();
    return true;
  }

  #flush(): void {
    this.#timer = undefined;
    for (let data = this.#waiting[0]; data !== undefined; data = this.#waiting[0]) {
      const written = this.#some(data);
      if (written === undefined) {
        this.#waiting.length = 0;
        this.#bytes = 0;
        return;
      }
      if (written === 0) {
        this.#timer = setTimeout(() => this.#flush(), this.#pause);
        this.#pause = Math.min(longestPause, 2 * this.#pause);
        return;
      }
      this.#pause = firstPause;
      this.#bytes -= written;
      if (written === data.length) this.#waiting.shift();
      else this.#waiting[0] = data.subarray(written);
    }
  }

  #some(data: Buffer): number | undefined {
    if (this.#pty._socket.destroyed) return undefined;
    try {
      return writeSync(this.#pty.fd, data);
    } catch (error) {
      return isCode(error, 'EAGAIN') ? 0 : undefined;
    }
  }
}
