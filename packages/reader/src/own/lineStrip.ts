import { GyreError } from '@gyre/protocol';
import type { Screen } from '../reader.js';
import { inkMap } from './inkMap.js';
import { resample } from './resample.js';

/** Height of a normalised line, in px. */
export const stripHeight = 24;
/** Strip px per slot; a slot holds at most one character's centre. */
export const slotWidth = 2;
/** Blank px between lines in a strip: more than the network sees to either side. */
export const stripGap = 48;

/** A line scaled to `stripHeight`: ink, 0..255, `[stripHeight, width]`. */
export interface NormalisedLine {
  readonly ink: Uint8Array;
  readonly width: number;
  /** Strip px per px of the source. */
  readonly scale: number;
}

export interface NormaliseOptions {
  /** Widens (above 1) or narrows the result. Default 1. */
  readonly stretch?: number;
  /** Default: all of the crop. */
  readonly box?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** Normalises the box of a screen that holds one line; its numbers may be fractional. */
export function normaliseLine(screen: Screen, options: NormaliseOptions = {}): NormalisedLine {
  const { box = { x: 0, y: 0, ...screen.size }, stretch = 1 } = options;
  const left = Math.floor(box.x);
  const top = Math.floor(box.y);
  const outer = {
    x: left,
    y: top,
    width: Math.max(2, Math.ceil(box.x + box.width) - left),
    height: Math.max(2, Math.ceil(box.y + box.height) - top),
  };
  const scale = (stripHeight / box.height) * stretch;
  const width = Math.max(4, Math.round(box.width * scale));
  const result = resample(
    inkMap(screen, outer),
    outer,
    { across: { from: box.x - left, length: box.width }, down: { from: box.y - top, length: box.height } },
    { width, height: stripHeight },
  );
  // `Uint8Array.from` with a function costs three times as much as all of the above.
  const ink = new Uint8Array(result.length);
  for (let i = 0; i < ink.length; i++) ink[i] = result[i]! + 0.5;
  return { ink, width, scale: width / box.width };
}

/** Rows of normalised lines, each `width` px long. */
export class Strips {
  readonly pixels: Uint8Array;
  readonly #ends: number[];

  constructor(
    readonly count: number,
    readonly width: number,
  ) {
    this.pixels = new Uint8Array(count * stripHeight * width);
    this.#ends = new Array<number>(count).fill(0);
  }

  /** Places a line in the first row with room, and returns its row and its left edge there; undefined without room. */
  place({ ink, width }: NormalisedLine): { readonly row: number; readonly x: number } | undefined {
    if (width > this.width) {
      throw new GyreError('bad_input', `a line of ${width} px does not fit into strips of ${this.width} px`, {
        field: 'line',
        fix: 'use wider strips',
      });
    }
    const row = this.#ends.findIndex((end) => end + width <= this.width);
    if (row < 0) return undefined;
    const x = this.#ends[row]!;
    for (let y = 0; y < stripHeight; y++)
      this.pixels.set(ink.subarray(y * width, (y + 1) * width), (row * stripHeight + y) * this.width + x);
    // A whole number of slots keeps the network's view of a line independent of its neighbours.
    this.#ends[row] = Math.ceil((x + width + stripGap) / 4) * 4;
    return { row, x };
  }
}
