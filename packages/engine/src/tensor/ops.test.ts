import { defaultDevice, init, lax, nn, numpy as np } from '@jax-js/jax';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { GyreError } from '@gyre/protocol';
import { compile } from '../runtime/executable.js';
import { gradients } from './gradients.js';
import { Graph, type Tensor } from './graph.js';
import { compareWithJax, type JaxArray, type Sample } from './oracle.test.fixture.js';
import * as ops from './ops.js';
import { broadcast, sizeOf } from './shape.js';

const length = fc.integer({ min: 1, max: 4 });
const shapeOf = (minLength: number, maxLength = 3) => fc.array(length, { minLength, maxLength });
const axisOf = (shape: number[]) => fc.integer({ min: -shape.length, max: shape.length - 1 });
const idsBelow = (n: number, count: number) =>
  fc.array(fc.nat(n - 1), { minLength: count, maxLength: count }).map((ids) => Int32Array.from(ids));

const broadcastTo = (shape: number[]) =>
  fc
    .tuple(fc.nat(shape.length), fc.array(fc.boolean(), { minLength: shape.length, maxLength: shape.length }))
    .map(([drop, ones]) => shape.map((length, axis) => (ones[axis] ? 1 : length)).slice(drop));
const broadcasting = (count: number, maxLength = 3) =>
  shapeOf(0, maxLength).chain((shape) => fc.tuple(...Array.from({ length: count }, () => broadcastTo(shape))));

const jaxIds = (ids: Int32Array, shape: number[]) => np.array([...ids], { dtype: np.int32 }).reshape(shape);
const swapLast = (x: JaxArray) => np.swapaxes(x, -1, -2);

const unary = (
  ours: Sample['ours'],
  theirs: Sample['theirs'],
  range?: NonNullable<Sample['range']>,
): fc.Arbitrary<Sample> => shapeOf(0).map((shape) => ({ shapes: [shape], ours, theirs, ...(range ? { range } : {}) }));

const binary = (
  ours: Sample['ours'],
  theirs: Sample['theirs'],
  range?: NonNullable<Sample['range']>,
): fc.Arbitrary<Sample> => broadcasting(2).map((shapes) => ({ shapes, ours, theirs, ...(range ? { range } : {}) }));

const logarithmic = (samples: fc.Arbitrary<Sample>) => samples.map((sample) => ({ ...sample, logarithmic: true }));

const reduction = (
  ours: (x: Tensor, axes: number[] | undefined, options: { keepDims: boolean }) => Tensor,
  theirs: (x: JaxArray, axes: number[] | null, options: { keepdims: boolean }) => JaxArray,
): fc.Arbitrary<Sample> =>
  shapeOf(1).chain((shape) =>
    fc
      .record({
        axes: fc.option(fc.subarray([...shape.keys()], { minLength: 1 }), { nil: undefined }),
        keepDims: fc.boolean(),
      })
      .map(({ axes, keepDims }) => ({
        shapes: [shape],
        ours: (x) => ours(x, axes, { keepDims }),
        theirs: (x) => theirs(x, axes ?? null, { keepdims: keepDims }),
      })),
  );

const alongAxis = (build: (shape: number[], axis: number) => Sample): fc.Arbitrary<Sample> =>
  shapeOf(1).chain((shape) => axisOf(shape).map((axis) => build(shape, axis)));

/** jax-js 0.1.25 orders leading axes of different number unlike numpy. */
const jaxMatmul = (a: JaxArray, b: JaxArray) => {
  const leading = broadcast('matmul', a.shape.slice(0, -2), b.shape.slice(0, -2));
  const to = (x: JaxArray) => np.broadcastTo(x, [...leading, ...x.shape.slice(-2)]);
  return np.matmul(to(a), to(b));
};

const jaxBorder = (x: JaxArray, p: number, value: number) => {
  for (const axis of p > 0 ? [2, 3] : []) {
    const edge = () => np.full(x.shape.with(axis, p), value);
    x = np.concatenate([edge(), x, edge()], axis);
  }
  return x;
};

