import { GyreError, type PixelBox, type Size } from '@gyre/protocol';

// Reused from screenshot to screenshot: allocating megabytes for each costs more than the sums.
let buffer = new Int32Array(0);

/** Reduces boxes of one screenshot, until another is begun. Costs a pass over its pixels, and then little for each box. */
export class Crops {
  readonly #size: Size;
  /** Sums of the pixels above and to the left, `[height + 1, width + 1, 3]`. */
  readonly #sums: Int32Array;

  /** @param pixels RGB, [height, width, 3]; at most 2^23 px */
  constructor(pixels: Uint8Array, size: Size) {
    const { width, height } = size;
    this.#size = size;
    const stride = 3 * (width + 1);
    const length = stride * (height + 1);
    if (buffer.length < length) buffer = new Int32Array(length);
    const sums = buffer;
    sums.fill(0, 0, stride);
    let from = 0;
    for (let y = 1; y <= height; y++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      let to = y * stride;
      sums.fill(0, to, to + 3);
      for (let x = 1; x <= width; x++) {
        to += 3;
        red += pixels[from]!;
        green += pixels[from + 1]!;
        blue += pixels[from + 2]!;
        sums[to] = sums[to - stride]! + red;
        sums[to + 1] = sums[to - stride + 1]! + green;
        sums[to + 2] = sums[to - stride + 2]! + blue;
        from += 3;
      }
    }
    this.#sums = sums;
  }

  /**
   * Writes `side` x `side` RGB bytes at `offset`: the box, grown by 1 px and cut at the screen's edges, each pixel the
   * mean of the area that it covers.
   */
  write(box: PixelBox, side: number, into: Uint8Array, offset: number): void {
    if (offset < 0 || offset + side * side * 3 > into.length) {
      throw new GyreError('shape', `a crop of ${side} x ${side} does not fit at byte ${offset} of ${into.length}`, {
        field: 'offset',
        fix: `reserve ${side * side * 3} bytes for each crop`,
      });
    }
    const { width, height } = this.#size;
    const [left, right] = extent(box.x - 1, box.x + box.width + 1, width);
    const [top, bottom] = extent(box.y - 1, box.y + box.height + 1, height);
    const stepX = (right - left) / side;
    const stepY = (bottom - top) / side;
    const scale = 1 / (stepX * stepY);
    // Sums above each edge between rows, along the edges between columns.
    let above = this.#sumsAlong(top, left, stepX, side);
    let place = offset;
    for (let row = 1; row <= side; row++) {
      const below = this.#sumsAlong(Math.min(bottom, top + row * stepY), left, stepX, side);
      for (let i = 0; i < 3 * side; i++) {
        const sum = below[i + 3]! - below[i]! - above[i + 3]! + above[i]!;
        into[place++] = (sum * scale + 0.5) | 0;
      }
      above = below;
    }
  }

  /** Returns the sums of the pixels above `y` and to the left of each edge, `[side + 1, 3]`. */
  #sumsAlong(y: number, left: number, step: number, side: number): Float64Array {
    const { width, height } = this.#size;
    const sums = this.#sums;
    const stride = 3 * (width + 1);
    const row = Math.min(Math.floor(y), height - 1);
    const down = y - row;
    const along = new Float64Array(3 * (side + 1));
    for (let edge = 0; edge <= side; edge++) {
      const x = left + edge * step;
      const column = Math.min(Math.floor(x), width - 1);
      const across = x - column;
      const from = row * stride + 3 * column;
      for (let channel = from; channel < from + 3; channel++) {
        const upper = sums[channel]! + across * (sums[channel + 3]! - sums[channel]!);
        const under = channel + stride;
        const lower = sums[under]! + across * (sums[under + 3]! - sums[under]!);
        along[3 * edge + channel - from] = upper + down * (lower - upper);
      }
    }
    return along;
  }
}

/** Cuts a range at the screen; at least 1 px is left, even of a box off the screen. */
function extent(low: number, high: number, length: number): [number, number] {
  const start = Math.min(Math.max(low, 0), length - 1);
  return [start, Math.min(Math.max(high, start + 1), length)];
}
