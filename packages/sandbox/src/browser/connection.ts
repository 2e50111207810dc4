import type { Readable, Writable } from 'node:stream';
import type { GyreError } from '@gyre/protocol';
import type { z } from 'zod';
import type { CommandName } from './cdp/protocol.js';
import { Allowance } from '../isolation/peer/allowance.js';
import { Guard, peerError } from '../isolation/peer/guard.js';
import { parseJson } from '../isolation/peer/json.js';
import { Messages, type Oversized } from '../isolation/peer/messages.js';
import { Violation } from '../isolation/peer/violation.js';

type Params = Readonly<Record<string, unknown>>;

export interface Listener {
  /** Throws `Violation` for a malformed event. */
  readonly hear: (method: string, params: Params) => void;
  /** Called when the target is dropped for exceeding a limit or a malformed event. */
  readonly fail: (reason: GyreError) => void;
  readonly maxEventBytes: number;
}

export interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ReplyHandler {
  readonly answered: (reply: Reply) => void;
  readonly failed: (reason: Error) => void;
}

interface Pending extends ReplyHandler {
  readonly target: string | undefined;
}

interface Subscription {
  readonly listener: Listener;
  readonly events: Allowance;
  readonly bytes: Allowance;
}

export class CommandRefused extends Error {}

/** Fits the largest screen's screenshot in base64. */
const maxReplyBytes = 256 * 2 ** 20;
export const maxEventBytes = 64 * 2 ** 20;
/** Larger events are parsed only if their target is known. */
const largeEventBytes = 2 ** 20;
/** Oversized messages are skipped up to this, to read the target at their end. */
const maxDropped = 2 ** 32;
/** Maximum bytes buffered for the browser. */
const maxUnread = 512 * 2 ** 20;

/** Per target: a page that floods its console is ended before it slows others. */
const allowedEvents = { burst: 100_000, perSecond: 10_000, unit: 'events' };
const allowedBytes = { burst: 256 * 2 ** 20, perSecond: 32 * 2 ** 20, unit: 'bytes' };

const browserName = { name: 'the browser', part: 'browser', fix: 'lease another session' } as const;
const pageName = { name: 'the page', part: 'page', fix: 'lease another session' } as const;

/**
 * Chrome DevTools Protocol over pipes: JSON messages that end with a zero byte. Targets do not trust each other:
 * exceeding a limit ends only the sender, and the message is dropped unread.
 */
export class Connection {
  readonly #out: Writable;
  readonly #guard: Guard;
  readonly #pending = new Map<number, Pending>();
  readonly #subscriptions = new Map<string, Subscription>();
  #hearBrowser: Listener['hear'] = () => undefined;
  #lastId = 0;
  #closed: Error | undefined;

