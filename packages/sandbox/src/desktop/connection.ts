import { connect } from 'node:net';
import { GyreError } from '@gyre/protocol';
import x11 from 'x11';
import { Guard } from '../isolation/peer/guard.js';
import { Violation } from '../isolation/peer/violation.js';
import { xStream } from './xframes.js';
import type { Property, Reply, XClient, XDisplay, XEvent, XTest } from './xClient.js';

/** Per request, in units of 4 bytes. */
const propertyPiece = 0xffff;

/** Atoms up to WM_TRANSIENT_FOR are predefined (X protocol, appendix B). */
const lastPredefinedAtom = 68;

/** Programs inside can make properties arbitrarily long. */
const maxPropertyBytes = 2 ** 16;

const greetingMs = 10_000;

const serverName = { name: 'the X server', part: 'display', fix: 'start another desktop' } as const;

const gone = () =>
  new GyreError('infra', 'the X server has ended', {
    part: 'display',
    field: 'desktop',
    fix: 'start another desktop',
  });

/** Every call throws `infra` once the server is gone. */
export class XConnection {
  readonly root: number;
  readonly keycodes: { readonly first: number; readonly last: number };
  readonly xtest: XTest;
  readonly ended: Promise<GyreError>;
  readonly #client: XClient;
  readonly #guard: Guard;
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #waiting = new Set<(reason: GyreError) => void>();
  #open = true;

  private constructor(display: XDisplay, xtest: XTest, guard: Guard) {
    this.#client = display.client;
    this.#guard = guard;
    // x11 shares one atom table between servers, whose numbering differs.
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
      if (this.#client.stream.destroyed) end();
    });
    // Requests without a reply, mostly for windows that just closed.
    this.#client.on('error', () => undefined);
  }

  static async open(socket: string, cookie: Buffer): Promise<XConnection> {
    const auth = { name: 'MIT-MAGIC-COOKIE-1', data: cookie.toString('latin1') };
    const guard = new Guard(serverName, (reason) => void stream.destroy(reason));
    const stream = xStream(connect(socket), guard);
    const late = setTimeout(() => stream.destroy(new Error(`no greeting within ${greetingMs} ms`)), greetingMs);
    try {
      const display = await new Promise<XDisplay>((resolve, reject) => {
        const done = (error: Error | null | undefined, answer: XDisplay) => (error ? reject(error) : resolve(answer));
        // One write per action.
        x11.createClient({ stream, auth, bufferRequests: true }, done).on('error', reject);
      });
      const xtest = await new Promise<XTest>((resolve, reject) => {
        display.client.stream.once('close', () => reject(gone()));
        display.client.require('xtest', (error, extension) => (error ? reject(error) : resolve(extension)));
      });
      return new XConnection(display, xtest, guard);
    } catch (cause) {
      stream.destroy();
      const fix = 'start another desktop';
      throw new GyreError('infra', 'cannot reach the X server', { part: 'display', field: 'desktop', fix, cause });
    } finally {
      clearTimeout(late);
    }
  }

  ask<Result>(send: (client: XClient, reply: Reply<Result>) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#open) return reject(this.#gone());
      this.#waiting.add(reject);
      send(this.#client, (error, result) => {
        this.#waiting.delete(reject);
        if (!error) resolve(result);
        else
          reject(
            new GyreError('bad_input', `the X server rejected the request: ${error.message}`, {
              field: 'window',
              fix: 'call windows() again',
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

  /** Resolves when the server has processed all earlier requests. */
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

  /** Returns at most `maxBytes`; type 0 if the property does not exist. */
  async property(
    window: number,
    name: string,
    maxBytes = maxPropertyBytes,
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
      // The server may send nothing but announce more.
      if (whole || bytes >= maxBytes || piece.data.length === 0)
        return { type: piece.type, data: Buffer.concat(pieces), whole };
    }
  }

  keyboardMapping(first: number, count: number): Promise<number[][]> {
    return this.ask((client, reply) => {
      client.GetKeyboardMapping(first, count, reply);
      // x11 loops forever on zero keysyms per key.
      const waiting = client.replies[client.seq_num]!;
      const unpack = waiting[0];
      waiting[0] = (data, perKey) => {
        if (perKey === 0) throw new Violation('sent a keyboard without keysyms');
        return unpack(data, perKey);
      };
    });
  }

  async numbers(window: number, name: string): Promise<number[]> {
    const { data } = await this.property(window, name);
    return Array.from({ length: data.length >> 2 }, (_, index) => data.readUInt32LE(index * 4));
  }

  onEvent(listener: (event: XEvent) => void): void {
    // Guarded: a listener's error must not be blamed on the server.
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
