import type { Reading } from '@gyre/protocol';
import type { ReaderOptions } from './openReader.js';
import type { Reader, Screen } from './reader.js';
import { ReaderThread } from './readerThread.js';

/** A reader whose thread starts with the first screen. Reading throws as `openReader` does. */
export class LazyReader implements Pick<Reader, 'read' | 'close'> {
  readonly #options: ReaderOptions;
  #opened: Promise<ReaderThread> | undefined;

  constructor(options: ReaderOptions = {}) {
    this.#options = options;
  }

  async read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading> {
    this.#opened ??= ReaderThread.open(this.#options);
    return (await this.#opened).read(screen, previous);
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }
}
