import { defaultDevice, grad, init, lax, nn, numpy as np } from '@jax-js/jax';
import { beforeAll, describe, expect, it } from 'vitest';
import { GyreError } from '@gyre/protocol';
import { compile } from './executable.js';
import { gradients } from './gradients.js';
import { Graph, type Tensor } from './graph.js';
import * as ops from './ops.js';
import { Random } from './random.js';
import { broadcast, sizeOf } from './shape.js';

type JaxArray = np.Array;

interface Case {
  name: string;
  /** Shapes of the float32 inputs. */
  shapes: number[][];
  ours(...xs: Tensor[]): Tensor;
  /** The same in jax-js, which counts references: a value used twice is `.ref` once. */
  theirs(...xs: JaxArray[]): JaxArray;
  /** Where inputs are drawn from, if not -2..2. */
  range?: [number, number];
}

const ids = Int32Array.of(0, 3, 3, 1, 0, 2);
const idsOf = (graph: Graph, shape: number[]) => graph.constant(ids.subarray(0, sizeOf(shape)), shape);
const jaxIds = (shape: number[]) => np.array([...ids.subarray(0, sizeOf(shape))], { dtype: np.int32 }).reshape(shape);
const manyIds = Int32Array.of(700, 3, 599, 3, 700, 700);
const swapLast = (x: JaxArray) => np.swapaxes(x, -1, -2);

const unary = (name: string, ours: Case['ours'], theirs: Case['theirs'], range?: [number, number]): Case => ({
  name,
  shapes: [[3, 4]],
  ours,
  theirs,
  ...(range ? { range } : {}),
});

const broadcasts: [string, number[], number[]][] = [
  ['equal shapes', [2, 3], [2, 3]],
  ['a row', [2, 3], [3]],
  ['a column and a row', [2, 1], [1, 3]],
  ['more axes on the right', [3], [2, 2, 3]],
  ['a scalar', [2, 3], []],
];
const binary = (name: string, ours: Case['ours'], theirs: Case['theirs'], range?: [number, number]): Case[] =>
  broadcasts.map(([how, a, b]) => ({
    name: `${name}, ${how}`,
    shapes: [a, b],
    ours,
    theirs,
    ...(range ? { range } : {}),
  }));

