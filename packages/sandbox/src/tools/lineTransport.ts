import type { Writable } from 'node:stream';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Sink } from '../shell/child.js';
import { Allowance } from '../isolation/peer/allowance.js';
import { Messages } from '../isolation/peer/messages.js';
import { maxMessage } from './tool.js';

const newline = 0x0a;

/** What a server may write. */
const allowed = { burst: 50_000, perSecond: 5_000, unit: 'lines' };

/** Log lines between two messages: many servers log to standard output, but one that only does that does not speak MCP. */
const allowedLog = { burst: 1_000, perSecond: 100, unit: 'lines that are not MCP' };

/** Characters that are told of a line that is no message. */
const shown = 200;

/** MCP's messages as lines of JSON, from a sink that is filled to a stream: bounded in memory, whoever is at the other end. */
export class LineTransport implements Transport, Sink {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #output: () => Writable | undefined;
  readonly #rate = new Allowance(allowed);
  readonly #logRate = new Allowance(allowedLog);
  readonly #lines = new Messages({
    delimiter: newline,
    limit: () => maxMessage,
    message: (line) => {
      this.#rate.spend(1);
      if (!this.#closed && line.length > 0) this.#read(line.toString('utf8'));
    },
  });
  #nonsense: string | undefined;
  #failure: string | undefined;
  #closed = false;
  #gone = false;
  /** Called when the other end has gone, or cannot be understood any more. */
  onEnd: () => void = () => undefined;

  /** @param output where messages go, once there are any. */
  constructor(output: () => Writable | undefined) {
    this.#output = output;
  }

  /** Whether nothing more can come from the other end. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Why the other end is not listened to any more. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The first line that was no message. */
  get nonsense(): string | undefined {
    return this.#nonsense;
  }

  async start(): Promise<void> {
    // Who has gone is seen at the end of what comes from there.
    this.#output()?.on('error', () => undefined);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const output = this.#output();
    if (this.#closed || !output) throw new Error('there is no connection');
    if (output.writableLength > maxMessage) return this.#fail('does not read what it is sent');
    output.write(serializeMessage(message));
  }

  /** Takes what has come. */
  push(chunk: Uint8Array): void {
    if (this.#closed) return;
    try {
      this.#lines.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#gone) return;
    this.#gone = true;
    void this.close();
    this.onEnd();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  #read(line: string): void {
    // A byte order mark, which some runtimes write first, is white space here.
    const text = line.trim();
    if (text === '') return;
    try {
      // The protocol stumbles over some messages: those that are nested too deeply to be written down, for one.
      this.onmessage?.(deserializeMessage(text));
      this.#logRate.refill();
    } catch {
      this.#nonsense ??= text.slice(0, shown);
      this.#logRate.spend(1);
    }
  }

  #fail(failure: string): void {
    this.#failure ??= failure;
    this.end();
  }
}
