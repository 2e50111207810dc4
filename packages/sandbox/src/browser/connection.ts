import type { Readable, Writable } from 'node:stream';
import type { GyreError } from '@gyre/protocol';
import type { z } from 'zod';
import type { CommandName } from './cdp/protocol.js';
import { Allowance } from '../isolation/peer/allowance.js';
import { Guard, reasonFor } from '../isolation/peer/guard.js';
import { parseJson } from '../isolation/peer/json.js';
import { Messages, type Oversized } from '../isolation/peer/messages.js';
import { Violation } from '../isolation/peer/violation.js';

type Params = Readonly<Record<string, unknown>>;

/** Hears a target until it is dropped. */
export interface Listener {
  /** Called with each event. Throws `Violation` for one that is not as the protocol has it. */
  readonly hear: (method: string, params: Params) => void;
  /** Called when the target is dropped, for breaking a bound or an unhandled event. Others of the browser go on. */
  readonly fail: (reason: GyreError) => void;
  /** Bytes of an event. */
  readonly mostEventBytes: number;
}

/** The answer to a command: a result or an error. */
export interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Waits for the answer to a command. */
export interface Asker {
  readonly answered: (reply: Reply) => void;
  /** There will be no answer: the connection was closed, or the target dropped. */
  readonly failed: (reason: Error) => void;
}

interface Pending extends Asker {
  readonly target: string | undefined;
}

interface Hearing {
  readonly listener: Listener;
  readonly events: Allowance;
  readonly bytes: Allowance;
}

/** The browser's own refusal of a command. */
export class CommandRefused extends Error {}

/** Bytes of an answer: the largest screen's picture in base64. */
const mostReplyBytes = 256 * 2 ** 20;
/** Bytes of an event of any target. */
export const mostEventBytes = 64 * 2 ** 20;
/** Events from here on are only parsed once it is known whose they are. */
const largeEventBytes = 2 ** 20;
/** Bytes of an oversized message that are skipped to reach its end, which names its target. */
const mostDropped = 2 ** 32;
/** Bytes that the browser has not read yet. */
const mostUnread = 512 * 2 ** 20;

/** Limits per target: a page that floods its console is ended, and does not slow its neighbours. */
const allowedEvents = { burst: 100_000, perSecond: 10_000, unit: 'events' };
const allowedBytes = { burst: 256 * 2 ** 20, perSecond: 32 * 2 ** 20, unit: 'bytes' };

const browserName = { name: 'the browser', part: 'browser', fix: 'lease another session' } as const;
const pageName = { name: 'the page', part: 'page', fix: 'lease another session' } as const;

/**
 * Chrome DevTools Protocol over a pair of pipes: JSON messages that end in a zero byte. The browser is shared by targets that do not
 * trust each other: what breaks a bound is dropped unread and ends the target that has sent it, and no other.
 */
export class Connection {
  readonly #out: Writable;
  readonly #guard: Guard;
  readonly #pending = new Map<number, Pending>();
  readonly #hearing = new Map<string, Hearing>();
  /** Hears what the browser says that is of no target. */
  #hearBrowser: Listener['hear'] = () => undefined;
  #lastId = 0;
  #closed: Error | undefined;