const pooling = (
  ours: (x: Tensor, options: ops.PoolOptions) => Tensor,
  theirs: (window: JaxArray) => JaxArray,
  border: number,
): fc.Arbitrary<Sample> =>
  fc
    .record({
      kernel: fc.integer({ min: 1, max: 3 }),
      stride: length,
      half: fc.boolean(),
      more: fc.tuple(length, length),
    })
    .map(({ kernel, stride, half, more }) => {
      const padding = half ? Math.floor(kernel / 2) : 0;
      const x = [2, 1, kernel + more[0], kernel + more[1]];
      return {
        shapes: [x],
        ours: (x) => ours(x, { kernel, stride, padding }),
        theirs: (x) =>
          lax.reduceWindow(jaxBorder(x, padding, border), theirs, [1, 1, kernel, kernel], [1, 1, stride, stride]),
        range: 'apart',
      };
    });

const layouts: Record<string, fc.Arbitrary<Sample>> = {
  reshape: shapeOf(0).map((shape) => ({
    shapes: [shape],
    ours: (x) => ops.square(ops.reshape(x, [1, -1])),
    theirs: (x) => np.square(np.reshape(x, [1, sizeOf(shape)])),
  })),
  transpose: shapeOf(1).chain((shape) =>
    fc.shuffledSubarray([...shape.keys()], { minLength: shape.length }).map((perm) => ({
      shapes: [shape],
      ours: (x) => ops.transpose(x, perm),
      theirs: (x) => np.transpose(x, perm),
    })),
  ),
  slice: alongAxis((shape, axis) => {
    const long = shape.with(axis, 5);
    return {
      shapes: [long],
      ours: (x) => ops.slice(x, axis, 1, 4),
      theirs: (x) => np.split(x, [1, 4], axis)[1]!,
    };
  }),
  pad: alongAxis((shape, axis) => ({
    shapes: [shape],
    ours: (x) => ops.pad(x, axis, 1, 2),
    theirs: (x) =>
      np.pad(
        x,
        shape.map((_, i): [number, number] => (i === (axis + shape.length) % shape.length ? [1, 2] : [0, 0])),
      ),
  })),
  'concat, with a tensor that comes twice': alongAxis((shape, axis) => ({
    shapes: [shape, shape.with(axis, 2)],
    ours: (a, b) => ops.concat([a, b, a], axis),
    theirs: (a, b) => np.concatenate([a.ref, b, a], axis),
  })),
  'split, of which one part is not used': alongAxis((shape, axis) => ({
    shapes: [shape.with(axis, 5)],
    ours: (x) => {
      const [a, , c] = ops.split(x, axis, [2, 1, 2]);
      return ops.mul(a!, c!);
    },
    theirs: (x) => {
      const [a, , c] = np.split(x, [2, 3], axis);
      return np.multiply(a!, c!);
    },
  })),
  expand: shapeOf(0).chain((shape) =>
    broadcastTo(shape).map((from) => ({
      shapes: [from],
      ours: (x) => ops.expand(x, shape),
      theirs: (x) => np.broadcastTo(x, shape),
    })),
  ),
};

const elementwise: Record<string, fc.Arbitrary<Sample>> = {
  add: binary(ops.add, np.add),
  sub: binary(ops.sub, np.subtract),
  mul: binary(ops.mul, np.multiply),
  div: binary(ops.div, np.trueDivide, [0.7, 2]),
  minimum: binary(ops.minimum, np.minimum, 'apart'),
  maximum: binary(ops.maximum, np.maximum, 'apart'),
  'numbers as operands': unary(
    (x) => ops.sub(1, ops.add(ops.div(3, x), ops.mul(2, x))),
    (x) => np.subtract(1, np.add(np.trueDivide(3, x.ref), np.multiply(2, x))),
    [0.7, 2],
  ),
  neg: unary(ops.neg, np.negative),
  abs: unary(ops.abs, np.abs, 'apart'),
  exp: unary(ops.exp, np.exp),
  log: logarithmic(unary(ops.log, np.log, [0.5, 3])),
  sqrt: unary(ops.sqrt, np.sqrt, [0.5, 3]),
  square: unary(ops.square, np.square),
  erf: unary(ops.erf, lax.erf),
  clip: unary(
    (x) => ops.add(ops.clip(x, 0, 9), ops.mul(2, ops.clip(x, -9, 0))),
    (x) => np.add(np.clip(x.ref, 0, 9), np.multiply(2, np.clip(x, -9, 0))),
    'apart',
  ),
  stopGradient: unary(
    (x) => ops.mul(ops.stopGradient(x), x),
    (x) => np.multiply(lax.stopGradient(x.ref), x),
  ).map((sample) => ({ ...sample, stopped: true })),
  'where, of three that broadcast': broadcasting(3).map((shapes) => ({
    shapes,
    ours: (a, b, c) => ops.where(ops.greater(a, 0), ops.square(b), c),
    theirs: (a, b, c) => np.where(np.greater(a, 0), np.square(b), c),
    range: 'apart',
  })),
  tanh: unary(ops.tanh, np.tanh),
  relu: unary(ops.relu, nn.relu, 'apart'),
  gelu: unary(ops.gelu, (x) => nn.gelu(x, { approximate: false }), [-4, 4]),
};

