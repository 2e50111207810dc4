import { expect, test } from 'vitest';
import { makeFillLevel } from './level.js';
import { fullLines } from './rules.js';
import { hexLattice } from '../hexFrvr/rules.js';
import { woodLattice } from '../woodBlocks3d/rules.js';
import { Random } from '../../family/random.js';

test.each([
  { board: 'square', lattice: woodLattice(8), side: 8 },
  { board: 'hexagonal', lattice: hexLattice(4), side: 4 },
])(
  'a level on a $board board begins with lines that lack a few cells, and with none that is full',
  ({ lattice, side }) => {
    const plan = { side, goal: 3, shapes: [0, 1], begun: 3 };
    for (let seed = 0; seed < 20; seed++) {
      const { cells } = makeFillLevel(new Random(`fill/${seed}`), 1, lattice, plan);
      expect(fullLines(lattice, cells)).toEqual([]);
      const lacking = lattice.lines.map((line) => line.filter((place) => cells[place] === 0).length);
      expect(lacking.filter((count) => count <= 3).length).toBeGreaterThan(0);
    }
  },
);
