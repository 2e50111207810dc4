import type { Random } from '../../family/random.js';
import { type Plane, type Side, beside, opposite, sides, stepOf } from './sides.js';

/* A pipe tile is a bit set of its ends, as in `sides`. */

/** Turns clockwise. */
export const turned = (ends: number, quarters = 1): number => ((ends << quarters) | (ends >> (4 - quarters))) & 15;

/** Returns a form equal for all turns. */
export const kindOf = (ends: number): number => Math.min(...[0, 1, 2, 3].map((quarters) => turned(ends, quarters)));

/** Returns whether an end meets the neighbour's. */
export function isConnected(net: Plane, tiles: readonly number[], place: number, side: Side): boolean {
  if (!((tiles[place] ?? 0) & side)) return false;
  const neighbour = beside(net, place, side);
  return neighbour !== undefined && ((tiles[neighbour] ?? 0) & opposite(side)) !== 0;
}

/** Includes the first, nearest first. */
export function connectedTiles(net: Plane, tiles: readonly number[], first: number): number[] {
  const seen = new Set([first]);
  for (const place of seen) {
    for (const side of sides) {
      const neighbour = beside(net, place, side);
      if (neighbour !== undefined && isConnected(net, tiles, place, side)) seen.add(neighbour);
    }
  }
  return [...seen];
}

/** Turns `places` randomly, in place. */
export function rotateRandomly(random: Random, tiles: readonly number[], places: Iterable<number>): number[] {
  const after = [...tiles];
  for (const place of places) after[place] = turned(after[place] ?? 0, random.between(1, 3));
  return after;
}

/** Corners are arcs. */
export function tracePipe(pen: CanvasRenderingContext2D, ends: number, x: number, y: number, side: number): void {
  const half = side / 2;
  const corner = sides.find((end) => ends === (end | turned(end)));
  if (corner !== undefined) {
    const [across, down] = [corner === 1 || corner === 2 ? half : -half, corner === 2 || corner === 4 ? half : -half];
    const from = { 1: Math.PI / 2, 2: Math.PI, 4: -Math.PI / 2, 8: 0 }[corner];
    pen.moveTo(x + across + half * Math.cos(from), y + down + half * Math.sin(from));
    pen.arc(x + across, y + down, half, from, from + Math.PI / 2);
    return;
  }
  for (const end of sides) {
    if (!(ends & end)) continue;
    const [across, down] = stepOf(end);
    pen.moveTo(x, y);
    pen.lineTo(x + across * half, y + down * half);
  }
}
