import { GyreError, type PixelBox, type Size, type TextLine } from '@gyre/protocol';
import { Components } from './components.js';
import { mostUseful } from './crowd.js';
import type { Forest } from './forest.js';
import { joinSpecks, type Bounds, type Speck } from './specks.js';

export interface Region {
  readonly box: PixelBox;
  /** Share of the box that has the region's colour. */
  readonly fill: number;
  readonly colour: readonly [red: number, green: number, blue: number];
}

interface Candidate extends Bounds {
  painted: number;
  colour: number;
  /** Several colours on a flat ground. */
  blob: boolean;
}

/** Screens up to this width are small. */
const smallScreen = 320;
const minSide = 4;
const minArea = 9;
const minBlobSide = 6;
const maxBlobSide = 40;
const sameBox = 0.72;
/** Deduplication compares every pair. */
const maxCandidates = 500;

// Reused from call to call: allocating for each screenshot costs more than the analysis.
const components = new Components();

export function maxRegions({ width }: Size): number {
  return width <= smallScreen ? 56 : 110;
}

/**
 * Finds the flat regions of a screenshot: fields, switches, buttons, swatches, icons. A region is a connected component
 * of one colour, or a compact blob of several colours on a flat ground. Letters within `lines` are left out. Returns at
 * most `maxRegions`, nearest in size to a typical control, sorted by row and column.
 *
 * @param pixels RGB, [height, width, 3].
 */
export function findRegions(pixels: Uint8Array, size: Size, lines: readonly TextLine[]): Region[] {
  if (pixels.length !== size.width * size.height * 3) {
    throw new GyreError('shape', `${pixels.length} bytes are not ${size.width} x ${size.height} RGB pixels`, {
      field: 'pixels',
      fix: 'pass RGB bytes, three a pixel, without alpha',
    });
  }
  components.analyse(pixels, size);
  const { candidates, specks } = candidatesIn(size);
  const icons = joinSpecks(specks.filter((speck) => !lines.some(({ box }) => holds(box, speck))));
  const drawn = candidates.filter((candidate) => !isLetter(candidate, lines));
  for (const { left, top, right, bottom, painted, colour } of icons) {
    drawn.push({ left, top, right, bottom, painted, colour, blob: true });
  }
  const preference = { typicalArea: size.width <= smallScreen ? 400 : 900, lines };
  return mostUseful(distinct(mostUseful(drawn, maxCandidates, preference)), maxRegions(size), preference)
    .sort((a, b) => Math.floor(a.top / 8) - Math.floor(b.top / 8) || a.left - b.left || byPlace(a, b))
    .map(regionOf);
}

function candidatesIn({ width, height }: Size): { candidates: Candidate[]; specks: Speck[] } {
  const { runs, colours, blobs, ink, ground, largest } = components;
  const candidates: Candidate[] = [];
  const specks: Speck[] = [];
  for (let run = 0; run < runs; run++) {
    if (colours.parent[run] === run) {
      const w = colours.right[run]! - colours.left[run]!;
      const h = colours.bottom[run]! - colours.top[run]!;
      const large = w * h > 0.5 * width * height || (w > 0.9 * width && h > 0.3 * height);
      if (w >= minSide && h >= minSide && colours.area[run]! >= minArea && !large) {
        candidates.push({ ...painted(colours, run, run), blob: false });
      }
    }
    if (ink[run] === 1 && blobs.parent[run] === run && ground[run]! >= 0) {
      const w = blobs.right[run]! - blobs.left[run]!;
      const h = blobs.bottom[run]! - blobs.top[run]!;
      const [short, long] = w < h ? [w, h] : [h, w];
      if (long > maxBlobSide) continue;
      const blob = painted(blobs, run, largest[run]!);
      if (short >= minSide && long >= minBlobSide) candidates.push({ ...blob, blob: true });
      else specks.push({ ...blob, ground: ground[run]! });
    }
  }
  return { candidates, specks };
}

function painted(forest: Forest, root: number, component: number) {
  return {
    left: forest.left[root]!,
    top: forest.top[root]!,
    right: forest.right[root]!,
    bottom: forest.bottom[root]!,
    painted: components.colours.area[component]!,
    colour: components.colour[component]!,
  };
}

/** Tells whether the candidate is a small part of a line: a letter, or letters that touch. */
function isLetter(candidate: Candidate, lines: readonly TextLine[]): boolean {
  const width = candidate.right - candidate.left;
  const height = candidate.bottom - candidate.top;
  return lines.some(({ box, text }) => {
    // A line of one character may be an icon.
    if (text.length === 1 || !holds(box, candidate)) return false;
    // Letters that touch are one blob, as wide as the word.
    return (candidate.blob ? height : width) < 1.3 * box.height;
  });
}

/** Tells whether most of the bounds lies within the box. */
function holds(box: PixelBox, { left, top, right, bottom }: Bounds): boolean {
  const across = Math.min(box.x + box.width, right) - Math.max(box.x, left);
  const down = Math.min(box.y + box.height, bottom) - Math.max(box.y, top);
  return across > 0 && across * down > 0.8 * (right - left) * (bottom - top);
}

/** Keeps the larger of two nearly equal boxes, in the colour that covers more. */
function distinct(candidates: Candidate[]): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of candidates.sort((a, b) => areaOf(b) - areaOf(a) || byPlace(a, b))) {
    const equal = chosen.find((larger) => overlap(larger, candidate) > sameBox);
    if (!equal) chosen.push(candidate);
    else if (candidate.painted > equal.painted) {
      equal.painted = candidate.painted;
      equal.colour = candidate.colour;
    }
  }
  return chosen;
}

/** Returns the intersection over the union. */
function overlap(a: Bounds, b: Bounds): number {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (across <= 0 || down <= 0) return 0;
  return (across * down) / (areaOf(a) + areaOf(b) - across * down);
}

function areaOf({ left, top, right, bottom }: Bounds): number {
  return (right - left) * (bottom - top);
}

function byPlace(a: Candidate, b: Candidate): number {
  return a.top - b.top || a.left - b.left || b.painted - a.painted || a.colour - b.colour;
}

function regionOf({ left, top, right, bottom, painted, colour }: Candidate): Region {
  const box = { x: left, y: top, width: right - left, height: bottom - top };
  return {
    box,
    fill: painted / (box.width * box.height),
    colour: [colour >> 16, (colour >> 8) & 255, colour & 255],
  };
}
