import { grad, numpy as np } from '@jax-js/jax';
import { expect } from 'vitest';
import { compile, type Executable } from '../runtime/executable.js';
import { gradients } from './gradients.js';
import { Graph, type Backend, type Tensor } from './graph.js';
import { add, mul, sum } from './ops.js';
import { Random } from '../random.js';
import { sizeOf } from './shape.js';

export type JaxArray = np.Array;

export interface Sample {
  shapes: number[][];
  ours(...xs: Tensor[]): Tensor;
  /** jax-js counts references: a value used twice is `.ref` once. */
  theirs(...xs: JaxArray[]): JaxArray;
  /** 'apart': distinct and nonzero, for operators with kinks. Default [-2, 2]. */
  range?: readonly [number, number] | 'apart';
  /** jax-js 0.1.25's logarithms are off by 8e-6. */
  logarithmic?: boolean;
  stopped?: boolean;
}

/**
 * Compares values and gradients with jax-js, to 1e-5 of the largest or of 0.3, and derivatives with finite differences.
 * WebGPU graphs run on the CPU.
 */
export async function compareWithJax(sample: Sample, backend: Backend, seed: number): Promise<void> {
  const { shapes, ours, theirs, range = [-2, 2], logarithmic = false, stopped = false } = sample;
  const random = new Random(seed);
  const normals = (shape: readonly number[]) => Float32Array.from({ length: sizeOf(shape) }, () => random.normal());
  const { values, step } = draw(shapes, range, random);

  const graph = new Graph({ backend });
  const xs = shapes.map((shape, i) => graph.input(`x${i}`, shape));
  const y = ours(...xs);
  const weights = [normals(y.shape)];
  const gs = gradients(weighted([y], weights), xs);
  const gWeights = shapes.map(normals);
  const hs = gradients(weighted(gs, gWeights), xs);
  const named = (name: string, tensors: readonly Tensor[]) =>
    tensors.map((tensor, i) => [`${name}${i}`, tensor] as const);
  const outputs = Object.fromEntries([...named('y', [y]), ...named('g', gs), ...named('h', hs)]);
  const executable = await compile(outputs, { threads: 1, backend: 'cpu' });
  try {
    const out = await run(executable, values);
    const jax = () => values.map((array, i) => np.array(array).reshape(shapes[i]!));
    const reference = theirs(...jax());
    expect(reference.shape).toEqual(y.shape);
    const allowance = logarithmic ? 1e-5 : 0;
    expectClose('value', out('y', 1), [await reference.data()], allowance);
    const loss = (...arrays: JaxArray[]) =>
      np.sum(np.multiply(theirs(...arrays), np.array(weights[0]!).reshape([...y.shape])));
    const expected = grad(loss, { argnums: shapes.map((_, i) => i) })(...jax());
    const slopes = (await Promise.all(expected.map((g) => g.data()))) as Float32Array[];
    expectClose('gradient', out('g', xs.length), slopes, allowance);

    if (stopped) return;
    const direction = values.map((array) => Float32Array.from(array, () => 2 * random.next() - 1));
    const along = (name: string, by: readonly Float32Array[], place: readonly Float32Array[]) =>
      run(executable, place).then((found) => dot(found(name, by.length), by));
    const moved = (h: number) => values.map((array, i) => array.map((v, j) => v + h * direction[i]![j]!));
    for (const [name, by, derivative] of [
      ['y', weights, dot(out('g', xs.length), direction)],
      ['g', gWeights, dot(out('h', xs.length), direction)],
    ] as const) {
      // Intermediate values are about 1.
      const size =
        magnitude(out(name, by.length), by) +
        magnitude(
          by,
          by.map((array) => array.map(() => 1)),
        );
      const errors: { h: number; error: number }[] = [];
      for (const h of [step, step / 2, step / 4, step / 8]) {
        const difference = (await along(name, by, moved(h))) - (await along(name, by, moved(-h)));
        errors.push({ h, error: Math.abs(difference / (2 * h) - derivative) });
      }
      expectSecondOrder(name === 'y' ? 'first derivative' : 'second derivative', errors, size);
    }
  } finally {
    await executable.release();
  }
}

function weighted(xs: readonly Tensor[], weights: readonly Float32Array[]): Tensor {
  return xs.map((x, i) => sum(mul(x, x.graph.constant(weights[i]!, x.shape)))).reduce((a, b) => add(a, b));
}

function draw(shapes: number[][], range: NonNullable<Sample['range']>, random: Random) {
  const sizes = shapes.map(sizeOf);
  if (range !== 'apart') {
    const [low, high] = range;
    return {
      values: sizes.map((size) => Float32Array.from({ length: size }, () => low + (high - low) * random.next())),
      step: 0.1,
    };
  }
  const total = sizes.reduce((a, b) => a + b, 0);
  const spacing = 4 / total;
  const places = random.shuffle(Array.from({ length: total }, (_, i) => (i + 0.25 - total / 2) * spacing));
  return { values: sizes.map((size) => Float32Array.from(places.splice(0, size))), step: spacing / 5 };
}

async function run(executable: Executable, values: readonly Float32Array[]) {
  const out = await executable.run(Object.fromEntries(values.map((array, i) => [`x${i}`, array])));
  return (name: string, count: number) => Array.from({ length: count }, (_, i) => out[`${name}${i}`] as Float32Array);
}

function expectClose(
  label: string,
  actual: readonly Float32Array[],
  reference: readonly ArrayLike<number>[],
  allowance: number,
): void {
  for (const [i, array] of reference.entries()) {
    const values = Array.from(array);
    expect(actual[i]!.length).toBe(values.length);
    const largest = Math.max(0.3, ...values.map(Math.abs));
    const difference = Math.max(...values.map((value, j) => Math.abs(value - actual[i]![j]!)));
    expect(difference, `${label} ${i} differs by`).toBeLessThan(1e-5 * largest + allowance);
  }
}

/** The error must fall with the square of the step, or be within rounding. */
function expectSecondOrder(label: string, errors: readonly { h: number; error: number }[], size: number): void {
  const curvature = Math.max(...errors.slice(0, 2).map(({ h, error }) => error / h ** 2));
  for (const { h, error } of errors.slice(2)) {
    const noise = (1e-6 * size) / h;
    expect(error, `${label} at a step of ${h}`).toBeLessThan(1.5 * curvature * h ** 2 + noise);
  }
}

function dot(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  return a.reduce((total, array, i) => array.reduce((sum, value, j) => sum + value * b[i]![j]!, total), 0);
}

function magnitude(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  return dot(
    a.map((array) => array.map(Math.abs)),
    b.map((array) => array.map(Math.abs)),
  );
}
