import type { Readable, Writable } from 'node:stream';
import type { GyreError } from '@gyre/protocol';

type Params = Readonly<Record<string, unknown>>;
/** Called with each event of one target. */
export type Listener = (method: string, params: Params) => void;

/** What the browser says to a command: a result, or why it refuses. */
export interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Who waits for the end of a command. */
export interface Asker {
  readonly answered: (reply: Reply) => void;
  /** There will be no answer: the connection was closed, or the target dropped. */
  readonly failed: (reason: Error) => void;
}

interface Pending extends Asker {
  readonly target: string | undefined;
}

interface Message extends Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly sessionId?: string;
}

/** The browser refused a command: it said so itself, in `message`. */
export class CommandRefused extends Error {}

/** Chrome DevTools Protocol over a pair of pipes: JSON messages that end in a zero byte. */
export class Connection {
  readonly #out: Writable;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Listener>();
  #lastId = 0;
  #rest: Buffer[] = [];
  #closed: Error | undefined;

  constructor(out: Writable, into: Readable) {
    this.#out = out;
    into.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A dead browser is seen as the end of its process; a broken pipe adds nothing to that.
    for (const stream of [into, out]) stream.on('error', () => {});
  }

  /**
   * Sends a command to a target, or to the browser. Rejects with `CommandRefused`, or with the reason that `close` or
   * `drop` was given.
   */
  send<Result>(method: string, params: Params = {}, target?: string): Promise<Result> {
    return new Promise<Result>((resolve, failed) => {
      const answered = ({ result, error }: Reply): void =>
        error ? failed(new CommandRefused(`${method}: ${error.message}`)) : resolve(result as Result);
      this.ask(method, params, target, { answered, failed });
    });
  }

  /** Sends a command. The asker is called in the order in which the browser speaks, events included; `send` is one turn later. */
  ask(method: string, params: Params, target: string | undefined, asker: Asker): void {
    if (this.#closed !== undefined) return asker.failed(this.#closed);
    const id = ++this.#lastId;
    this.#pending.set(id, { ...asker, target });
    this.#write(`${JSON.stringify({ id, method, params, sessionId: target })}\0`);
  }

  /** What is sent in one go is written in one go: each write wakes the browser, which may take the writer's core. */
  #write(text: string): void {
    if (this.#out.writableCorked === 0) {
      this.#out.cork();
      process.nextTick(() => this.#out.uncork());
    }
    this.#out.write(text);
  }

  /** Hears the events of a target until it is dropped. */
  listen(target: string, listener: Listener): void {
    this.#listeners.set(target, listener);
  }

  /** Forgets a target: its pending commands fail with `reason`. */
  drop(target: string, reason: Error): void {
    this.#listeners.delete(target);
    for (const [id, pending] of this.#pending) {
      if (pending.target !== target) continue;
      this.#pending.delete(id);
      pending.failed(reason);
    }
  }

  /** Closes the pipe: the browser takes it as the order to end. */
  hangUp(): void {
    this.#out.end();
  }

  /** Everything pending and everything later fails with `reason`. */
  close(reason: GyreError): void {
    this.#closed ??= reason;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#listeners.clear();
    for (const { failed } of pending) failed(this.#closed);
  }

  #receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const part = chunk.subarray(start, end);
      const text = this.#rest.length === 0 ? part.toString() : Buffer.concat([...this.#rest, part]).toString();
      this.#rest = [];
      start = end + 1;
      this.#dispatch(JSON.parse(text) as Message);
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  #dispatch(message: Message): void {
    if (message.id === undefined) {
      if (message.sessionId !== undefined && message.method !== undefined) {
        this.#listeners.get(message.sessionId)?.(message.method, message.params ?? {});
      }
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    pending?.answered(message);
  }
}