const cases: Case[] = [
  ...binary('add', ops.add, np.add),
  ...binary('sub', ops.sub, np.subtract),
  ...binary('mul', ops.mul, np.multiply),
  ...binary('div', ops.div, np.trueDivide, [0.5, 2]),
  ...binary('minimum', ops.minimum, np.minimum),
  ...binary('maximum', ops.maximum, np.maximum),
  unary(
    'add a number',
    (x) => ops.add(x, 2),
    (x) => np.add(x, 2),
  ),
  unary(
    'a number less x',
    (x) => ops.sub(1, x),
    (x) => np.subtract(1, x),
  ),
  unary(
    'a number over x',
    (x) => ops.div(3, x),
    (x) => np.trueDivide(3, x),
    [0.5, 2],
  ),
  unary('neg', ops.neg, np.negative),
  unary('exp', ops.exp, np.exp),
  unary('log', ops.log, np.log, [0.2, 3]),
  unary('sqrt', ops.sqrt, np.sqrt, [0.2, 3]),
  unary('square', ops.square, np.square),
  unary(
    'pow 3',
    (x) => ops.pow(x, 3),
    (x) => np.multiply(np.square(x.ref), x),
  ),
  unary(
    'pow -0.5',
    (x) => ops.pow(x, -0.5),
    (x) => np.trueDivide(1, np.sqrt(x)),
    [0.3, 3],
  ),
  unary('tanh', ops.tanh, np.tanh),
  unary('sigmoid', ops.sigmoid, nn.sigmoid),
  unary('erf', ops.erf, lax.erf),
  unary('gelu', ops.gelu, (x) => nn.gelu(x, { approximate: false }), [-5, 5]),
  unary('relu', ops.relu, nn.relu),
  unary(
    'clip',
    (x) => ops.clip(x, -0.5, 1),
    (x) => np.clip(x, -0.5, 1),
  ),
  {
    name: 'where, with one branch broadcast',
    shapes: [[3, 4], [4]],
    ours: (a, b) => ops.where(ops.greater(a, 0.3), a, b),
    theirs: (a, b) => np.where(np.greater(a.ref, 0.3), a, b),
  },
  {
    name: 'where, with a causal mask',
    shapes: [[2, 3, 3]],
    ours: (x) => ops.where(ops.greater(x.graph.constant([1, 0, 0, 1, 1, 0, 1, 1, 1], [3, 3]), 0.5), x, -9),
    theirs: (x) => np.where(np.tri(3, 3, 0, { dtype: np.bool }), x, -9),
  },
  unary(
    'stopGradient',
    (x) => ops.mul(ops.stopGradient(x), x),
    (x) => np.multiply(lax.stopGradient(x.ref), x),
  ),
  unary(
    'reshape',
    (x) => ops.reshape(x, [2, -1]),
    (x) => np.reshape(x, [2, 6]),
  ),
  {
    name: 'transpose',
    shapes: [[2, 3, 4]],
    ours: (x) => ops.transpose(x, [2, 0, 1]),
    theirs: (x) => np.transpose(x, [2, 0, 1]),
  },
  { name: 'slice', shapes: [[2, 5]], ours: (x) => ops.slice(x, 1, 1, 4), theirs: (x) => x.slice([], [1, 4]) },
  {
    name: 'pad',
    shapes: [[2, 3]],
    ours: (x) => ops.pad(x, 0, 1, 2),
    theirs: (x) =>
      np.pad(x, [
        [1, 2],
        [0, 0],
      ]),
  },
  {
    name: 'concat',
    shapes: [
      [2, 1],
      [2, 3],
      [2, 2],
    ],
    ours: (...xs) => ops.concat(xs, -1),
    theirs: (...xs) => np.concatenate(xs, -1),
  },
  {
    name: 'split, of which one part is not used',
    shapes: [[2, 6]],
    ours: (x) => {
      const [a, , c] = ops.split(x, 1, [2, 2, 2]);
      return ops.mul(a!, c!);
    },
    theirs: (x) => np.multiply(x.ref.slice([], [0, 2]), x.slice([], [4, 6])),
  },
  {
    name: 'expand',
    shapes: [[3, 1]],
    ours: (x) => ops.expand(x, [2, 3, 4]),
    theirs: (x) => np.broadcastTo(x, [2, 3, 4]),
  },
  unary(
    'sum of all',
    (x) => ops.sum(x),
    (x) => np.sum(x),
  ),
  unary(
    'sum of rows',
    (x) => ops.sum(x, [0]),
    (x) => np.sum(x, 0),
  ),
  unary(
    'mean of all',
    (x) => ops.mean(x),
    (x) => np.mean(x),
  ),
  unary(
    'mean, axis kept',
    (x) => ops.mean(x, [-1], { keepDims: true }),
    (x) => np.mean(x, -1, { keepdims: true }),
  ),
  unary(
    'max',
    (x) => ops.max(x, 1),
    (x) => np.max(x, 1),
  ),
  unary('softmax', ops.softmax, (x) => nn.softmax(x, -1)),
  unary('logSoftmax', ops.logSoftmax, (x) => nn.logSoftmax(x, -1)),
  {
    name: 'layerNorm',
    shapes: [[2, 3, 5], [5], [5]],
    ours: (x, gamma, beta) => ops.layerNorm(x, gamma!, beta!),
    theirs: (x, gamma, beta) => np.add(np.multiply(nn.standardize(x, -1, { epsilon: 1e-5 }), gamma!), beta!),
  },
  {
    name: 'linear with bias',
    shapes: [[2, 3, 4], [4, 5], [5]],
    ours: ops.linear,
    theirs: (x, w, b) => np.add(np.matmul(x, w!), b!),
  },
  { name: 'linear of a vector', shapes: [[4], [4, 5]], ours: ops.linear, theirs: (x, w) => np.matmul(x, w!) },
  ...[false, true].flatMap((transposeA) =>
    [false, true].flatMap((transposeB) =>
      (
        [
          [[], []],
          [
            [2, 3],
            [2, 3],
          ],
          [[2, 3], [3]],
          [
            [2, 1],
            [1, 3],
          ],
          [[2, 3], []],
          [[], [2]],
        ] as [number[], number[]][]
      ).map(([batchA, batchB]): Case => ({
        name: `matmul, batches [${batchA}] and [${batchB}]${transposeA ? ', a transposed' : ''}${transposeB ? ', b transposed' : ''}`,
        shapes: [
          [...batchA, ...(transposeA ? [4, 2] : [2, 4])],
          [...batchB, ...(transposeB ? [3, 4] : [4, 3])],
        ],
        ours: (a, b) => ops.matmul(a, b!, { transposeA, transposeB, scale: transposeA ? 0.5 : 1 }),
        theirs: (a, b) => {
          // jax-js 0.1.25 puts leading axes of different number in another order than numpy: they are made equal first.
          const leading = broadcast('matmul', batchA, batchB);
          const left = np.broadcastTo(transposeA ? swapLast(a) : a, [...leading, 2, 4]);
          const right = np.broadcastTo(transposeB ? swapLast(b!) : b!, [...leading, 4, 3]);
          return np.multiply(np.matmul(left, right), transposeA ? 0.5 : 1);
        },
      })),
    ),
  ),
  {
    name: 'gather, with an id that comes twice',
    shapes: [[5, 3]],
    ours: (table) => ops.gather(table, idsOf(table.graph, [2, 3])),
    theirs: (table) => np.matmul(nn.oneHot(jaxIds([2, 3]), 5), table),
  },
  {
    name: 'gather from a large table',
    shapes: [[701, 2]],
    ours: (table) => ops.gather(table, table.graph.constant(manyIds, [6])),
    theirs: (table) => np.matmul(nn.oneHot(np.array([...manyIds], { dtype: np.int32 }), 701), table),
  },
  {
    name: 'pick',
    shapes: [[2, 3, 4]],
    ours: (x) => ops.pick(x, idsOf(x.graph, [2, 3])),
    theirs: (x) => np.sum(np.multiply(nn.oneHot(jaxIds([2, 3]), 4), x), -1),
  },
  ...[
    { stride: 1, padding: 0, size: 5, kernel: 3 },
    { stride: 1, padding: 1, size: 4, kernel: 3 },
    { stride: 2, padding: 1, size: 6, kernel: 3 },
    { stride: 3, padding: 0, size: 8, kernel: 2 },
  ].map(({ stride, padding, size, kernel }): Case => ({
    name: `conv2d, stride ${stride}, padding ${padding}, ${size} by ${kernel}`,
    shapes: [
      [2, 3, size, size + 1],
      [4, 3, kernel, kernel],
    ],
    ours: (x, w) => ops.conv2d(x, w!, { stride, padding }),
    theirs: (x, w) =>
      lax.convWithGeneralPadding(
        x,
        w!,
        [stride, stride],
        [
          [padding, padding],
          [padding, padding],
        ],
      ),
  })),
];

