import type { Size } from '@gyre/protocol';
import { Forest, grown } from './forest.js';

/** A component with a longer side is ground: what lies on it is separate. */
const groundSide = 40;
/** Neighbours whose channels differ by at most this are one colour: gradients and soft shadows join their ground. */
const tolerance = 2;
/** `ground` of a blob that touches several grounds, such as the corner of a frame. */
const several = -2;
/** `ground` of a blob before its neighbours are known. */
const none = -1;

/**
 * Connected components (8-connectivity) of a picture's horizontal runs, in two forests over the same runs: components
 * of one colour, and blobs of everything that is not ground. The memory is reused for the next picture.
 */
export class Components {
  runs = 0;
  readonly colours = new Forest();
  readonly blobs = new Forest();
  /** 0xRRGGBB of each run. */
  colour = new Int32Array(0);
  /** 1 where a run belongs to a blob, otherwise -1. */
  ink = new Int32Array(0);
  /** At the root of each blob: the root of its largest component of one colour. */
  largest = new Int32Array(0);
  /** At the root of each blob: the root of the ground beside it; negative if there is no single one. */
  ground = new Int32Array(0);
  #from = new Int32Array(0);
  /** Exclusive. */
  #to = new Int32Array(0);
  #rowStart = new Int32Array(0);

  analyse(pixels: Uint8Array, size: Size): void {
    this.#scan(pixels, size);
    this.#linkColours(pixels, size);
    this.#separate(size.height);
    this.#linkInk(size.height);
    this.#describe(size.height);
  }

  #scan(pixels: Uint8Array, { width, height }: Size): void {
    if (this.#rowStart.length <= height) this.#rowStart = new Int32Array(height + 1);
    let runs = 0;
    let index = 0;
    for (let y = 0; y < height; y++) {
      this.#rowStart[y] = runs;
      this.#reserve(runs + width);
      const { colours, colour } = this;
      const [from, to] = [this.#from, this.#to];
      let start = 0;
      let current = (pixels[index]! << 16) | (pixels[index + 1]! << 8) | pixels[index + 2]!;
      for (let x = 1; x <= width; x++) {
        index += 3;
        const next = x < width ? (pixels[index]! << 16) | (pixels[index + 1]! << 8) | pixels[index + 2]! : -1;
        if (next === current) continue;
        if (next >= 0 && alike(next, current)) {
          // A gradient is one run.
          current = next;
          continue;
        }
        from[runs] = start;
        to[runs] = x;
        colour[runs] = current;
        colours.add(runs, start, x, y);
        runs++;
        start = x;
        current = next;
      }
    }
    this.#rowStart[height] = runs;
    this.runs = runs;
  }

  #linkColours(pixels: Uint8Array, { width, height }: Size): void {
    const { colours } = this;
    const { parent } = colours;
    const [from, to, rowStart] = [this.#from, this.#to, this.#rowStart];
    for (let y = 1; y < height; y++) {
      let above = rowStart[y - 1]!;
      const first = rowStart[y]!;
      const end = rowStart[y + 1]!;
      const row = y * width;
      for (let run = first; run < end; run++) {
        const left = from[run]!;
        const right = to[run]!;
        // Ends are exclusive: equal numbers touch at a corner.
        while (above < first && to[above]! < left) above++;
        for (let upper = above; upper < first && from[upper]! <= right; upper++) {
          if (parent[upper] === parent[run]) continue;
          // A run changes its colour slowly: the ends of the shared stretch decide.
          const low = Math.max(left, from[upper]!);
          const high = Math.min(right, to[upper]!) - 1;
          const corner = low > high;
          const mirrored = corner && left < from[upper]!;
          const place = row + (mirrored ? high : low);
          const upperPlace = row - width + (mirrored || !corner ? low : high);
          const joins = near(pixels, place, upperPlace) || (!corner && near(pixels, row + high, row - width + high));
          if (joins) colours.join(upper, run);
        }
      }
    }
  }

  #linkInk(height: number): void {
    const { blobs, ink } = this;
    const [from, to, rowStart] = [this.#from, this.#to, this.#rowStart];
    for (let y = 0; y < height; y++) {
      const first = rowStart[y]!;
      const end = rowStart[y + 1]!;
      let above = y > 0 ? rowStart[y - 1]! : first;
      for (let run = first; run < end; run++) {
        if (ink[run]! < 0) continue;
        const left = from[run]!;
        const right = to[run]!;
        while (above < first && to[above]! < left) above++;
        if (run > first && ink[run - 1]! >= 0) blobs.join(run - 1, run);
        for (let upper = above; upper < first && from[upper]! <= right; upper++) {
          if (ink[upper]! >= 0) blobs.join(upper, run);
        }
      }
    }
  }

  #separate(height: number): void {
    const { colours, blobs, ink } = this;
    blobs.reserve(ink.length);
    for (let y = 0; y < height; y++) {
      for (let run = this.#rowStart[y]!; run < this.#rowStart[y + 1]!; run++) {
        const root = colours.root(run);
        const width = colours.right[root]! - colours.left[root]!;
        const ground = width > groundSide || colours.bottom[root]! - colours.top[root]! > groundSide;
        ink[run] = ground ? -1 : 1;
        if (!ground) blobs.add(run, this.#from[run]!, this.#to[run]!, y);
      }
    }
  }

  #describe(height: number): void {
    const { runs, colours, blobs, ink, largest, ground } = this;
    for (let run = 0; run < runs; run++) {
      largest[run] = run;
      ground[run] = none;
    }
    for (let y = 0; y < height; y++) {
      const first = this.#rowStart[y]!;
      const end = this.#rowStart[y + 1]!;
      for (let run = first; run < end; run++) {
        if (ink[run] !== 1) continue;
        const blob = blobs.root(run);
        const isRoot = colours.parent[run] === run;
        if (isRoot && colours.area[run]! > colours.area[colours.root(largest[blob]!)]!) largest[blob] = run;
        if (run > first && ink[run - 1] !== 1) this.#touch(blob, colours.root(run - 1));
        if (run + 1 < end && ink[run + 1] !== 1) this.#touch(blob, colours.root(run + 1));
      }
    }
  }

  #touch(blob: number, neighbour: number): void {
    const { ground } = this;
    if (ground[blob] === none) ground[blob] = neighbour;
    else if (ground[blob] !== neighbour) ground[blob] = several;
  }

  #reserve(capacity: number): void {
    if (capacity <= this.colour.length) return;
    const larger = Math.max(2 * capacity, 1 << 12);
    this.colours.reserve(larger);
    this.colour = grown(this.colour, larger);
    this.ink = grown(this.ink, larger);
    this.largest = grown(this.largest, larger);
    this.ground = grown(this.ground, larger);
    this.#from = grown(this.#from, larger);
    this.#to = grown(this.#to, larger);
  }
}

function alike(a: number, b: number): boolean {
  return (
    Math.abs((a >> 16) - (b >> 16)) <= tolerance &&
    Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)) <= tolerance &&
    Math.abs((a & 255) - (b & 255)) <= tolerance
  );
}

/** Compares the pixels at two places. */
function near(pixels: Uint8Array, first: number, second: number): boolean {
  const a = 3 * first;
  const b = 3 * second;
  return (
    Math.abs(pixels[a]! - pixels[b]!) <= tolerance &&
    Math.abs(pixels[a + 1]! - pixels[b + 1]!) <= tolerance &&
    Math.abs(pixels[a + 2]! - pixels[b + 2]!) <= tolerance
  );
}
