import type { PixelBox, Reading, TextLine } from '@gyre/protocol';
import type { Screen } from './reader.js';

/** Regions to read, and the earlier lines that are still valid. */
export interface Changes {
  /** In whole px, disjoint. Contains every pixel that differs, and every earlier line that one of them touches. */
  readonly regions: readonly PixelBox[];
  /** Outside all regions. */
  readonly unchanged: readonly TextLine[];
}

/** Left and top inclusive, right and bottom exclusive. */
interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Rows of changes that are closer than this, in px, share a region. */
const rowGap = 24;
/** Px around a change: a detector needs some background around a line. */
const changeMargin = 10;
const lineMargin = 4;
/** Above this share of the screen, one detection of all of it costs less and reads better. */
const largestShare = 0.65;

/** Compares a screen with an earlier one of the same size. Without one, everything is to be read. */
export function changesSince(
  screen: Screen,
  earlier?: { readonly screen: Screen; readonly reading: Reading },
): Changes {
  const { width, height } = screen.size;
  const everything: Changes = { regions: [{ x: 0, y: 0, width, height }], unchanged: [] };
  if (earlier?.screen.size.width !== width || earlier.screen.size.height !== height) return everything;
  const whole: Rect = { left: 0, top: 0, right: width, bottom: height };
  const { lines } = earlier.reading;
  let rects = differences(earlier.screen, screen).map((rect) => grown(rect, changeMargin, whole));
  // A line that reaches into a region may reach other lines when the region has grown over it.
  for (let before = -1; before !== area(rects);) {
    before = area(rects);
    for (const rect of rects) {
      for (const { box } of lines) {
        if (touches(rect, box)) Object.assign(rect, union(rect, grown(rectOf(box), lineMargin, whole)));
      }
    }
    rects = disjoint(rects);
  }
  if (area(rects) > largestShare * width * height) return everything;
  return {
    regions: rects.map(({ left, top, right, bottom }) => ({
      x: left,
      y: top,
      width: right - left,
      height: bottom - top,
    })),
    unchanged: lines.filter(({ box }) => !rects.some((rect) => touches(rect, box))),
  };
}

/** Returns a rectangle per group of rows that contain differing pixels, around these pixels. */
function differences(before: Screen, after: Screen): Rect[] {
  const { width, height } = after.size;
  const stride = width * 3;
  const rects: Rect[] = [];
  for (let y = 0; y < height; y++) {
    const a = before.pixels.subarray(y * stride, (y + 1) * stride);
    const b = after.pixels.subarray(y * stride, (y + 1) * stride);
    if (Buffer.compare(a, b) === 0) continue;
    const left = Math.floor(a.findIndex((value, i) => value !== b[i]) / 3);
    const right = Math.floor(a.findLastIndex((value, i) => value !== b[i]) / 3) + 1;
    const rect = rects.at(-1);
    if (rect === undefined || y - rect.bottom > rowGap) rects.push({ left, top: y, right, bottom: y + 1 });
    else Object.assign(rect, union(rect, { left, top: y, right, bottom: y + 1 }));
  }
  return rects;
}

/** Merges rectangles until none overlap. */
function disjoint(rects: readonly Rect[]): Rect[] {
  const merged: Rect[] = [];
  for (let rect of rects) {
    let overlap: number;
    while ((overlap = merged.findIndex((other) => overlaps(rect, other))) >= 0) {
      rect = union(rect, merged[overlap]!);
      merged.splice(overlap, 1);
    }
    merged.push(rect);
  }
  return merged;
}

function overlaps(a: Rect, b: Rect): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

function touches(rect: Rect, box: PixelBox): boolean {
  return overlaps(rect, { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height });
}

function rectOf({ x, y, width, height }: PixelBox): Rect {
  return { left: Math.floor(x), top: Math.floor(y), right: Math.ceil(x + width), bottom: Math.ceil(y + height) };
}

function grown({ left, top, right, bottom }: Rect, margin: number, within: Rect): Rect {
  return {
    left: Math.max(within.left, left - margin),
    top: Math.max(within.top, top - margin),
    right: Math.min(within.right, right + margin),
    bottom: Math.min(within.bottom, bottom + margin),
  };
}

function union(a: Rect, b: Rect): Rect {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

function area(rects: readonly Rect[]): number {
  return rects.reduce((sum, rect) => sum + (rect.right - rect.left) * (rect.bottom - rect.top), 0);
}
