import type { Writable } from 'node:stream';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Sink } from '../shell/child.js';
import { Allowance } from '../isolation/peer/allowance.js';
import { Messages } from '../isolation/peer/messages.js';
import { maxMessage } from './tool.js';

const newline = 0x0a;

const allowed = { burst: 50_000, perSecond: 5_000, unit: 'lines' };

/** Between messages: many servers log to standard output. */
const allowedLog = { burst: 1_000, perSecond: 100, unit: 'lines that are not MCP' };

const quotedCharacters = 200;

/** MCP as JSON lines, with bounded memory. */
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
  onEnd: () => void = () => undefined;

  constructor(output: () => Writable | undefined) {
    this.#output = output;
  }

  get gone(): boolean {
    return this.#gone;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  get nonsense(): string | undefined {
    return this.#nonsense;
  }

  async start(): Promise<void> {
    // Disconnects are noticed on the input.
    this.#output()?.on('error', () => undefined);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const output = this.#output();
    if (this.#closed || !output) throw new Error('there is no connection');
    if (output.writableLength > maxMessage) return this.#fail('does not read its input');
    output.write(serializeMessage(message));
  }

  push(chunk: Uint8Array): void {
    if (this.#closed) return;
    try {
      this.#lines.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

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
    // `trim` also removes a byte order mark.
    const text = line.trim();
    if (text === '') return;
    try {
      // The protocol throws on some messages, such as deeply nested ones.
      this.onmessage?.(deserializeMessage(text));
      this.#logRate.refill();
    } catch {
      this.#nonsense ??= text.slice(0, quotedCharacters);
      this.#logRate.spend(1);
    }
  }

  #fail(failure: string): void {
    this.#failure ??= failure;
    this.end();
  }
}
