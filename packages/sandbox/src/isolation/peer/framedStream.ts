import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Guard } from './guard.js';
import { Frames, type FrameOptions } from './frames.js';
import { parsing, Violation } from './violation.js';

export interface FramedStreamOptions {
  readonly guard: Guard;
  /** What is framed before it is heard. */
  readonly framing: Pick<FrameOptions, 'header' | 'lengthOf' | 'most'>;
  /** Called with each whole frame before it is heard. Throws `Violation` for one that must not be. */
  readonly check: (frame: Buffer) => void;
  /** Bytes that may wait to be read by the peer. */
  readonly mostUnread: number;
}

/**
 * A socket for a library that parses in its own `data` handler. The library hears whole frames of an allowed size, one at a time, and
 * what it throws on one is the frame's fault and ends the connection.
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

  /** Nothing is read on demand: frames are heard as they come. */
  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const { guard, mostUnread } = this.#options;
    if (this.writableLength > mostUnread) guard.break(new Violation('does not read what it is sent'));
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
