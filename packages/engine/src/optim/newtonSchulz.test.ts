import { afterAll, describe, expect, it } from 'vitest';
import { Random } from '../random.js';
import { NewtonSchulz, type Matrix } from './newtonSchulz.js';

const newtonSchulz = new NewtonSchulz({ threads: 1 });
afterAll(() => newtonSchulz.close());

function randomMatrix(rows: number, columns: number, seed: number): Matrix {
  const random = new Random(seed);
  return { rows, columns, data: Float32Array.from({ length: rows * columns }, () => 3 * random.normal()) };
}

type Rows = number[][];
const rowsOf = ({ columns, data }: Matrix): Rows =>
  Array.from({ length: data.length / columns }, (_, i) => [...data.subarray(i * columns, (i + 1) * columns)]);
const transposed = (x: Rows): Rows => x[0]!.map((_, j) => x.map((row) => row[j]!));
const product = (x: Rows, y: Rows): Rows =>
  x.map((row) => transposed(y).map((column) => row.reduce((sum, value, k) => sum + value * column[k]!, 0)));

/** Follows algorithm 2 of Jordan et al. 2024 in 64 bits. */
function reference(matrix: Matrix): Rows {
  const wide = matrix.rows <= matrix.columns;
  const start = wide ? rowsOf(matrix) : transposed(rowsOf(matrix));
  const norm = Math.hypot(...matrix.data);
  let x = start.map((row) => row.map((value) => value / norm));
  for (let i = 0; i < 5; i++) {
    const a = product(x, transposed(x));
    const aa = product(a, a);
    const b = a.map((row, r) => row.map((value, c) => -4.775 * value + 2.0315 * aa[r]![c]!));
    const bx = product(b, x);
    x = x.map((row, r) => row.map((value, c) => 3.4445 * value + bx[r]![c]!));
  }
  return wide ? x : transposed(x);
}

describe('Newton-Schulz iterations', () => {
  it('follow the reference, for wide, tall and square matrices in one call', async () => {
    const matrices = [randomMatrix(6, 20, 1), randomMatrix(20, 6, 2), randomMatrix(6, 20, 3), randomMatrix(16, 16, 4)];
    const expected = matrices.map(reference);
    await newtonSchulz.orthogonalise(matrices);
    for (const [i, matrix] of matrices.entries()) {
      for (const [r, row] of rowsOf(matrix).entries()) {
        for (const [c, value] of row.entries()) expect(Math.abs(value - expected[i]![r]![c]!)).toBeLessThan(1e-4);
      }
    }
  });

  it('bring the singular values near 1', async () => {
    const matrix = randomMatrix(24, 64, 5);
    await newtonSchulz.orthogonalise([matrix]);
    const rows = rowsOf(matrix);
    const square = product(rows, transposed(rows));
    for (const [r, row] of square.entries()) {
      for (const [c, value] of row.entries()) expect(Math.abs(value - (r === c ? 1 : 0))).toBeLessThan(0.5);
    }
  });

  it('do not depend on the scale, and leave zeros at zero', async () => {
    const large = randomMatrix(8, 12, 6);
    const small = { ...large, data: large.data.map((value) => value * 2 ** -30) };
    const zero = { ...large, data: new Float32Array(96) };
    await newtonSchulz.orthogonalise([large, small, zero]);
    expect(small.data).toEqual(large.data);
    expect(zero.data).toEqual(new Float32Array(96));
  });
});
