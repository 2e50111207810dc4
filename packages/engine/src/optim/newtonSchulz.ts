import { ExecutableCache } from '../runtime/executableCache.js';
import { Graph, type Tensor } from '../tensor/graph.js';
import { add, matmul, mul } from '../tensor/ops.js';

/** A row-major matrix, changed in place. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

const iterations = 5;
/** Coefficients of the quintic of Jordan et al. 2024: singular values from 0.02 to 1 come between 0.68 and 1.13. */
const [a, b, c] = [3.4445, -4.775, 2.0315];

/**
 * Replaces matrices by their nearest semi-orthogonal ones, approximately, by Newton-Schulz iterations. One graph serves
 * all matrices of a shape and its transpose.
 */
export class NewtonSchulz {
  readonly #graphs: ExecutableCache;

  constructor(options: { threads: number }) {
    this.#graphs = new ExecutableCache(options);
  }

  async orthogonalise(matrices: readonly Matrix[]): Promise<void> {
    const groups = new Map<string, Matrix[]>();
    for (const matrix of matrices) {
      const { short, long } = sidesOf(matrix);
      const key = `${short} ${long}`;
      groups.set(key, [...(groups.get(key) ?? []), matrix]);
    }
    for (const [key, group] of groups) {
      const { short, long } = sidesOf(group[0]!);
      const size = short * long;
      const batch = new Float32Array(group.length * size);
      for (const [i, matrix] of group.entries()) pack(matrix, batch.subarray(i * size, (i + 1) * size));
      const result = new Float32Array(batch.length);
      await this.#graphs.use(
        `${group.length} ${key}`,
        () => ({ x: iterated(new Graph().input('x', [group.length, short, long])) }),
        (graph) => graph.run({ x: batch }, undefined, { x: result }),
      );
      for (const [i, matrix] of group.entries()) unpack(result.subarray(i * size, (i + 1) * size), matrix);
    }
  }

  close(): Promise<void> {
    return this.#graphs.close();
  }
}

/** Maps [n, short, long] to the same shape: five times X := (a I + b A + c A A) X, with A = X X'. */
function iterated(x: Tensor): Tensor {
  const short = x.shape[1]!;
  const diagonal = Float32Array.from({ length: short * short }, (_, i) => (i % (short + 1) === 0 ? a : 0));
  const identity = x.graph.constant(diagonal, [short, short]);
  for (let i = 0; i < iterations; i++) {
    const square = matmul(x, x, { transposeB: true });
    const factor = add(add(matmul(square, square, { scale: c }), mul(square, b)), identity);
    x = matmul(factor, x);
  }
  return x;
}

function sidesOf({ rows, columns }: Matrix): { short: number; long: number } {
  return { short: Math.min(rows, columns), long: Math.max(rows, columns) };
}

/** Writes the matrix with its short side first, divided by its Frobenius norm, so that no singular value exceeds 1. */
function pack({ rows, columns, data }: Matrix, into: Float32Array): void {
  let squares = 0;
  for (let i = 0; i < data.length; i++) squares += data[i]! * data[i]!;
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  if (rows <= columns) {
    for (let i = 0; i < data.length; i++) into[i] = scale * data[i]!;
    return;
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) into[column * rows + row] = scale * data[row * columns + column]!;
  }
}

function unpack(from: Float32Array, { rows, columns, data }: Matrix): void {
  if (rows <= columns) {
    data.set(from);
    return;
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) data[row * columns + column] = from[column * rows + row]!;
  }
}
