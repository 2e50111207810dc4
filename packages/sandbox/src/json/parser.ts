import { Worker } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';
import { Turns } from '../turns.js';
import type { Parsed } from './parseThread.js';
import { parseJson } from './parsing.js';

/** Bytes up to which a text is parsed at once: that takes less than a thread's answer. */
const short = 2 ** 16;

/** What the thread may take: a text of one string takes three times its bytes. */
const threadMegabytes = 512;

/**
 * Parses JSON of others without holding up this thread: long texts are parsed by another, one after another, so that what is large holds
 * up only what is large.
 */
export class Parser {
  readonly #turns = new Turns();
  #thread: Worker | undefined;

  /** Takes the bytes away from the caller where they are many. Throws `bad_input`. */
  async parse(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
    if (bytes.length <= short) return parseJson(bytes);
    const parsed = await this.#turns.next(() => this.#ask(bytes));
    if ('value' in parsed) return parsed.value;
    throw new GyreError('bad_input', parsed.wrong, {
      field: 'body',
      ...(parsed.fix !== undefined && { fix: parsed.fix }),
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #ask(bytes: Uint8Array<ArrayBuffer>): Promise<Parsed> {
    const thread = (this.#thread ??= new Worker(new URL('./parseThread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
    }));
    thread.ref();
    return new Promise((resolve) => {
      const lost = () => {
        this.#thread = undefined;
        done({ wrong: 'the body takes more memory than there is for one', fix: 'send less in one request' });
      };
      const done = (parsed: Parsed) => {
        thread.off('message', done).off('error', lost).off('exit', lost);
        thread.unref();
        resolve(parsed);
      };
      thread.on('message', done).on('error', lost).on('exit', lost);
      thread.postMessage(bytes, [bytes.buffer]);
    });
  }
}
