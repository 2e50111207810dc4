import { describe, expect, it } from 'vitest';
import { compile } from '../runtime/executable.js';
import { type Precision, frozen, frozenBytes } from './frozen.js';
import { Graph, type Tensor } from './graph.js';
import { ancestors } from './gradients.js';
import * as ops from './ops.js';
import { ParameterStore } from '../runtime/parameters.js';
import { requirePrecision } from '../runtime/precisionSupport.js';
import { Random } from '../random.js';

const specs = [
  { name: 'up', shape: [128, 256], init: { normal: 0.1 } },
  { name: 'bias', shape: [256], init: { normal: 1 } },
  { name: 'down', shape: [256, 128], init: { normal: 0.1 } },
  { name: 'little', shape: [128, 8], init: { normal: 0.1 } },
] as const;

function network(rows: number): { y: Tensor } {
  const graph = new Graph();
  const [up, bias, down, little] = specs.map(({ name, shape }) => graph.parameter(name, shape)) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
  const hidden = ops.relu(ops.linear(graph.input('x', [rows, 128]), up, bias));
  return { y: ops.linear(ops.linear(hidden, down), little) };
}

const random = new Random(2);
const x = Float32Array.from({ length: 5 * 128 }, () => random.normal());
x.subarray(128, 256).fill(0);
for (let i = 256; i < 384; i++) x[i]! *= 1000;

async function results(rows: number, precision: Precision, store: ParameterStore): Promise<number[]> {
  const executable = await compile(
    frozen(network(rows), store, () => precision),
    { threads: 1 },
  );
  expect(executable.parameters).toEqual([]);
  const { y } = await executable.run({ x: x.subarray(0, rows * 128) });
  await executable.release();
  return [...(y as Float32Array)];
}

/** Relative RMS error per row. */
function rowErrors(actual: readonly number[], expected: readonly number[]): number[] {
  const size = (values: readonly number[]) => Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0));
  return Array.from({ length: expected.length / 8 }, (_, row) => {
    const [actualRow, expectedRow] = [actual, expected].map((all) => all.slice(8 * row, 8 * row + 8)) as [
      number[],
      number[],
    ];
    return size(actualRow.map((value, i) => value - expectedRow[i]!)) / size(expectedRow);
  });
}

describe('a frozen graph', () => {
  const store = new ParameterStore(specs, 1);

  it.each([
    ['f32', 1e-6],
    ['w8a8', 0.04],
    ['w4a8', 0.2],
  ] as const)('gives the same as %s, nearly, in every row', async (precision, maxError) => {
    const executable = await compile(network(5), { threads: 1 });
    const { y } = await executable.run({ x }, store);
    await executable.release();
    const errors = rowErrors(await results(5, precision, store), [...(y as Float32Array)]);
    expect(Math.max(...errors)).toBeLessThan(maxError);
    if (precision !== 'f32') expect(Math.max(...errors)).toBeGreaterThan(1e-4);
  });

  it.each(['w8a8', 'w4a8'] as const)('gives a row the same in %s whatever rows are beside it', async (precision) => {
    const alone = await results(1, precision, store);
    const together = await results(5, precision, store);
    for (const [i, value] of alone.entries()) expect(together[i]).toBeCloseTo(value, 4);
  });

  it('quantises large products of activations alone', () => {
    const graph = new Graph();
    const up = graph.parameter('up', [128, 256]);
    const fixed = ops.linear(graph.constant(x.subarray(0, 128), [1, 128]), up);
    const little = ops.linear(graph.input('x', [1, 128]), graph.parameter('little', [128, 8]));
    const y = ops.concat([fixed, little], 1);
    const count = (outputs: Record<string, Tensor>) =>
      ancestors(...Object.values(frozen(outputs, store, () => 'w8a8'))).filter(({ op }) => op === 'MatMulInteger')
        .length;
    expect([count({ y }), count(network(3))]).toEqual([0, 2]);
  });

  it('says how many bytes its weights take', () => {
    const { y } = network(1);
    const rest = 4 * (256 + 128 * 8);
    expect(frozenBytes([y], () => 'f32')).toBe(4 * 2 * 128 * 256 + rest);
    expect(frozenBytes([y], () => 'w8a8')).toBe(2 * 128 * 256 + 4 * (128 + 256) + rest);
    expect(frozenBytes([y], () => 'w4a8')).toBe((2 * 128 * 256 * (16 + 4)) / 32 + rest);
  });

  it('is refused where the runtime lacks its products, or gets them wrong', async () => {
    for (const precision of ['f32', 'w8a8', 'w4a8'] as const) await requirePrecision(precision);
    const lacking = requirePrecision('w4a8', () => Promise.reject(new Error('no MatMulNBits')));
    await expect(lacking).rejects.toMatchObject({ code: 'missing', detail: { field: 'frozen' } });
    const wrong = requirePrecision('w8a8', () => Promise.resolve(new Float32Array(128).fill(64)));
    await expect(wrong).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'frozen' } });
  });
});
