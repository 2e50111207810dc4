import { describe, expect, it } from 'vitest';
import { compile } from '../runtime/executable.js';
import { Graph, type Tensor } from './graph.js';
import * as ops from './ops.js';
import { Random } from '../random.js';

interface Product {
  m: number;
  k: number;
  n: number;
  transposeA?: boolean;
  transposeB?: boolean;
  scale?: number;
  biased?: boolean;
  batched?: boolean;
}

/** Products whose last bits depend on the number of threads. */
const unsteady: Product[] = [
  { m: 64, k: 129, n: 129, transposeB: true },
  { m: 40, k: 512, n: 96, transposeB: true, scale: 0.25 },
  { m: 5, k: 4096, n: 31 },
  { m: 96, k: 2048, n: 100, transposeA: true },
  { m: 32, k: 2048, n: 64, transposeA: true, transposeB: true },
  { m: 33, k: 520, n: 96, biased: true },
  { m: 7, k: 256, n: 100, biased: true },
  { m: 8, k: 512, n: 192, biased: true },
  { m: 37, k: 2691, n: 1 },
  { m: 37, k: 2691, n: 1, biased: true },
  { m: 40, k: 512, n: 96, batched: true },
];

const lengths = [1, 2, 3, 8, 16, 17, 33, 48, 64, 65, 100, 129, 200, 384];
const random = new Random(1);
const pick = () => lengths[random.int(lengths.length)]!;
const drawn = Array.from({ length: 40 }, (): Product => {
  const flip = () => random.int(2) === 1;
  const biased = flip();
  return { m: pick(), k: 4 * pick(), n: pick(), ...(biased ? { biased } : { transposeA: flip(), transposeB: flip() }) };
});

const products = [...unsteady, ...drawn];
const draw = (size: number) => Float32Array.from({ length: size }, () => random.normal());
const feeds = Object.fromEntries(
  products.flatMap(({ m, k, n }, i) => [
    [`a${i}`, draw(m * k)],
    [`b${i}`, draw(k * n)],
    [`c${i}`, draw(n)],
  ]),
);

async function outputs(threads: number): Promise<Float32Array[]> {
  const graph = new Graph();
  const tensors: Record<string, Tensor> = {};
  for (const [i, { m, k, n, biased, batched, ...options }] of products.entries()) {
    const axes = (rows: number, columns: number) => [...(batched ? [1] : []), rows, columns];
    const a = graph.input(`a${i}`, options.transposeA ? axes(k, m) : axes(m, k));
    const b = graph.input(`b${i}`, options.transposeB ? axes(n, k) : axes(k, n));
    tensors[`y${i}`] = biased ? ops.linear(a, b, graph.input(`c${i}`, [n])) : ops.matmul(a, b, options);
  }
  const executable = await compile(tensors, { threads });
  const fed = Object.fromEntries(executable.inputs.map(({ name }) => [name, feeds[name]!]));
  const results = await executable.run(fed);
  await executable.release();
  return products.map((_, i) => results[`y${i}`] as Float32Array);
}

describe('matrix products', () => {
  it('have the same bits with one thread and with more', async () => {
    const single = await outputs(1);
    for (const threads of [2, 3]) {
      const several = await outputs(threads);
      const differing = products.filter((_, i) => !single[i]!.every((value, place) => value === several[i]![place]));
      expect(differing).toEqual([]);
    }
  });

  it('are those of the definition', async () => {
    const wrong: Product[] = [];
    for (const [i, y] of (await outputs(2)).entries()) {
      const { m, k, n, transposeA, transposeB, scale = 1, biased } = products[i]!;
      const [a, b, c] = [feeds[`a${i}`]!, feeds[`b${i}`]!, feeds[`c${i}`]!];
      for (const [row, column] of [
        [0, 0],
        [m - 1, n - 1],
        [m >> 1, n >> 1],
      ] as const) {
        let sum = biased ? c[column]! : 0;
        for (let j = 0; j < k; j++) {
          sum += scale * a[transposeA ? j * m + row : row * k + j]! * b[transposeB ? column * k + j : j * n + column]!;
        }
        if (!(Math.abs(y[row * n + column]! - sum) < 1e-5 * k)) wrong.push(products[i]!);
      }
    }
    expect(wrong).toEqual([]);
  });
});
