import type { Random } from '../../family/random.js';
import { type Plane, beside, opposite, sides } from '../rules/sides.js';

/** Draws a spanning tree as ends per cell, at most three each. */
export function spanningTree(random: Random, net: Plane, source: number): number[] {
  const tree = new Array<number>(net.columns * net.rows).fill(0);
  const growing = [source];
  const isFull = (place: number) => sides.filter((side) => (tree[place] ?? 0) & side).length >= 3;
  while (growing.length > 0) {
    const at = random.chance(0.75) ? growing.length - 1 : random.between(0, growing.length - 1);
    const place = growing[at] ?? source;
    const ways = sides.filter((side) => {
      const other = beside(net, place, side);
      return other !== undefined && other !== source && tree[other] === 0;
    });
    const way = ways[random.between(0, ways.length - 1)];
    const other = way && beside(net, place, way);
    if (way === undefined || other === undefined || isFull(place)) {
      growing.splice(at, 1);
      continue;
    }
    tree[place] = (tree[place] ?? 0) | way;
    tree[other] = (tree[other] ?? 0) | opposite(way);
    growing.push(other);
  }
  return tree;
}
