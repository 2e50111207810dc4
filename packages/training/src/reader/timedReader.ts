import type { Reading } from '@gyre/protocol';
import { LineReader, type Screen } from '@gyre/reader';

/** CPU time of one reading, in ms of all threads of the process. */
export interface ReaderCost {
  readonly detectorMs: number;
  readonly recogniserMs: number;
  /** Lines that were recognised; others were unchanged or cached. */
  readonly recognised: number;
}

/** A reader of the same models that measures its parts. Has a cache of its own; closing it closes the models. */
export class TimedReader {
  readonly #reader: LineReader;
  #cost = { detectorMs: 0, recogniserMs: 0, recognised: 0 };

  constructor({ parts: { detector, recogniser, name } }: LineReader) {
    this.#reader = new LineReader({
      name,
      detector: {
        detect: (screen, region) => this.#timed('detectorMs', () => detector.detect(screen, region)),
        close: () => detector.close(),
      },
      recogniser: {
        recognise: (crops) => {
          this.#cost.recognised += crops.length;
          return this.#timed('recogniserMs', () => recogniser.recognise(crops));
        },
        close: () => recogniser.close(),
      },
    });
  }

  /** Reads as `LineReader.read` does. */
  async read(
    screen: Screen,
    previous?: { readonly screen: Screen; readonly reading: Reading },
  ): Promise<{ readonly reading: Reading; readonly cost: ReaderCost }> {
    this.#cost = { detectorMs: 0, recogniserMs: 0, recognised: 0 };
    const reading = await this.#reader.read(screen, previous);
    return { reading, cost: this.#cost };
  }
  async #timed<T>(part: 'detectorMs' | 'recogniserMs', run: () => Promise<T>): Promise<T> {
    const start = process.cpuUsage();
    const result = await run();
    const { user, system } = process.cpuUsage(start);
    this.#cost[part] += (user + system) / 1000;
    return result;
  }
}
