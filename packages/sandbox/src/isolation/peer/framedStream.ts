import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Guard } from './guard.js';
import { Frames, type FrameOptions } from './frames.js';
import { parsing, Violation } from './violation.js';

export interface FramedStreamOptions {
  readonly guard: Guard;
  readonly framing: Pick<FrameOptions, 'header' | 'lengthOf' | 'maxBytes'>;
  /** Runs before the library gets the frame. Throws `Violation`. */
  readonly check: (frame: Buffer) => void;
  readonly maxUnread: number;
}

/**
 * A socket for a library that parses in its own `data` handler. It gets whole frames of an allowed size; if it throws,
 * the frame is at fault.
 */
export class FramedStream extends Duplex {
  readonly #socket: Socket;
  readonly #options: FramedStreamOptions;

  constructor(socket: Socket, options: FramedStreamOptions) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#options = options;
    const { guard, framing, check } = options;
    const frames = new Frames({
      ...framing,
      frame: (frame) => {
        check(frame);
        parsing('a frame', () => this.emit('data', frame));
      },
    });
    socket.on('data', (chunk: Buffer) => guard.run(() => frames.push(chunk)));
    socket.once('connect', () => this.emit('connect'));
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  get connecting(): boolean {
    return this.#socket.connecting;
  }

  setNoDelay(): void {
    this.#socket.setNoDelay();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const { guard, maxUnread } = this.#options;
    if (this.writableLength > maxUnread) guard.break(new Violation('does not read its input'));
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
