import type { PixelBox, Reading, Size, TextLine } from '@gyre/protocol';
import { differences } from './differences.js';
import type { Screen } from './reader.js';
import { areaOf, boxOf, disjoint, grown, intersection, type Rect, rectOf, union, within } from './rect.js';

/** Regions to read, and the earlier lines that are still valid. */
export interface Changes {
  /** In whole px, disjoint. Contains every pixel that differs, and every line that is read again. */
  readonly regions: readonly PixelBox[];
  /** Lines whose pixels are the same. Regions may cut them. */
  readonly unchanged: readonly TextLine[];
}

/** A line this close to a change, in px, is read again: a character appended to it does not touch its box. */
const reach = { across: 10, down: 2 };
/** Px around a change or a line. */
const margin = 4;
/** Px around a region that the detector sees too. */
const context = 16;
/** A detector pools over its whole input: in a narrow strip it joins lines that it tells apart on the screen. In px. */
const smallestView = 224;
/** Above this share of the screen, one detection of all of it costs less and reads better. */
const largestShare = 0.65;

/**
 * Compares a screen with an earlier one. Without one of the same size, everything is to be read.
 *
 * @param outdated earlier lines to read again in any case.
 */
export function changesSince(
  screen: Screen,
  earlier?: { readonly screen: Screen; readonly reading: Reading },
  outdated: ReadonlySet<TextLine> = new Set(),
): Changes {
  const { size } = screen;
  const everything: Changes = { regions: [{ x: 0, y: 0, ...size }], unchanged: [] };
  if (earlier?.screen.size.width !== size.width || earlier.screen.size.height !== size.height) return everything;
  const changes = differences(earlier.screen, screen);
  const reached = changes.map((change) => grown(change, reach.across, reach.down));
  const unchanged: TextLine[] = [];
  const regions = changes.map((change) => grown(change, margin));
  for (const line of earlier.reading.lines) {
    const rect = rectOf(line.box);
    const touched = reached.flatMap((change, index) => (intersection(change, rect) ? [index] : []));
    if (touched.length === 0 && !outdated.has(line)) {
      unchanged.push(line);
      continue;
    }
    const region = grown(rect, margin);
    regions.push(touched.reduce((joined, index) => union(joined, regions[index]!), region));
  }
  const merged = disjoint(regions.map((region) => within(region, size)));
  const area = merged.reduce((sum, region) => sum + areaOf(region), 0);
  if (area > largestShare * size.width * size.height) return everything;
  return { regions: merged.map(boxOf), unchanged };
}

/** Returns the part of the screen around a region that the detector has to see. */
export function viewOf(region: PixelBox, { width, height }: Size): PixelBox {
  const horizontal = extended(region.x, region.width, width);
  const vertical = extended(region.y, region.height, height);
  return { x: horizontal.start, y: vertical.start, width: horizontal.length, height: vertical.length };
}

function extended(start: number, length: number, limit: number): { start: number; length: number } {
  const longer = Math.min(Math.max(length + 2 * context, smallestView), limit);
  const centred = Math.floor(start + (length - longer) / 2);
  return { start: Math.min(Math.max(centred, 0), limit - longer), length: longer };
}

/** New boxes of lines, and unchanged lines that are now part of a longer one. */
export interface Reconciled {
  readonly boxes: readonly PixelBox[];
  readonly outdated: readonly TextLine[];
}

/**
 * Drops boxes that lie outside of the region or show an unchanged line or a part of it, and finds lines that have grown.
 */
export function reconcile(boxes: readonly PixelBox[], region: PixelBox, unchanged: readonly TextLine[]): Reconciled {
  const lines = unchanged.map((line) => ({ line, rect: rectOf(line.box) }));
  const outdated = new Set<TextLine>();
  const whole = boxes.filter((box) => {
    if (!containsMiddle(region, box)) return false;
    const rect = rectOf(box);
    const overlaps = lines.flatMap(({ line, rect: lineRect }) => {
      const shared = intersection(rect, lineRect);
      return shared === undefined ? [] : [{ line, lineRect, shared }];
    });
    if (overlaps.some(({ shared }) => areaOf(shared) >= areaOf(rect) / 2)) return false;
    for (const { line, lineRect, shared } of overlaps) if (inOneRow(shared, rect, lineRect)) outdated.add(line);
    return true;
  });
  return { boxes: whole, outdated: [...outdated] };
}

function containsMiddle(region: PixelBox, { x, y, width, height }: PixelBox): boolean {
  const [across, down] = [x + width / 2 - region.x, y + height / 2 - region.y];
  return across >= 0 && across < region.width && down >= 0 && down < region.height;
}

/** Boxes of neighbouring rows overlap by less. */
function inOneRow(shared: Rect, a: Rect, b: Rect): boolean {
  const height = Math.min(a.bottom - a.top, b.bottom - b.top);
  return shared.bottom - shared.top > height / 2;
}
