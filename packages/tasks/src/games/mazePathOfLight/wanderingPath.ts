import type { Random } from '../../family/random.js';
import { type Plane, beside, sides } from '../rules/sides.js';

/**
 * A random path over all places of a grid. Begins with one that goes to and fro, and again and again joins an end to a place beside it
 * and cuts the loop that this makes (the backbite move of Mansfield, 1982).
 */
export function wanderingPath(random: Random, plane: Plane): number[] {
  const { columns, rows } = plane;
  let path = Array.from({ length: columns * rows }, (_, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    return row * columns + (row % 2 === 0 ? column : columns - 1 - column);
  });
  for (let round = 0; round < 12 * path.length; round++) {
    if (random.chance(0.5)) path.reverse();
    const end = path.at(-1) ?? 0;
    const other = beside(plane, end, random.pick(sides));
    const at = other === undefined ? -1 : path.indexOf(other);
    if (at < 0 || at >= path.length - 2) continue;
    path = [...path.slice(0, at + 1), ...path.slice(at + 1).reverse()];
  }
  return path;
}
