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
    this.#link(this.colours, this.colour, size.height, tolerance);
    this.#separate(size.height);
    this.#link(this.blobs, this.ink, size.height, 0);
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

  /** Joins neighbouring runs whose non-negative keys are alike. */
  #link(forest: Forest, keys: Int32Array, height: number, slack: number): void {
    const [from, to, rowStart] = [this.#from, this.#to, this.#rowStart];
    for (let y = 0; y < height; y++) {
      const first = rowStart[y]!;
      const end = rowStart[y + 1]!;
      let above = y > 0 ? rowStart[y - 1]! : first;
      for (let run = first; run < end; run++) {
        const key = keys[run]!;
        const left = from[run]!;
        const right = to[run]!;
        // Ends are exclusive: equal numbers touch at a corner.
        while (above < first && to[above]! < left) above++;
        if (key < 0) continue;
        if (run > first && alike(keys[run - 1]!, key, slack)) forest.join(run - 1, run);
        for (let other = above; other < first && from[other]! <= right; other++) {
          if (alike(keys[other]!, key, slack)) forest.join(other, run);
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

function alike(a: number, b: number, slack: number): boolean {
  if (a === b) return true;
  if (slack === 0 || a < 0) return false;
  return (
    Math.abs((a >> 16) - (b >> 16)) <= slack &&
    Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)) <= slack &&
    Math.abs((a & 255) - (b & 255)) <= slack
  );
}
