import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { GyreError } from '@gyre/protocol';
import type { z } from 'zod';
import { LineSplitter, printRequest, readReply } from './wire.js';

export interface BridgeOptions {
  /** The benchmark, for messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with what the official code prints. */
  readonly onLog?: (text: string) => void;
  /** In bytes. Default: 64 MB, enough for any screenshot. */
  readonly maxLine?: number;
}

export interface CallOptions {
  readonly timeoutMs: number;
}

interface Pending {
  readonly id: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: GyreError) => void;
}

const maxLogLines = 20;

/**
 * A process that runs a benchmark's official code. Calls are carried out one after another. A process that dies, hangs
 * or does not keep to the protocol is killed with its children; that call and all later ones throw `infra`.
 */
export class Bridge {
  readonly #name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #log: string[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #pending: Pending | undefined;
  #calls = 0;
  #failure: GyreError | undefined;

  constructor({ name, program, args, env, cwd, onLog, maxLine = 2 ** 26 }: BridgeOptions) {
    this.#name = name;
    // Its own process group, so that browsers and servers that it started end with it.
    this.#child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe', detached: true });
    const splitter = new LineSplitter(maxLine);
    this.#child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const line of splitter.push(chunk)) this.#take(line);
      } catch (error) {
        this.#fail((error as GyreError).message);
      }
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      onLog?.(text);
      this.#log.push(...text.split('\n').filter((line) => line.trim() !== ''));
      this.#log.splice(0, this.#log.length - maxLogLines);
    });
    // A dead process does not read: `exit` tells.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (cause) => this.#fail(`does not start: ${cause.message}`));
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', () => resolve());
      this.#child.on('close', (code, signal) => {
        const reason = this.#log.at(-1);
        this.#fail(`ended with ${signal ?? `code ${code}`}${reason === undefined ? '' : `: ${reason.slice(0, 300)}`}`);
        resolve();
      });
    });
  }

  /** Can take no more calls. */
  get broken(): boolean {
    return this.#failure !== undefined;
  }

  /** Throws `infra` if the process or the official code fails, `bad_input` for refused terms. */
  call<Schema extends z.ZodType>(
    op: string,
    terms: object,
    schema: Schema,
    { timeoutMs }: CallOptions,
  ): Promise<z.infer<Schema>> {
    const call = this.#last.then(async () => {
      const result = await this.#exchange(op, terms, timeoutMs);
      const parsed = schema.safeParse(result);
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      throw this.#fail(`answered ${op} with an invalid ${issue?.path.join('.') || 'result'}: ${issue?.message}`);
    });
    this.#last = call.catch(() => undefined);
    return call;
  }

  /** Lets the official code clean up, and kills it after `graceMs`. Idempotent. */
  async close(graceMs = 10_000): Promise<void> {
    this.#failure ??= new GyreError('infra', `the bridge of ${this.#name} was closed`, { part: 'benchmark' });
    this.#reject(this.#failure);
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#kill(), graceMs);
    await this.#ended;
    clearTimeout(timer);
    // Children may outlive it.
    this.#kill();
  }

  #exchange(op: string, terms: object, timeoutMs: number): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(`did not answer ${op} within ${timeoutMs / 1_000} s`), timeoutMs);
      const settled = () => clearTimeout(timer);
      this.#pending = {
        id,
        resolve: (result) => (settled(), resolve(result)),
        reject: (error) => (settled(), reject(error)),
      };
      this.#child.stdin.write(printRequest(id, op, terms));
    });
  }

  #take(line: Uint8Array): void {
    const reply = readReply(line);
    const pending = this.#pending;
    if (reply === undefined || reply.id !== pending?.id) {
      const printed = Buffer.from(line.subarray(0, 80)).toString('latin1');
      this.#fail(`printed what is no reply: ${JSON.stringify(printed)}`);
      return;
    }
    this.#pending = undefined;
    if ('result' in reply) return pending.resolve(reply.result);
    const { kind, message } = reply.error;
    pending.reject(
      kind === 'infra'
        ? new GyreError('infra', `${this.#name}: ${message}`, { part: 'benchmark' })
        : new GyreError('bad_input', `${this.#name}: ${message}`, { field: this.#name, fix: 'see the message' }),
    );
  }

  #fail(reason: string): GyreError {
    if (this.#failure === undefined) {
      this.#failure = new GyreError('infra', `the bridge of ${this.#name} ${reason}`, { part: 'benchmark' });
      this.#kill();
    }
    this.#reject(this.#failure);
    return this.#failure;
  }

  #reject(error: GyreError): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(error);
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // No process of the group is alive.
    }
  }
}