/** Largest difference, as a share of the largest reference value. */
function difference(found: ArrayLike<number>, reference: ArrayLike<number>): number {
  expect(found.length).toBe(reference.length);
  const scale = Math.max(1e-3, ...Array.from(reference, Math.abs));
  return Math.max(...Array.from(reference, (value, i) => Math.abs(value - found[i]!))) / scale;
}

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

describe.each(['cpu', 'webgpu'] as const)('ops written for %s', (target) => {
  it.each(cases)('$name: forward and gradient agree with jax-js and with finite differences', async (current) => {
    const { shapes, ours, theirs, range: [low, high] = [-2, 2] } = current;
    const random = new Random(7);
    const draw = (size: number) => Float32Array.from({ length: size }, () => low + (high - low) * random.next());
    const values = shapes.map((shape) => draw(sizeOf(shape)));
    // Operators chosen for WebGPU run on the CPU here: the choice is what is tested.
    const graph = new Graph({ target });
    const xs = shapes.map((shape, i) => graph.input(`x${i}`, shape));
    const y = ours(...xs);
    const weights = Float32Array.from({ length: sizeOf(y.shape) }, () => random.normal());
    const loss = ops.sum(ops.mul(y, graph.constant(weights, y.shape)));
    const gs = Object.fromEntries(gradients(loss, xs).map((g, i) => [`g${i}`, g]));
    const executable = await compile({ y, loss, ...gs }, { threads: 1, provider: 'cpu' });
    const feedsOf = (data: Float32Array[]) => Object.fromEntries(data.map((array, i) => [`x${i}`, array]));
    const out = await executable.run(feedsOf(values));

    const jax = () => values.map((array, i) => np.array(array).reshape(shapes[i]!));
    const reference = theirs(...jax());
    expect(reference.shape).toEqual(y.shape);
    expect(difference(out.y!, await reference.data())).toBeLessThan(1e-5);
    const jaxLoss = (...arrays: JaxArray[]) =>
      np.sum(np.multiply(theirs(...arrays), np.array(weights).reshape([...y.shape])));
    const jaxGradients = grad(jaxLoss, { argnums: shapes.map((_, i) => i) })(...jax()) as unknown as JaxArray[];
    for (const [i, g] of jaxGradients.entries()) expect(difference(out[`g${i}`]!, await g.data())).toBeLessThan(1e-5);

    // A kink, or float32 noise, may spoil one step size, but not all of them.
    const direction = values.map((array) => Float32Array.from(array, () => random.normal() / 4));
    const slope = values.reduce((total, _, i) => total + dot(out[`g${i}`] as Float32Array, direction[i]!), 0);
    const errors: number[] = [];
    for (const eps of [1e-1, 3e-2, 1e-2, 3e-3]) {
      const at = async (step: number) =>
        (await executable.run(feedsOf(values.map((array, i) => array.map((v, j) => v + step * direction[i]![j]!)))))
          .loss![0]!;
      errors.push(Math.abs(((await at(eps)) - (await at(-eps))) / (2 * eps) - slope));
    }
    const stopped = current.name === 'stopGradient';
    if (!stopped) expect(Math.min(...errors)).toBeLessThan(5e-3 * Math.max(1, Math.abs(slope)));
    await executable.release();
  });
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

describe('forward values', () => {
  it('compares, combines and casts', async () => {
    const graph = new Graph();
    const a = graph.input('a', [4]);
    const n = graph.input('n', [4], 'int32');
    const bytes = graph.input('bytes', [4], 'uint8');
    const positive = ops.greater(a, 0);
    const executable = await compile({
      and: ops.logicalAnd(positive, ops.less(a, 2)),
      or: ops.logicalOr(positive, ops.equal(n, 2)),
      not: ops.logicalNot(positive),
      floats: ops.cast(bytes, 'float32'),
      whole: ops.add(n, 1),
      hot: ops.oneHot(n, 4),
    });
    const out = await executable.run({
      a: Float32Array.of(-1, 0, 1, 3),
      n: Int32Array.of(0, 1, 2, 3),
      bytes: Uint8Array.of(0, 1, 128, 255),
    });
    expect([...out.and!]).toEqual([0, 0, 1, 0]);
    expect([...out.or!]).toEqual([0, 0, 1, 1]);
    expect([...out.not!]).toEqual([1, 1, 0, 0]);
    expect([...out.floats!]).toEqual([0, 1, 128, 255]);
    expect(out.whole).toEqual(Int32Array.of(1, 2, 3, 4));
    expect([...out.hot!]).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    await executable.release();
  });

  it('a mask of -1e9 gives exactly no weight, and no gradient to what it hides', async () => {
    const graph = new Graph();
    const x = graph.input('x', [1, 3]);
    const y = ops.softmax(ops.add(x, graph.constant([0, 0, -1e9], [3])));
    const [g] = gradients(ops.sum(ops.mul(y, graph.constant([1, 2, 3], [3]))), [x]);
    const executable = await compile({ y, g: g! });
    const out = await executable.run({ x: Float32Array.of(1, 2, 99) });
    expect(out.y![2]).toBe(0);
    expect(out.g![2]).toBe(0);
    await executable.release();
  });
});

describe('shape errors name the operator and the sizes', () => {
  const graph = new Graph();
  const a = graph.input('a', [2, 3]);
  const i = graph.input('i', [2], 'int32');
  it.each<[string, () => unknown, RegExp]>([
    ['add', () => ops.add(a, graph.input('b', [2, 4])), /Add: \[2, 3\] and \[2, 4\]/],
    ['types', () => ops.add(a, i), /Add: operands are float32 and int32/],
    ['matmul', () => ops.matmul(a, a), /MatMul: \[2, 3\] and \[2, 3\]/],
    ['linear', () => ops.linear(a, graph.input('w', [4, 5])), /linear: \[2, 3\] does not fit weights \[4, 5\]/],
    ['reshape', () => ops.reshape(a, [4, -1]), /Reshape: \[2, 3\] does not fit \[4, -1\]/],
    ['transpose', () => ops.transpose(a, [0, 0]), /Transpose: \[0, 0\]/],
    ['slice', () => ops.slice(a, 1, 2, 4), /Slice: 2 to 4 is not within axis 1 of \[2, 3\]/],
    ['axis', () => ops.sum(a, [2]), /ReduceSum: axis 2 does not exist in \[2, 3\]/],
    ['concat', () => ops.concat([a, graph.input('c', [3, 3])], 1), /Concat: float32 \[2, 3\] and float32 \[3, 3\]/],
    ['split', () => ops.split(a, 1, [1, 1]), /Split: parts \[1, 1\]/],
    ['gather', () => ops.gather(a, a), /Gather: ids are float32/],
    ['pick', () => ops.pick(a, graph.input('j', [3], 'int32')), /pick: ids \[3\] do not fit \[2, 3\]/],
    ['layerNorm', () => ops.layerNorm(a, i, i), /LayerNormalization: gamma \[2\]/],
    ['conv2d', () => ops.conv2d(a, a), /Conv: \[2, 3\] does not fit weights \[2, 3\]/],
    ['where', () => ops.where(a, a, a), /Where: its condition is float32/],
    ['constant', () => graph.constant([1, 2], [3]), /constant of shape \[3\] got 2 values/],
    ['parameter', () => [graph.parameter('p', [2]), graph.parameter('p', [3])], /parameter p is float32 \[2\]/],
    ['two graphs', () => ops.add(a, new Graph().input('a', [2, 3])), /two graphs/],
  ])('%s', (_, build, message) => {
    expect(build).toThrow(GyreError);
    expect(build).toThrow(message);
    expect(build).toThrow(expect.objectContaining({ code: 'shape' }));
  });
});
