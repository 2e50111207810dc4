import { connect } from 'node:net';
import { GyreError } from '@gyre/protocol';
import x11 from 'x11';
import { Guard } from '../isolation/peer/guard.js';
import { Violation } from '../isolation/peer/violation.js';
import { xStream } from './xframes.js';
import type { Property, Reply, XClient, XDisplay, XEvent, XTest } from './xClient.js';

/** The most that an X server sends of a property at once, in units of 4 bytes. */
const propertyPiece = 0xffff;

/** Atoms up to WM_TRANSIENT_FOR are the same in all servers (X protocol, appendix B). */
const lastPredefinedAtom = 68;

/** Bytes of a property that are read: programs inside can make them arbitrarily long. */
const mostPropertyBytes = 2 ** 16;

/** How long the server may take for its greeting, in ms. */
const greetingMs = 10_000;

const serverName = { name: 'the X server', part: 'display', fix: 'start another desktop' } as const;

const gone = () =>
  new GyreError('infra', 'the X server has ended', {
    part: 'display',
    field: 'desktop',
    fix: 'start another desktop',
  });

/** A connection to an X server. Every call throws `infra` once the server is gone. */
export class XConnection {
  readonly root: number;
  readonly keycodes: { readonly first: number; readonly last: number };
  readonly xtest: XTest;
  /** Resolves with the reason when either side has hung up or the server sends something malformed. */
  readonly ended: Promise<GyreError>;
  readonly #client: XClient;
  readonly #guard: Guard;
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #waiting = new Set<(reason: GyreError) => void>();
  #open = true;

  private constructor(display: XDisplay, xtest: XTest, guard: Guard) {
    this.#client = display.client;
    this.#guard = guard;
    // The package shares one table of atoms between all servers, which number them differently.
    const { atoms } = this.#client;
    this.#client.atoms = Object.fromEntries(Object.entries(atoms).filter(([, atom]) => atom <= lastPredefinedAtom));
    this.xtest = xtest;
    this.root = display.screen[0]!.root;
    this.keycodes = { first: display.min_keycode, last: display.max_keycode };
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#open = false;
        const reason = this.#gone();
        for (const reject of this.#waiting) reject(reason);
        this.#waiting.clear();
        resolve(reason);
      };
      this.#client.stream.once('close', end);
      this.#client.stream.once('end', end);
      // The server may have hung up before.
      if (this.#client.stream.destroyed) end();
    });
    // Errors of requests without an answer: mostly of windows that have just closed.
    this.#client.on('error', () => undefined);
  }

  /** Throws `infra` where the server does not answer or refuses the cookie. */
  static async open(socket: string, cookie: Buffer): Promise<XConnection> {
    const auth = { name: 'MIT-MAGIC-COOKIE-1', data: cookie.toString('latin1') };
    const guard = new Guard(serverName, (reason) => void stream.destroy(reason));
    const stream = xStream(connect(socket), guard);
    const late = setTimeout(() => stream.destroy(new Error(`no greeting within ${greetingMs} ms`)), greetingMs);
    try {
      const display = await new Promise<XDisplay>((resolve, reject) => {
        const done = (error: Error | null | undefined, answer: XDisplay) => (error ? reject(error) : resolve(answer));
        // The requests of one action leave in one write.
        x11.createClient({ stream, auth, bufferRequests: true }, done).on('error', reject);
      });
      const xtest = await new Promise<XTest>((resolve, reject) => {
        display.client.stream.once('close', () => reject(gone()));
        display.client.require('xtest', (error, extension) => (error ? reject(error) : resolve(extension)));
      });
      return new XConnection(display, xtest, guard);
    } catch (cause) {
      stream.destroy();
      const fix = 'start another';
      throw new GyreError('infra', 'the X server cannot be reached', { part: 'display', field: 'desktop', fix, cause });
    } finally {
      clearTimeout(late);
    }
  }

  /** Sends a request with an answer. Throws `bad_input` where the server refuses it. */
  ask<Result>(send: (client: XClient, reply: Reply<Result>) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#open) return reject(this.#gone());
      this.#waiting.add(reject);
      send(this.#client, (error, result) => {
        this.#waiting.delete(reject);
        if (!error) resolve(result);
        else
          reject(
            new GyreError('bad_input', `the X server refuses it: ${error.message}`, {
              field: 'window',
              fix: 'look at windows() again',
              cause: error,
            }),
          );
        return true;
      });
    });
  }

  tell(send: (client: XClient) => void): void {
    if (!this.#open) throw this.#gone();
    send(this.#client);
  }

  /** Resolves when the server has carried out all earlier requests. */
  async sync(): Promise<void> {
    await this.ask<{ focus: number }>((client, reply) => client.GetInputFocus(reply));
  }

  newId(): number {
    return this.#client.AllocID();
  }

  atom(name: string): Promise<number> {
    let atom = this.#atoms.get(name);
    if (atom === undefined) {
      atom = this.ask((client, reply) => client.InternAtom(false, name, reply));
      this.#atoms.set(name, atom);
    }
    return atom;
  }

  /** Returns a property of a window, or its first `most` bytes. Its type is 0 where there is none. */
  async property(
    window: number,
    name: string,
    maxBytes = mostPropertyBytes,
  ): Promise<{ type: number; data: Buffer; whole: boolean }> {
    const atom = await this.atom(name);
    const pieces: Buffer[] = [];
    for (let offset = 0, bytes = 0; ; offset += propertyPiece) {
      const units = Math.min(propertyPiece, Math.ceil((maxBytes - bytes) / 4));
      const piece = await this.ask<Property>((client, reply) =>
        client.GetProperty(0, window, atom, 0, offset, units, reply),
      );
      pieces.push(piece.data);
      bytes += piece.data.length;
      const whole = piece.bytesAfter === 0;
      // A server that sends nothing and announces more would be asked forever.
      if (whole || bytes >= maxBytes || piece.data.length === 0)
        return { type: piece.type, data: Buffer.concat(pieces), whole };
    }
  }

  keyboardMapping(first: number, count: number): Promise<number[][]> {
    return this.ask((client, reply) => {
      client.GetKeyboardMapping(first, count, reply);
      // The package would loop forever on a server that reports no keysyms a key.
      const waiting = client.replies[client.seq_num]!;
      const unpack = waiting[0];
      waiting[0] = (data, perKey) => {
        if (perKey === 0) throw new Violation('sent a keyboard without keysyms');
        return unpack(data, perKey);
      };
    });
  }

  /** Returns nothing where the window has no such property. */
  async numbers(window: number, name: string): Promise<number[]> {
    const { data } = await this.property(window, name);
    return Array.from({ length: data.length >> 2 }, (_, index) => data.readUInt32LE(index * 4));
  }

  onEvent(listener: (event: XEvent) => void): void {
    // Inside the guard, so that an error of ours is not taken for the server's.
    this.#client.on('event', (event: XEvent) => this.#guard.run(() => listener(event)));
  }

  #gone(): GyreError {
    return this.#guard.reason ?? gone();
  }

  close(): void {
    if (this.#open) this.#client.terminate();
    this.#client.stream.destroy();
  }
}
