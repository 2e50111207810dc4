import type { Random } from '../../family/random.js';
import { type Plane, beside, opposite, sides } from '../rules/sides.js';

/** Draws a spanning tree as ends per cell, at most three each. */
export function spanningTree(random: Random, net: Plane, source: number): number[] {
  const tree = new Array<number>(net.columns * net.rows).fill(0);
  const growing = [source];
  const isFull = (place: number) => sides.filter((side) => (tree[place] ?? 0) & side).length >= 3;
  while (growing.length > 0) {
    const index = random.chance(0.75) ? growing.length - 1 : random.between(0, growing.length - 1);
    const place = growing[index] ?? source;
    const ways = sides.filter((side) => {
      const neighbour = beside(net, place, side);
      return neighbour !== undefined && neighbour !== source && tree[neighbour] === 0;
    });
    const direction = ways[random.between(0, ways.length - 1)];
    const neighbour = direction && beside(net, place, direction);
    if (direction === undefined || neighbour === undefined || isFull(place)) {
      growing.splice(index, 1);
      continue;
    }
    tree[place] = (tree[place] ?? 0) | direction;
    tree[neighbour] = (tree[neighbour] ?? 0) | opposite(direction);
    growing.push(neighbour);
  }
  return tree;
}
