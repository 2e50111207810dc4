import { Worker } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';
import type { FromThread, ToThread } from './parseThread.js';
import { parseJson } from './parsing.js';

/** Shorter texts parse faster than a thread answers. */
const short = 2 ** 16;

/** A text of one string needs three times its bytes. */
const threadMegabytes = 512;

/** Parses untrusted JSON; long texts on another thread. */
export class Parser {
  readonly #waiting = new Map<number, (answer: FromThread | undefined) => void>();
  #thread: Worker | undefined;
  #last = 0;

  async read(text: AsyncIterable<Uint8Array>): Promise<unknown> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    let id: number | undefined;
    try {
      for await (const piece of text) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes <= short) continue;
        id ??= ++this.#last;
        for (const each of pieces.splice(0)) this.#send({ id, piece: each });
      }
    } catch (error) {
      if (id !== undefined) this.#send({ id, dropped: true });
      throw error;
    }
    return id === undefined ? parseJson(Buffer.concat(pieces)) : this.#answer(id);
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #answer(id: number): Promise<unknown> {
    const answer = await new Promise<FromThread | undefined>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id });
    });
    this.#waiting.delete(id);
    if (answer && 'value' in answer) return answer.value;
    const wrong = answer?.wrong ?? 'the parser of long bodies has ended';
    throw new GyreError('bad_input', wrong, { field: 'body', fix: answer?.fix ?? 'send it again, in smaller parts' });
  }

  #send(message: ToThread): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(message);
  }

  #start(): Worker {
    const thread = new Worker(new URL('./parseThread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
    });
    // Only the server keeps this process alive.
    thread.unref();
    const lost = () => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const resolve of this.#waiting.values()) resolve(undefined);
    };
    thread.on('message', (answer: FromThread) => this.#waiting.get(answer.id)?.(answer));
    return thread.on('error', lost).on('exit', lost);
  }
}
