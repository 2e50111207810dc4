import { connect, type Socket } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { Allowance } from '../isolation/peer/allowance.js';
import { Frames } from '../isolation/peer/frames.js';
import { Guard } from '../isolation/peer/guard.js';
import { Violation } from '../isolation/peer/violation.js';
import { headerBytes, lengthOfMessage, messageType, readMessage, writeCall, type Call } from './busMessage.js';

const answerMs = 5_000;

const maxBytes = 16 * 2 ** 20;
const longestLine = 512;
const maxUnread = 64 * 2 ** 20;
/** Unsolicited: any program inside can send messages. */
const allowed = { burst: 100_000, perSecond: 20_000, unit: 'messages' };

const busName = { name: 'the message bus', part: 'bus', fix: 'start another desktop' } as const;
const lineEnd = Buffer.from('\r\n');

interface Waiting {
  readonly answer: string;
  readonly resolve: (values: unknown[]) => void;
  readonly reject: (reason: string) => void;
}

/** Client of a message bus to which any program inside may send. Reads only replies, and only of expected types. */
export class BusConnection {
  readonly ended: Promise<GyreError>;
  readonly #socket: Socket;
  readonly #guard: Guard;
  readonly #waiting = new Map<number, Waiting>();
  readonly #unasked = new Allowance(allowed);
  /** Calls made before admission. */
  #queued: Buffer[] | undefined = [];
  #line = Buffer.alloc(0);
  #serial = 0;

  constructor(socket: string) {
    this.#socket = connect(socket);
    this.#guard = new Guard(busName, () => this.#socket.destroy());
    const frames = new Frames({
      header: headerBytes,
      lengthOf: lengthOfMessage,
      maxBytes,
      frame: (bytes) => this.#onMessage(bytes),
    });
    this.#socket.on('data', (chunk: Buffer) =>
      this.#guard.run(() => {
        const messages = this.#queued ? this.#greeted(chunk) : chunk;
        if (messages) frames.push(messages);
      }),
    );
    this.#socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.#socket.once('close', () => {
        const gone = new GyreError('infra', 'the message bus has ended', {
          part: 'bus',
          field: 'accessibility',
          fix: 'start another desktop',
        });
        const reason = this.#guard.reason ?? gone;
        for (const { reject } of this.#waiting.values()) reject(reason.message);
        this.#waiting.clear();
        resolve(reason);
      });
    });
    this.#socket.write('\0AUTH ANONYMOUS\r\n');
    const bus = 'org.freedesktop.DBus';
    const hello = { destination: bus, path: '/org/freedesktop/DBus', interface: bus, member: 'Hello' };
    this.call(hello, 's').catch(() => undefined);
  }

  /** Throws `infra` for errors, late replies, and types other than `answer`. */
  call(call: Call, answer: string): Promise<unknown[]> {
    return new Promise((resolve, rejectWith) => {
      const serial = ++this.#serial;
      const reject = (reason: string) => {
        clearTimeout(timer);
        this.#waiting.delete(serial);
        rejectWith(
          new GyreError('infra', `${call.destination} ${call.member}: ${reason}`, {
            part: 'bus',
            field: 'accessibility',
            fix: 'try again',
          }),
        );
      };
      const timer = setTimeout(() => reject('no answer'), answerMs);
      // Programs inside choose this name; the bus disconnects senders of malformed ones.
      if (!isBusName(call.destination)) return reject('invalid bus name');
      if (this.#socket.destroyed) return reject(this.#guard.reason?.message ?? 'the message bus has ended');
      if (this.#socket.writableLength > maxUnread) return reject('the bus does not read its input');
      this.#waiting.set(serial, {
        answer,
        reject,
        resolve: (values) => {
          clearTimeout(timer);
          resolve(values);
        },
      });
      const bytes = writeCall(serial, call);
      if (this.#queued) this.#queued.push(bytes);
      else this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #greeted(chunk: Buffer): Buffer | undefined {
    this.#line = Buffer.concat([this.#line, chunk]);
    const end = this.#line.indexOf(lineEnd);
    if (end < 0 && this.#line.length <= longestLine) return undefined;
    if (end < 0 || !this.#line.toString('latin1', 0, end).startsWith('OK '))
      throw new Violation('rejected the connection');
    this.#socket.write(Buffer.concat([Buffer.from('BEGIN\r\n'), ...(this.#queued ?? [])]));
    this.#queued = undefined;
    const rest = this.#line.subarray(end + lineEnd.length);
    this.#line = Buffer.alloc(0);
    return rest;
  }

  #onMessage(bytes: Buffer): void {
    const message = readMessage(bytes);
    const { type, replySerial = 0, signature, errorName } = message;
    const waiting = this.#waiting.get(replySerial);
    if (waiting === undefined || (type !== messageType.answer && type !== messageType.error)) {
      return this.#unasked.spend(1);
    }
    this.#waiting.delete(replySerial);
    if (type === messageType.error) return waiting.reject(errorName ?? 'an error without a name');
    if (signature !== waiting.answer) return waiting.reject(`answered ${signature} instead of ${waiting.answer}`);
    waiting.resolve(message.body());
  }
}

/** Follows the D-Bus specification, "Bus names". */
function isBusName(name: string): boolean {
  return name.length <= 255 && /^:?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/.test(name);
}