const reductions: Record<string, fc.Arbitrary<Sample>> = {
  sum: reduction(ops.sum, np.sum),
  mean: reduction(ops.mean, np.mean),
  max: alongAxis((shape, axis) => ({
    shapes: [shape],
    ours: (x) => ops.max(x, axis),
    theirs: (x) => np.max(x, axis),
    range: 'apart',
  })),
};

const norms: Record<string, fc.Arbitrary<Sample>> = {
  softmax: shapeOf(1).map((shape) => ({
    shapes: [shape],
    ours: ops.softmax,
    theirs: (x) => nn.softmax(x, -1),
  })),
  logSoftmax: shapeOf(1).map((shape) => ({
    shapes: [shape],
    ours: ops.logSoftmax,
    theirs: (x) => nn.logSoftmax(x, -1),
    logarithmic: true,
  })),
  layerNorm: fc.tuple(shapeOf(0, 2), fc.integer({ min: 2, max: 5 })).map(([leading, d]) => ({
    shapes: [[...leading, d], [d], [d]],
    ours: (x, gamma, beta) => ops.layerNorm(x, gamma, beta, 0.1),
    theirs: (x, gamma, beta) => np.add(np.multiply(nn.standardize(x, -1, { epsilon: 0.1 }), gamma), beta),
  })),
};

const products: Record<string, fc.Arbitrary<Sample>> = {
  matmul: fc
    .record({
      leading: broadcasting(2, 2),
      sizes: fc.tuple(length, length, length),
      transposeA: fc.boolean(),
      transposeB: fc.boolean(),
      scale: fc.constantFrom(1, 0.5),
    })
    .map(({ leading: [batchA, batchB], sizes: [m, k, n], transposeA, transposeB, scale }) => ({
      shapes: [
        [...batchA!, ...(transposeA ? [k, m] : [m, k])],
        [...batchB!, ...(transposeB ? [n, k] : [k, n])],
      ],
      ours: (a, b) => ops.matmul(a, b, { transposeA, transposeB, scale }),
      theirs: (a, b) => np.multiply(jaxMatmul(transposeA ? swapLast(a) : a, transposeB ? swapLast(b) : b), scale),
    })),
  'matmul of a tensor with itself': fc.tuple(shapeOf(2), fc.boolean()).map(([shape, transposeA]) => ({
    shapes: [shape],
    ours: (x) => ops.matmul(x, x, { transposeA, transposeB: !transposeA }),
    theirs: (x) => (transposeA ? np.matmul(swapLast(x.ref), x) : np.matmul(x.ref, swapLast(x))),
  })),
  linear: fc.tuple(shapeOf(0, 2), length, length, fc.boolean()).map(([leading, into, out, bias]) => ({
    shapes: [[...leading, into], [into, out], ...(bias ? [[out]] : [])],
    ours: ops.linear,
    theirs: (x, w, b) => (bias ? np.add(np.matmul(x, w), b) : np.matmul(x, w)),
  })),
  conv2d: fc
    .record({
      channels: fc.tuple(length, length),
      kernel: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
      stride: fc.integer({ min: 1, max: 3 }),
      padding: fc.nat(2),
      dilation: fc.integer({ min: 1, max: 2 }),
      more: fc.tuple(fc.nat(4), fc.nat(4)),
    })
    .map(({ channels: [into, out], kernel, stride, padding, dilation, more }) => ({
      shapes: [
        [2, into, ...kernel.map((side, axis) => dilation * (side - 1) + 1 + more[axis]!)],
        [out, into, ...kernel],
      ],
      ours: (x, w) => ops.conv2d(x, w, { stride, padding, dilation }),
      // jax-js 0.1.25 has no gradient where the padding is wider than the weights reach.
      theirs: (x, w) => {
        const wide = jaxBorder(x, padding, 0);
        return lax.convWithGeneralPadding(wide, w, [stride, stride], 'VALID', undefined, [dilation, dilation]);
      },
    })),
  maxPool2d: pooling(ops.maxPool2d, (window) => np.max(window), -1e9),
};

