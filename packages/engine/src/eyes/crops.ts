import { GyreError, type PixelBox, type Size } from '@gyre/protocol';

/**
 * Writes `side` x `side` RGB bytes at `offset`: the box, grown by 1 px and cut at the screen's edges, each pixel the
 * mean of the area that it covers.
 *
 * @param pixels RGB, [height, width, 3].
 */
export function cropOf(
  pixels: Uint8Array,
  size: Size,
  box: PixelBox,
  side = 12,
  into: Uint8Array,
  offset: number,
): void {
  if (offset < 0 || offset + side * side * 3 > into.length) {
    throw new GyreError('shape', `a crop of ${side} x ${side} does not fit at byte ${offset} of ${into.length}`, {
      field: 'offset',
      fix: `reserve ${side * side * 3} bytes for each crop`,
    });
  }
  const [left, right] = extent(box.x - 1, box.x + box.width + 1, size.width);
  const [top, bottom] = extent(box.y - 1, box.y + box.height + 1, size.height);
  const stepX = (right - left) / side;
  const stepY = (bottom - top) / side;
  let place = offset;
  for (let row = 0; row < side; row++) {
    const y0 = top + row * stepY;
    const y1 = y0 + stepY;
    for (let column = 0; column < side; column++) {
      const x0 = left + column * stepX;
      const x1 = x0 + stepX;
      let red = 0;
      let green = 0;
      let blue = 0;
      let total = 0;
      for (let y = Math.floor(y0); y < y1 && y < size.height; y++) {
        const down = Math.min(y1, y + 1) - Math.max(y0, y);
        for (let x = Math.floor(x0); x < x1 && x < size.width; x++) {
          const weight = down * (Math.min(x1, x + 1) - Math.max(x0, x));
          const index = 3 * (y * size.width + x);
          red += weight * pixels[index]!;
          green += weight * pixels[index + 1]!;
          blue += weight * pixels[index + 2]!;
          total += weight;
        }
      }
      into[place] = Math.round(red / total);
      into[place + 1] = Math.round(green / total);
      into[place + 2] = Math.round(blue / total);
      place += 3;
    }
  }
}

/** Cuts a range at the screen; at least 1 px is left, even of a box off the screen. */
function extent(low: number, high: number, length: number): [number, number] {
  const start = Math.min(Math.max(low, 0), length - 1);
  return [start, Math.min(Math.max(high, start + 1), length)];
}