  /** @param onBroken hears that nothing that the browser says can be relied on any more. */
  constructor(out: Writable, into: Readable, onBroken: (reason: GyreError) => void = () => undefined) {
    this.#out = out;
    this.#guard = new Guard(browserName, (reason) => {
      this.close(reason);
      onBroken(reason);
    });
    const messages = new Messages({
      delimiter: 0,
      limit: (head) => (isReply(head) ? mostReplyBytes : mostEventBytes),
      mostDropped,
      message: (bytes) => this.#receive(bytes),
      oversized: (message) => this.#refuse(message),
    });
    into.on('data', (chunk: Buffer) => this.#guard.run(() => messages.push(chunk)));
    // A dead browser is seen as the end of its process; a broken pipe adds nothing to that.
    for (const stream of [into, out]) stream.on('error', () => {});
  }

  /**
   * Sends a command to a target, or to the browser. Rejects with `CommandRefused`, or with the reason that `close` or
   * `drop` was given; with `infra` for a result that is not of the shape.
   */
  send<Result = unknown>(
    method: CommandName,
    params: Params = {},
    target?: string,
    shape?: z.ZodType<Result>,
  ): Promise<Result> {
    return new Promise<Result>((resolve, failed) => {
      const answered = ({ result, error }: Reply): void => {
        if (error) return failed(new CommandRefused(`${method}: ${error.message}`));
        const shaped = shape?.safeParse(result);
        if (shaped?.success === false)
          return failed(reasonFor(new Violation(`answered ${method} with what is not its result`), browserName));
        resolve(shaped ? shaped.data : (result as Result));
      };
      this.ask(method, params, target, { answered, failed });
    });
  }

  /** Sends a command. The asker is called in the order in which the browser speaks, events included; `send` is one turn later. */
  ask(method: string, params: Params, target: string | undefined, asker: Asker): void {
    if (this.#closed !== undefined) return asker.failed(this.#closed);
    const id = ++this.#lastId;
    const text = `${JSON.stringify({ id, method, params, sessionId: target })}\0`;
    this.#pending.set(id, { ...asker, target });
    this.#write(text);
  }

  /** Writes what one turn sends in one go: each write wakes the browser, which may take the writer's core. */
  #write(text: string): void {
    if (this.#out.writableLength > mostUnread) return this.#guard.break(new Violation('does not read what it is sent'));
    if (this.#out.writableCorked === 0) {
      this.#out.cork();
      process.nextTick(() => this.#out.uncork());
    }
    this.#out.write(text);
  }

  /** Hears the events of a target until it is dropped. */
  listen(target: string, listener: Listener): void {
    const [events, bytes] = [new Allowance(allowedEvents), new Allowance(allowedBytes)];
    this.#hearing.set(target, { listener, events, bytes });
  }

  /** Hears the events of the browser itself. What breaks a bound ends the browser. */
  listenToBrowser(hear: Listener['hear']): void {
    this.#hearBrowser = hear;
  }

  /** Forgets a target: its pending commands fail with `reason`. */
  drop(target: string, reason: Error): void {
    this.#hearing.delete(target);
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
    this.#hearing.clear();
    for (const { failed } of pending) failed(this.#closed);
  }

  #receive(bytes: Buffer): void {
    if (bytes.length > largeEventBytes && !isReply(bytes)) {
      const target = targetIn(bytes.toString('latin1', bytes.length - longestEnd));
      const hearing = target === undefined ? undefined : this.#hearing.get(target);
      // Whoever sent it is gone.
      if (target !== undefined && hearing === undefined) return;
      if (target !== undefined && bytes.length > hearing!.listener.mostEventBytes)
        return this.#fail(target, new Violation(`sent an event of ${bytes.length} bytes`));
    }
    const { id, method, params, sessionId, error, result } = messageOf(parseJson(bytes.toString()));
    if (id !== undefined) return this.#answer(id, { ...(error ? { error } : { result }) });
    if (method === undefined) return;
    if (sessionId === undefined) return this.#hearBrowser(method, params ?? {});
    const hearing = this.#hearing.get(sessionId);
    if (hearing === undefined) return;
    try {
      hearing.events.spend(1);
      hearing.bytes.spend(bytes.length);
      hearing.listener.hear(method, params ?? {});
    } catch (cause) {
      this.#fail(sessionId, cause);
    }
  }

  #answer(id: number, reply: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    try {
      pending?.answered(reply);
    } catch (cause) {
      if (pending?.target === undefined) throw cause;
      this.#fail(pending.target, cause);
    }
  }

  /** Ends whoever has sent, or asked for, a message that was too large. */
  #refuse({ bytes, head, tail }: Oversized): void {
    const what = new Violation(`sent a message of ${bytes} bytes`);
    const id = Number(/^\{"id":(\d{1,15}),/.exec(head)?.[1] ?? NaN);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.failed(reasonFor(what, pageName));
    const target = pending ? pending.target : targetIn(tail);
    if (target !== undefined) return this.#fail(target, what);
    // An answer that nobody waits for any more is nobody's fault.
    if (!head.startsWith(replyStart)) throw what;
  }

  #fail(target: string, error: unknown): void {
    const hearing = this.#hearing.get(target);
    const reason = reasonFor(error, pageName);
    this.drop(target, reason);
    hearing?.listener.fail(reason);
  }
}

const replyStart = '{"id":';

/** Chromium writes the id of an answer first, and the method of an event. */
function isReply(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, replyStart.length) === replyStart;
}

/** Characters of the end of a message that says whose it is. */
const longestEnd = 128;

/** Returns the target of a message by its end, which Chromium writes after all that a page controls. */
function targetIn(end: string): string | undefined {
  return /,"sessionId":"([0-9A-Za-z]{1,64})"\}$/.exec(end)?.[1];
}

interface Message extends Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly sessionId?: string;
}

/** Throws `Violation` for what is no message of the protocol. */
function messageOf(value: unknown): Message {
  if (!isObject(value)) throw new Violation('sent a message that is no object');
  const { id, method, params, sessionId, error } = value;
  const fits =
    (id === undefined || typeof id === 'number') &&
    (method === undefined || typeof method === 'string') &&
    (params === undefined || isObject(params)) &&
    (sessionId === undefined || typeof sessionId === 'string') &&
    (error === undefined || (isObject(error) && typeof error.message === 'string'));
  if (!fits) throw new Violation('sent a message that is none of the protocol');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