const lookups: Record<string, fc.Arbitrary<Sample>> = {
  ...Object.fromEntries(
    // Above 512 rows the gradient is scattered.
    [4, 600].flatMap((n) => {
      const drawn = fc
        .tuple(shapeOf(0, 2), length)
        .chain(([shape, d]) => idsBelow(n, sizeOf(shape)).map((ids) => ({ shape, d, ids })));
      return [
        [
          `gather from ${n} rows`,
          drawn.map(({ shape, d, ids }): Sample => ({
            shapes: [[n, d]],
            ours: (table) => ops.gather(table, table.graph.constant(ids, shape)),
            theirs: (table) => np.reshape(np.matmul(nn.oneHot(jaxIds(ids, [ids.length]), n), table), [...shape, d]),
          })),
        ],
        [
          `scatterAdd to ${n} rows`,
          drawn.map(({ shape, d, ids }): Sample => ({
            shapes: [[...shape, d]],
            ours: (rows) => ops.scatterAdd(rows, rows.graph.constant(ids, shape), n),
            theirs: (rows) =>
              np.matmul(swapLast(nn.oneHot(jaxIds(ids, [ids.length]), n)), np.reshape(rows, [ids.length, d])),
          })),
        ],
      ];
    }),
  ),
  gatherElements: shapeOf(1).chain((shape) =>
    fc.tuple(axisOf(shape), length).chain(([axis, count]) => {
      const idsShape = shape.with(axis, count);
      return idsBelow(shape.at(axis)!, sizeOf(idsShape)).map((ids) => ({
        shapes: [shape],
        ours: (x) => ops.gatherElements(x, x.graph.constant(ids, idsShape), axis),
        theirs: (x) => {
          const hot = nn.oneHot(np.swapaxes(jaxIds(ids, idsShape), axis, -1), shape.at(axis)!);
          return np.swapaxes(np.sum(np.multiply(hot, np.expandDims(np.swapaxes(x, axis, -1), -2)), -1), axis, -1);
        },
      }));
    }),
  ),
  pick: shapeOf(1).chain((shape) =>
    idsBelow(shape.at(-1)!, sizeOf(shape.slice(0, -1))).map((ids) => ({
      shapes: [shape],
      ours: (x) => ops.pick(x, x.graph.constant(ids, shape.slice(0, -1))),
      theirs: (x) => np.sum(np.multiply(nn.oneHot(jaxIds(ids, shape.slice(0, -1)), shape.at(-1)!), x), -1),
    })),
  ),
};

const composed: Record<string, fc.Arbitrary<Sample>> = {
  'recompute, of a block that uses more than its inputs': shapeOf(1).map((shape) => ({
    shapes: [shape, shape.slice(-1), shape],
    ours: (x, w, before) => {
      const scaled = ops.mul(before, w);
      return ops.recompute((a) => ops.add(ops.mul(ops.tanh(ops.mul(a, w)), scaled), a), [ops.square(x)]);
    },
    theirs: (x, w, before) => {
      const a = np.square(x);
      return np.add(np.multiply(np.tanh(np.multiply(a.ref, w.ref)), np.multiply(before, w)), a);
    },
  })),
};

const cases = Object.entries({
  ...elementwise,
  ...layouts,
  ...reductions,
  ...norms,
  ...products,
  ...lookups,
  ...composed,
});

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

