import { GyreError, type PixelBox, type Reading, type TextLine } from '@gyre/protocol';
import { changesSince, reconcile, viewOf } from './incremental.js';
import { cropOf } from './crop.js';
import { inkOf } from './ink.js';
import { LineCache } from './lineCache.js';
import type { Reader, Screen } from './reader.js';
import { readingOrder } from './readingOrder.js';

/** Finds where the lines of text are. */
export interface LineDetector {
  /**
   * Returns a box per line, in px of the screen and within `region`.
   *
   * @param region whole px; only its pixels are looked at. The detector's scale depends on `screen.size`, so a region is
   *   read as it would be within its screen.
   */
  detect(screen: Screen, region: PixelBox): Promise<readonly PixelBox[]>;
  close(): Promise<void>;
}

/** The text of a crop. */
export interface RecognisedLine {
  /** Empty if the crop shows no text. */
  readonly text: string;
  /** Horizontal centre of each code point of `text`, in px from the left of the crop. */
  readonly centres: readonly number[];
}

/** Recognises the text of crops that show one line each. */
export interface LineRecogniser {
  /** Returns one result per crop, in order. Batches as it likes. */
  recognise(crops: readonly Screen[]): Promise<readonly RecognisedLine[]>;
  close(): Promise<void>;
}

export interface LineReaderParts {
  /** Name and version, as stored with the readings. */
  readonly name: string;
  readonly detector: LineDetector;
  readonly recogniser: LineRecogniser;
  /** May be shared by readers that have the same recogniser. Default: a cache of its own. */
  readonly cache?: LineCache | undefined;
}

/** Reads with a detector and a recogniser. Reads changed regions only, and looks up lines that it has seen before. */
export class LineReader implements Reader {
  readonly parts: LineReaderParts;
  readonly #cache: LineCache;

  constructor(parts: LineReaderParts) {
    this.parts = parts;
    this.#cache = parts.cache ?? new LineCache();
  }

  get name(): string {
    return this.parts.name;
  }

  async read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading> {
    checkScreen(screen);
    // Lines of another reader would be passed off as this one's.
    const earlier = previous?.reading.reader === this.name ? previous : undefined;
    const { boxes, unchanged } = await this.#detect(screen, earlier);
    const lines = await this.#recognise(screen, boxes);
    return { reader: this.name, lines: readingOrder([...unchanged, ...lines]) };
  }

  async close(): Promise<void> {
    await Promise.all([this.parts.detector.close(), this.parts.recogniser.close()]);
  }

  /** Returns the boxes of new lines, and the earlier lines that are still valid. */
  async #detect(
    screen: Screen,
    earlier: { readonly screen: Screen; readonly reading: Reading } | undefined,
  ): Promise<{ boxes: readonly PixelBox[]; unchanged: readonly TextLine[] }> {
    const outdated = new Set<TextLine>();
    for (;;) {
      const { regions, unchanged } = changesSince(screen, earlier, outdated);
      const boxes: PixelBox[] = [];
      const grown: TextLine[] = [];
      for (const region of regions) {
        const detected = await this.parts.detector.detect(screen, viewOf(region, screen.size));
        const reconciled = reconcile(detected, region, unchanged);
        boxes.push(...reconciled.boxes);
        grown.push(...reconciled.outdated);
      }
      if (grown.length === 0) return { boxes, unchanged };
      for (const line of grown) outdated.add(line);
    }
  }

  async #recognise(screen: Screen, boxes: readonly PixelBox[]): Promise<TextLine[]> {
    const crops = boxes.map((box) => {
      const crop = cropOf(screen, box);
      const ink = inkOf(crop.screen);
      return { ...crop, box, ink, known: this.#cache.get(ink.key) };
    });
    const unknown = crops.filter(({ known }) => known === undefined);
    const recognised =
      unknown.length > 0 ? await this.parts.recogniser.recognise(unknown.map(({ screen }) => screen)) : [];
    unknown.forEach((crop, index) => {
      const { text, centres } = recognised[index]!;
      crop.known = { text, centres: centres.map((centre) => centre - crop.ink.x) };
      this.#cache.set(crop.ink.key, crop.known);
    });
    return crops.flatMap(({ box, x, ink, known }) =>
      known === undefined || known.text === ''
        ? []
        : [{ text: known.text, box, centres: known.centres.map((centre) => x + ink.x + centre) }],
    );
  }
}

function checkScreen({ pixels, size }: Screen): void {
  const expected = size.width * size.height * 3;
  if (pixels.length === expected && expected > 0) return;
  throw new GyreError(
    'bad_input',
    `a screen of ${size.width}x${size.height} has ${expected} RGB bytes, not ${pixels.length}`,
    { field: 'screen.pixels', fix: 'decode the screenshot to RGB without alpha' },
  );
}
