import type { Random } from '../../family/random.js';
import { type Plane, beside, sides } from '../rules/sides.js';

/**
 * Draws a random Hamiltonian path by backbite moves, which join an end to a neighbour and cut the resulting loop
 * (Mansfield, 1982).
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
    const neighbour = beside(plane, end, random.pick(sides));
    const index = neighbour === undefined ? -1 : path.indexOf(neighbour);
    if (index < 0 || index >= path.length - 2) continue;
    path = [...path.slice(0, index + 1), ...path.slice(index + 1).reverse()];
  }
  return path;
}
