import { type Frame, GyreError, type Reading, type Size } from '@gyre/protocol';
import { pixels } from '../loop/pixels.js';

/** RGB bytes `[height, width, 3]`. */
interface Screen {
  readonly pixels: Uint8Array;
  readonly size: Size;
}

/** Reads screenshots: a `Reader` of `@gyre/reader`. */
export interface ScreenReader {
  read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading>;
}

export interface ReadScreen extends Screen {
  readonly hash: string;
  readonly reading: Reading;
}

/** Episodes whose last screen is remembered, to read only what has changed. */
const maxEpisodes = 64;

/** Reads the newest screenshots of concurrent episodes. A reading that a frame carries is used as it is. */
export class ScreenTexts {
  readonly #reader: ScreenReader;
  readonly #earlier = new Map<string, { readonly screen: Screen; readonly reading: Reading }>();

  constructor(reader: ScreenReader) {
    this.#reader = reader;
  }

  async read(frame: Frame | undefined, episodeId: string): Promise<ReadScreen> {
    if (!frame) throw new GyreError('bug', 'a decision has no screenshot');
    const { hash, size } = frame;
    const screen = { pixels: await pixels(frame), size };
    return { ...screen, hash, reading: frame.reading ?? (await this.#text(screen, episodeId)) };
  }

  async #text(screen: Screen, episodeId: string): Promise<Reading> {
    const reading = await this.#reader.read(screen, this.#earlier.get(episodeId));
    this.#earlier.delete(episodeId);
    this.#earlier.set(episodeId, { screen, reading });
    if (this.#earlier.size > maxEpisodes) this.#earlier.delete(this.#earlier.keys().next().value ?? '');
    return reading;
  }
}