describe.each([
  ['cpu', 6],
  ['webgpu', 2],
] as const)('ops written for %s', (backend, numRuns) => {
  it.each(cases)('%s: values and gradients agree with jax-js and with finite differences', async (_, sample) => {
    const property = fc.asyncProperty(sample, fc.nat(), (drawn, seed) => compareWithJax(drawn, backend, seed));
    await fc.assert(property, { numRuns, seed: 7 });
  });
});

describe('forward values', () => {
  it('compares, combines and casts', async () => {
    const graph = new Graph();
    const a = graph.input('a', [4]);
    const n = graph.input('n', [4], 'int32');
    const bytes = graph.input('bytes', [4], 'uint8');
    const executable = await compile({
      greater: ops.greater(a, 0),
      less: ops.less(a, 2),
      equal: ops.equal(n, 2),
      floats: ops.cast(bytes, 'float32'),
      whole: ops.add(n, 1),
      hot: ops.oneHot(n, 4),
    });
    const out = await executable.run({
      a: Float32Array.of(-1, 0, 1, 3),
      n: Int32Array.of(0, 1, 2, 3),
      bytes: Uint8Array.of(0, 1, 128, 255),
    });
    expect([...out.greater!]).toEqual([0, 0, 1, 1]);
    expect([...out.less!]).toEqual([1, 1, 1, 0]);
    expect([...out.equal!]).toEqual([0, 0, 1, 0]);
    expect([...out.floats!]).toEqual([0, 1, 128, 255]);
    expect(out.whole).toEqual(Int32Array.of(1, 2, 3, 4));
    expect([...out.hot!]).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    await executable.release();
  });

  it('takes logarithms as exactly as 32 bits allow', async () => {
    const x = new Graph().input('x', [64, 3]);
    const executable = await compile({ log: ops.log(ops.exp(x)), logSoftmax: ops.logSoftmax(x) });
    const values = Array.from({ length: 64 * 3 }, (_, i) => Math.fround(6 * Math.sin(i * i)));
    const out = await executable.run({ x: Float32Array.from(values) });
    await executable.release();
    const rows = Array.from({ length: 64 }, (_, i) => values.slice(3 * i, 3 * i + 3));
    const sums = rows.map((row) => Math.log(row.reduce((total, value) => total + Math.exp(value), 0)));
    const reference: Record<string, number[]> = {
      log: values,
      logSoftmax: rows.flatMap((row, i) => row.map((value) => value - sums[i]!)),
    };
    for (const [name, expected] of Object.entries(reference)) {
      const errors = expected.map((value, i) => Math.abs(value - out[name]![i]!));
      expect(Math.max(...errors), name).toBeLessThan(2e-6);
    }
  });

  it('finds where the largest elements are, the first of equal ones', async () => {
    const lengths = fc.tuple(length, fc.integer({ min: 2, max: 5 }), length);
    const drawn = lengths.chain((shape) =>
      fc
        .array(fc.integer({ min: -2, max: 2 }), { minLength: sizeOf(shape), maxLength: sizeOf(shape) })
        .map((values) => ({
          shape,
          values,
        })),
    );
    await fc.assert(
      fc.asyncProperty(drawn, async ({ shape: [a, n, b], values }) => {
        const x = new Graph().input('x', [a, n, b]);
        const executable = await compile({ best: ops.argMax(x, 1) }, { threads: 1 });
        const out = await executable.run({ x: Float32Array.from(values) });
        await executable.release();
        for (let i = 0; i < a; i++) {
          for (let j = 0; j < b; j++) {
            const column = Array.from({ length: n }, (_, k) => values[(i * n + k) * b + j]!);
            const order = [...column.keys()].sort((p, q) => column[q]! - column[p]! || p - q);
            expect(out.best![i * b + j]).toBe(order[0]);
          }
        }
      }),
      { numRuns: 20, seed: 3 },
    );
  });

  it('stays finite where numbers are large', async () => {
    const x = new Graph().input('x', [4]);
    const logprobs = ops.logSoftmax(ops.mul(x, 100));
    const executable = await compile({ logprobs, g: gradients(ops.sum(logprobs), [x])[0]! });
    const out = await executable.run({ x: Float32Array.of(-100, 100, 100, -100) });
    await executable.release();
    expect(out.logprobs![1]).toBeCloseTo(-Math.log(2), 5);
    expect([...out.logprobs!, ...out.g!].every(Number.isFinite)).toBe(true);
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
  const image = graph.input('image', [1, 1, 4, 4]);
  it.each<[string, () => unknown, RegExp]>([
    ['add', () => ops.add(a, graph.input('b', [2, 4])), /Add: cannot broadcast \[2, 3\] and \[2, 4\]/],
    ['types', () => ops.add(a, i), /Add: operands are float32 and int32/],
    ['matmul', () => ops.matmul(a, a), /MatMul: \[2, 3\] and \[2, 3\]/],
    ['linear', () => ops.linear(a, graph.input('w', [4, 5])), /linear: \[2, 3\] does not match weights \[4, 5\]/],
    ['reshape', () => ops.reshape(a, [4, -1]), /Reshape: cannot reshape \[2, 3\] to \[4, -1\]/],
    ['transpose', () => ops.transpose(a, [0, 0]), /Transpose: \[0, 0\]/],
    ['slice', () => ops.slice(a, 1, 2, 4), /Slice: 2 to 4 is not within axis 1 of \[2, 3\]/],
    ['axis', () => ops.sum(a, [2]), /ReduceSum: axis 2 is out of range for \[2, 3\]/],
    ['concat', () => ops.concat([a, graph.input('c', [3, 3])], 1), /Concat: float32 \[2, 3\] and float32 \[3, 3\]/],
    ['split', () => ops.split(a, 1, [1, 1]), /Split: parts \[1, 1\]/],
    ['gather', () => ops.gather(a, a), /Gather: the ids are float32/],
    ['pick', () => ops.pick(a, graph.input('j', [3], 'int32')), /pick: ids \[3\] do not match \[2, 3\]/],
    ['layerNorm', () => ops.layerNorm(a, i, i), /LayerNormalization: gamma \[2\]/],
    ['conv2d', () => ops.conv2d(a, a), /Conv: \[2, 3\] does not match weights \[2, 3\]/],
    [
      'a large kernel',
      () => ops.conv2d(image, graph.input('k', [1, 1, 5, 5])),
      /Conv: a kernel of 5 with dilation 1 is larger than 4/,
    ],
    ['a stride of 0', () => ops.conv2d(image, image, { stride: 0 }), /Conv: \[4, 0, 1, 1\] is not a shape/],
    [
      'maxPool2d',
      () => ops.maxPool2d(image, { kernel: 2, padding: 2 }),
      /MaxPool: a padding of 2 is more than half a kernel of 2/,
    ],
    [
      'scatterAdd',
      () => ops.scatterAdd(a, graph.input('l', [3], 'int32'), 4),
      /scatterAdd: ids \[3\] do not match \[2, 3\]/,
    ],
    ['gatherElements', () => ops.gatherElements(a, i, 0), /GatherElements: ids \[2\] do not match \[2, 3\]/],
    ['argMax', () => ops.argMax(a, 2), /ArgMax: axis 2 is out of range for \[2, 3\]/],
    ['softmax', () => ops.softmax(ops.sum(a)), /Softmax: axis -1 is out of range for \[\]/],
    ['recompute', () => ops.recompute(() => a, []), /recompute: no inputs were given/],
    ['a fraction', () => ops.mul(i, 0.5), /Mul: 0.5 is not an int32/],
    ['where', () => ops.where(a, a, a), /Where: the condition is float32/],
    ['constant', () => graph.constant([1, 2], [3]), /constant of shape \[3\] got 2 values/],
    ['parameter', () => [graph.parameter('p', [2]), graph.parameter('p', [3])], /parameter p is float32 \[2\]/],
    ['two graphs', () => ops.add(a, new Graph().input('a', [2, 3])), /inputs belong to different graphs/],
  ])('%s', (_, build, message) => {
    expect(build).toThrow(GyreError);
    expect(build).toThrow(message);
    expect(build).toThrow(expect.objectContaining({ code: 'shape' }));
  });
});
