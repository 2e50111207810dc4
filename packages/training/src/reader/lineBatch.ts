import type { Feed, Random } from '@gyre/engine';
import { Strips, slotWidth } from '@gyre/reader';
import type { CutLine } from './linePage.js';

/** Sizes of a batch. */
export interface BatchShape {
  readonly strips: number;
  readonly stripWidth: number;
  /** Characters that are classified; more are left out by chance. */
  readonly places: number;
}

/** A character's centre is taken up to this far into the neighbouring slot: decoding may choose either one. */
const slack = 0.3;

/**
 * Fills strips with lines and returns the recogniser's inputs and targets. Lines without room are left out.
 * @param classes of each character; lines with others are left out
 */
export function lineBatch(
  lines: readonly CutLine[],
  { shape, classes, random }: { shape: BatchShape; classes: ReadonlyMap<string, number>; random: Random },
): Record<string, Feed> {
  const strips = new Strips(shape.strips, shape.stripWidth);
  const slots = shape.stripWidth / slotWidth;
  const targets = new Float32Array(shape.strips * slots);
  const labels: (readonly [place: number, character: number])[] = [];
  for (const line of lines) {
    if (line.width > shape.stripWidth || !line.characters.every((char) => classes.has(char))) continue;
    const place = strips.place(line);
    if (!place) continue;
    for (const [i, char] of line.characters.entries()) {
      const centre = (line.centres[i]! + place.x) / slotWidth;
      const slot = (value: number): number => place.row * slots + Math.min(Math.max(Math.floor(value), 0), slots - 1);
      targets[slot(centre)] = 1;
      labels.push([slot(centre + (2 * random.next() - 1) * slack), classes.get(char)!]);
    }
  }
  const chosen = random.shuffle(labels).slice(0, shape.places);
  const places = new Int32Array(shape.places);
  const characters = new Int32Array(shape.places);
  const weights = new Float32Array(shape.places);
  for (const [i, [place, character]] of chosen.entries()) {
    places[i] = place;
    characters[i] = character;
    weights[i] = 1 / chosen.length;
  }
  return { ink: strips.pixels, targets, places, characters, weights };
}