  /** @param onBroken called when the browser violates the protocol. */
  constructor(out: Writable, into: Readable, onBroken: (reason: GyreError) => void = () => undefined) {
    this.#out = out;
    this.#guard = new Guard(browserName, (reason) => {
      this.close(reason);
      onBroken(reason);
    });
    const messages = new Messages({
      delimiter: 0,
      limit: (head) => (isReply(head) ? maxReplyBytes : maxEventBytes),
      maxDropped,
      message: (bytes) => this.#receive(bytes),
      oversized: (message) => this.#refuse(message),
    });
    into.on('data', (chunk: Buffer) => this.#guard.run(() => messages.push(chunk)));
    // The end of its process reports a dead browser.
    for (const stream of [into, out]) stream.on('error', () => {});
  }

  /**
   * Sends a command. Rejects with `CommandRefused`, with the reason of `close` or `drop`, or with `infra` for an
   * unexpected result.
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
          return failed(peerError(new Violation(`sent an invalid result for ${method}`), browserName));
        resolve(shaped ? shaped.data : (result as Result));
      };
      this.ask(method, params, target, { answered, failed });
    });
  }

  /** Sends a command and calls `asker` synchronously, in order with events; `send` is one turn later. */
  ask(method: string, params: Params, target: string | undefined, handler: ReplyHandler): void {
    if (this.#closed !== undefined) return handler.failed(this.#closed);
    const id = ++this.#lastId;
    const text = `${JSON.stringify({ id, method, params, sessionId: target })}\0`;
    this.#pending.set(id, { ...handler, target });
    this.#write(text);
  }

  /** Batches a turn's writes: each wakes the browser, which may take the writer's core. */
  #write(text: string): void {
    if (this.#out.writableLength > maxUnread) return this.#guard.break(new Violation('does not read its input'));
    if (this.#out.writableCorked === 0) {
      this.#out.cork();
      process.nextTick(() => this.#out.uncork());
    }
    this.#out.write(text);
  }

  listen(target: string, listener: Listener): void {
    const [events, bytes] = [new Allowance(allowedEvents), new Allowance(allowedBytes)];
    this.#subscriptions.set(target, { listener, events, bytes });
  }

  listenToBrowser(hear: Listener['hear']): void {
    this.#hearBrowser = hear;
  }

  /** Fails a target's pending commands. */
  drop(target: string, reason: Error): void {
    this.#subscriptions.delete(target);
    for (const [id, pending] of this.#pending) {
      if (pending.target !== target) continue;
      this.#pending.delete(id);
      pending.failed(reason);
    }
  }

  hangUp(): void {
    this.#out.end();
  }

  close(reason: GyreError): void {
    this.#closed ??= reason;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#subscriptions.clear();
    for (const { failed } of pending) failed(this.#closed);
  }

  #receive(bytes: Buffer): void {
    if (bytes.length > largeEventBytes && !isReply(bytes)) {
      const target = targetIn(bytes.toString('latin1', bytes.length - longestEnd));
      const subscription = target === undefined ? undefined : this.#subscriptions.get(target);
      if (target !== undefined && subscription === undefined) return;
      if (target !== undefined && bytes.length > subscription!.listener.maxEventBytes)
        return this.#fail(target, new Violation(`sent an oversized event (${bytes.length} bytes)`));
    }
    const { id, method, params, sessionId, error, result } = messageOf(parseJson(bytes.toString()));
    if (id !== undefined) return this.#answer(id, { ...(error ? { error } : { result }) });
    if (method === undefined) return;
    if (sessionId === undefined) return this.#hearBrowser(method, params ?? {});
    const subscription = this.#subscriptions.get(sessionId);
    if (subscription === undefined) return;
    try {
      subscription.events.spend(1);
      subscription.bytes.spend(bytes.length);
      subscription.listener.hear(method, params ?? {});
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

  /** Ends the target that sent or requested an oversized message. */
  #refuse({ bytes, head, tail }: Oversized): void {
    const violation = new Violation(`sent an oversized message (${bytes} bytes)`);
    const id = Number(/^\{"id":(\d{1,15}),/.exec(head)?.[1] ?? NaN);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.failed(peerError(violation, pageName));
    const target = pending ? pending.target : targetIn(tail);
    if (target !== undefined) return this.#fail(target, violation);
    // An answer to a dropped command harms nobody.
    if (!head.startsWith(replyStart)) throw violation;
  }

  #fail(target: string, error: unknown): void {
    const subscription = this.#subscriptions.get(target);
    const reason = peerError(error, pageName);
    this.drop(target, reason);
    subscription?.listener.fail(reason);
  }
}

const replyStart = '{"id":';

/** Chromium writes an answer's id, or an event's method, first. */
function isReply(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, replyStart.length) === replyStart;
}

const longestEnd = 128;

/** Reads the target from a message's end, which Chromium writes after page-controlled content. */
function targetIn(end: string): string | undefined {
  return /,"sessionId":"([0-9A-Za-z]{1,64})"\}$/.exec(end)?.[1];
}

interface Message extends Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly sessionId?: string;
}

function messageOf(value: unknown): Message {
  if (!isObject(value)) throw new Violation('sent a message that is not an object');
  const { id, method, params, sessionId, error } = value;
  const fits =
    (id === undefined || typeof id === 'number') &&
    (method === undefined || typeof method === 'string') &&
    (params === undefined || isObject(params)) &&
    (sessionId === undefined || typeof sessionId === 'string') &&
    (error === undefined || (isObject(error) && typeof error.message === 'string'));
  if (!fits) throw new Violation('sent a message that does not match the protocol');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
