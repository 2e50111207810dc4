import type { Duplex } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { Allowance } from '../isolation/peer/allowance.js';
import { Guard } from '../isolation/peer/guard.js';
import { parseJson } from '../isolation/peer/json.js';
import { Messages } from '../isolation/peer/messages.js';
import { Violation } from '../isolation/peer/violation.js';

export interface QmpEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const Greeting = z.object({
  QMP: z.object({ version: z.object({ qemu: z.object({ major: z.int(), minor: z.int(), micro: z.int() }) }) }),
});
const Reply = z.union([
  z.object({ id: z.int(), return: z.unknown() }),
  z.object({ id: z.int().optional(), error: z.object({ class: z.string(), desc: z.string() }) }),
  z.object({ event: z.string(), data: z.record(z.string(), z.unknown()).default({}) }),
]);

const longest = 2 ** 22;
const allowed = { burst: 10_000, perSecond: 1_000, unit: 'messages' };
/** Bytes that QEMU may leave unread. */
const maxUnread = 2 ** 24;

const qemuName = { name: 'QEMU', part: 'vm', fix: 'restart the machine' } as const;

interface Asked {
  readonly command: string;
  readonly timer: NodeJS.Timeout;
  resolve(value: unknown): void;
  reject(error: GyreError): void;
}

/** QEMU Machine Protocol: JSON lines over a socket. */
export class Qmp {
  /** Resolves with the reason when no more commands are accepted. */
  readonly ended: Promise<GyreError>;
  readonly #stream: Duplex;
  readonly #guard = new Guard(qemuName, (reason) => this.#stop(reason));
  readonly #timeoutMs: number;
  readonly #asked = new Map<number, Asked>();
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  readonly #greeted: Promise<unknown>;
  #greet: (greeting: unknown) => void = () => undefined;
  #end: (reason: GyreError) => void = () => undefined;
  #reason: GyreError | undefined;
  #lastId = 0;

  private constructor(stream: Duplex, timeoutMs: number) {
    this.#stream = stream;
    this.#timeoutMs = timeoutMs;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#greeted = new Promise((resolve) => (this.#greet = resolve));
    this.#listen();
  }

  /**
   * Takes ownership of the stream. Throws `infra` if the peer is not QEMU or does not answer.
   *
   * @param timeoutMs per answer.
   */
  static async open(stream: Duplex, timeoutMs = 30_000): Promise<Qmp> {
    const qmp = new Qmp(stream, timeoutMs);
    const late = setTimeout(() => qmp.#stop(gone(`QEMU sent no greeting within ${timeoutMs} ms`)), timeoutMs);
    try {
      const greeting = await Promise.race([qmp.#greeted, qmp.ended]);
      if (greeting instanceof GyreError) throw greeting;
      if (!Greeting.safeParse(greeting).success) {
        const reason = gone('the peer is not QEMU');
        qmp.#stop(reason);
        throw reason;
      }
    } finally {
      clearTimeout(late);
    }
    await qmp.ask('qmp_capabilities');
    return qmp;
  }

  get over(): boolean {
    return this.#reason !== undefined;
  }

  /** Throws `infra` with QEMU's error, or on a timeout, after which QEMU counts as hung. */
  ask(command: string, args: Readonly<Record<string, unknown>> = {}, timeoutMs = this.#timeoutMs): Promise<unknown> {
    if (this.#reason) return Promise.reject(this.#reason);
    const id = ++this.#lastId;
    if (this.#stream.writableLength > maxUnread) this.#guard.break(new Violation('does not read its input'));
    return new Promise((resolve, reject) => {
      if (this.#reason) return reject(this.#reason);
      const timer = setTimeout(
        () => this.#stop(gone(`QEMU did not answer ${command} within ${timeoutMs} ms`)),
        timeoutMs,
      );
      this.#asked.set(id, { command, timer, resolve, reject });
      this.#stream.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    });
  }

  listen(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop(gone('the connection to QEMU was closed'));
  }

  #listen(): void {
    const rate = new Allowance(allowed);
    const messages = new Messages({
      delimiter: newline,
      limit: () => longest,
      message: (line) => {
        rate.spend(1);
        const text = line.toString();
        if (text.trim() !== '') this.#hear(text);
      },
    });
    this.#stream.on('data', (bytes: Buffer) => this.#guard.run(() => messages.push(bytes)));
    for (const event of ['end', 'close', 'error']) {
      this.#stream.on(event, (cause?: unknown) => this.#stop(gone('QEMU has ended', cause)));
    }
  }

  #hear(line: string): void {
    const json = parseJson(line);
    if (typeof json === 'object' && json !== null && 'QMP' in json) return this.#greet(json);
    const reply = Reply.safeParse(json);
    if (!reply.success) throw new Violation(`sent an unknown message: ${line.slice(0, 80)}`);
    if ('event' in reply.data) {
      for (const listener of this.#listeners) listener(reply.data);
      return;
    }
    const { id } = reply.data;
    const pending = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || !pending) return;
    this.#asked.delete(id);
    clearTimeout(pending.timer);
    if ('return' in reply.data) pending.resolve(reply.data.return);
    else
      pending.reject(
        new GyreError('infra', `QEMU refused ${pending.command}: ${reply.data.error.desc}`, {
          part: 'vm',
          field: 'vm',
        }),
      );
  }

  #stop(reason: GyreError): void {
    if (this.#reason) return;
    this.#reason = reason;
    for (const pending of this.#asked.values()) {
      clearTimeout(pending.timer);
      pending.reject(reason);
    }
    this.#asked.clear();
    this.#stream.destroy();
    this.#end(reason);
  }
}

const newline = 0x0a;

function gone(why: string, cause?: unknown): GyreError {
  return new GyreError('infra', why, {
    part: 'vm',
    field: 'vm',
    fix: 'restart the machine',
    ...(cause === undefined ? {} : { cause }),
  });
}
