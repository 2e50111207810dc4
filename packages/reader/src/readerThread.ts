import { GyreError, type Reading } from '@gyre/protocol';
import { Worker } from 'node:worker_threads';
import type { ReaderOptions } from './openReader.js';
import type { Reader, Screen } from './reader.js';
import type { Reply, Request } from './readerWorker.js';

type Call = Request extends infer Each ? (Each extends Request ? Omit<Each, 'id'> : never) : never;

/** A reader in a thread of its own, with its own cache. If the thread dies, pending and later calls fail with 'bug'. */
export class ReaderThread implements Reader {
  readonly #worker: Worker;
  readonly #pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #name = '';
  #next = 0;
  #dead: Error | undefined;

  private constructor(options: ReaderOptions) {
    this.#worker = new Worker(new URL('./readerWorker.js', import.meta.url), { workerData: options });
    this.#worker.on('message', (reply: Reply) => {
      const waiting = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.ok) waiting?.resolve(reply.value);
      else waiting?.reject(GyreError.revive(reply.error.code, reply.error.message, reply.error.detail));
    });
    const fail = (reason: string, cause?: Error) => {
      this.#dead ??= new GyreError('bug', `the reader's thread ${reason}`, { fix: 'open a new reader', cause });
      for (const { reject } of this.#pending.values()) reject(this.#dead);
      this.#pending.clear();
    };
    this.#worker.on('error', (error) => fail(`crashed: ${error.message}`, error));
    this.#worker.on('exit', () => fail('has exited'));
  }

  /** Throws as `openReader` does. */
  static async open(options: ReaderOptions = {}): Promise<ReaderThread> {
    const thread = new ReaderThread(options);
    try {
      thread.#name = await thread.#call<string>({ method: 'name' });
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  get name(): string {
    return this.#name;
  }

  read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading> {
    const { name } = this;
    const earlier =
      previous?.reading.reader === name ? { reading: previous.reading, screen: copy(previous.screen) } : undefined;
    const sent = copy(screen);
    const transferred = [sent, ...(earlier ? [earlier.screen] : [])].map(({ pixels }) => pixels.buffer);
    return this.#call({ method: 'read', screen: sent, previous: earlier }, transferred);
  }

  async close(): Promise<void> {
    if (this.#dead) return;
    await this.#call({ method: 'close' });
    await this.#worker.terminate();
  }

  #call<T>(call: Call, transferred: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#dead) return Promise.reject(this.#dead);
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#worker.postMessage({ id, ...call } satisfies Request, transferred);
    });
  }
}

/** Copies the pixels into a buffer of their own: transferring the caller's would detach it. */
function copy({ pixels, size }: Screen): { pixels: Uint8Array<ArrayBuffer>; size: Screen['size'] } {
  return { pixels: new Uint8Array(pixels), size };
}
