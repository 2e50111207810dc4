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

/** A shape that broadcasts to a larger one: without some axes in front, and with 1 for some others. */
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

/** An operator that reduces some axes, or all of them, and keeps them or not. */
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

/** A loss of two tensors of one shape, with a weight for each element or without. */
const pairLoss = (
  ours: (a: Tensor, b: Tensor, options: ops.LossOptions) => Tensor,
  theirs: (a: JaxArray, b: JaxArray) => JaxArray,
  range?: NonNullable<Sample['range']>,
): fc.Arbitrary<Sample> =>
  fc.tuple(shapeOf(0), fc.boolean()).map(([shape, weighted]) => ({
    shapes: weighted ? [shape, shape, shape] : [shape, shape],
    // Weights are squares, so that their sum stays away from 0.
    ours: (a, b, w) => ours(a, b, w ? { weights: ops.add(ops.square(w), 0.5) } : {}),
    theirs: (a, b, w) => jaxAverage(theirs(a, b), w && np.add(np.square(w), 0.5)),
    ...(range ? { range } : {}),
  }));
const jaxAverage = (losses: JaxArray, weights?: JaxArray) =>
  weights ? np.trueDivide(np.sum(np.multiply(losses, weights.ref)), np.sum(weights)) : np.mean(losses);

/** jax-js 0.1.25 puts leading axes of different number in another order than numpy: they are made equal first. */
const jaxMatmul = (a: JaxArray, b: JaxArray) => {
  const leading = broadcast('matmul', a.shape.slice(0, -2), b.shape.slice(0, -2));
  const to = (x: JaxArray) => np.broadcastTo(x, [...leading, ...x.shape.slice(-2)]);
  return np.matmul(to(a), to(b));
};

/** A border of p pixels around the last two axes. */
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
  'pow 3': unary(
    (x) => ops.pow(x, 3),
    (x) => np.multiply(np.square(x.ref), x),
  ),
  'pow -0.5': unary(
    (x) => ops.pow(x, -0.5),
    (x) => np.trueDivide(1, np.sqrt(x)),
    [0.6, 3],
  ),
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
  sigmoid: unary(ops.sigmoid, nn.sigmoid),
  relu: unary(ops.relu, nn.relu, 'apart'),
  gelu: unary(ops.gelu, (x) => nn.gelu(x, { approximate: false }), [-4, 4]),
  silu: unary(ops.silu, nn.silu, [-4, 4]),
  softplus: logarithmic(unary(ops.softplus, nn.softplus, [-4, 4])),
};

const reductions: Record<string, fc.Arbitrary<Sample>> = {
  sum: reduction(ops.sum, np.sum),
  mean: reduction(ops.mean, np.mean),
  logSumExp: logarithmic(reduction(ops.logSumExp, nn.logsumexp)),
  max: alongAxis((shape, axis) => ({
    shapes: [shape],
    ours: (x) => ops.max(x, axis),
    theirs: (x) => np.max(x, axis),
    range: 'apart',
  })),
  cumSum: alongAxis((shape, axis) => ({
    shapes: [shape],
    ours: (x) => ops.add(ops.cumSum(x, axis), ops.square(ops.cumSum(x, axis, { reverse: true }))),
    theirs: (x) => np.add(np.cumsum(x.ref, axis), np.square(np.flip(np.cumsum(np.flip(x, axis), axis), axis))),
  })),
  topK: alongAxis((shape, axis) => ({
    shapes: [shape],
    ours: (x) => ops.topK(x, Math.min(2, shape.at(axis)!), axis).values,
    theirs: (x) => lax.topK(x, Math.min(2, shape.at(axis)!), axis)[0],
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
  rmsNorm: fc.tuple(shapeOf(0, 2), fc.integer({ min: 2, max: 5 })).map(([leading, d]) => ({
    shapes: [[...leading, d], [d]],
    ours: (x, gamma) => ops.rmsNorm(x, gamma, 0.1),
    theirs: (x, gamma) => {
      const rms = np.sqrt(np.add(np.mean(np.square(x.ref), -1, { keepdims: true }), 0.1));
      return np.multiply(np.trueDivide(x, rms), gamma);
    },
  })),
  groupNorm: fc.record({ groups: length, width: length, pixels: shapeOf(0, 2) }).map(({ groups, width, pixels }) => {
    const channels = groups * width;
    const row = [channels, ...pixels.map(() => 1)];
    return {
      shapes: [[2, channels, ...pixels], [channels], [channels]],
      ours: (x, gamma, beta) => ops.groupNorm(x, gamma, beta, groups, 0.1),
      theirs: (x, gamma, beta) => {
        const normal = nn.standardize(np.reshape(x, [2, groups, width * sizeOf(pixels)]), -1, { epsilon: 0.1 });
        const scaled = np.multiply(np.reshape(normal, [2, channels, ...pixels]), np.reshape(gamma, row));
        return np.add(scaled, np.reshape(beta, row));
      },
    };
  }),
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
    theirs: (x, w, b) => (b ? np.add(np.matmul(x, w), b) : np.matmul(x, w)),
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
      // jax-js 0.1.25 has no gradient where the padding is wider than the weights reach: the border is made beforehand.
      theirs: (x, w) => {
        const wide = jaxBorder(x, padding, 0);
        return lax.convWithGeneralPadding(wide, w, [stride, stride], 'VALID', undefined, [dilation, dilation]);
      },
    })),
  maxPool2d: pooling(ops.maxPool2d, (window) => np.max(window), -1e9),
  averagePool2d: pooling(ops.averagePool2d, (window) => np.mean(window), 0),
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
      const wanted = shape.with(axis, count);
      return idsBelow(shape.at(axis)!, sizeOf(wanted)).map((ids) => ({
        shapes: [shape],
        ours: (x) => ops.gatherElements(x, x.graph.constant(ids, wanted), axis),
        theirs: (x) => {
          // [..., count, n] times [..., 1, n], with the axis last
          const hot = nn.oneHot(np.swapaxes(jaxIds(ids, wanted), axis, -1), shape.at(axis)!);
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

/** Which keys a query sees: itself counted from the end and those before, and what a mask of queries and keys says. */
const visible = (queries: number, keys: number, causal: boolean, hidden: boolean) =>
  Float32Array.from({ length: queries * keys }, (_, i) => {
    const [query, key] = [Math.floor(i / keys), i % keys];
    // The first key is always seen, so that no query sees nothing.
    return (causal && key > query + keys - queries) || (hidden && key > 0 && (query + key) % 3 === 0) ? 0 : 1;
  });

const composed: Record<string, fc.Arbitrary<Sample>> = {
  attention: fc
    .record({
      leading: broadcasting(3, 2),
      queries: length,
      more: fc.nat(2),
      widths: fc.tuple(length, length),
      causal: fc.boolean(),
      mask: fc.constantFrom('none', 'bool', 'float'),
      scale: fc.constantFrom(undefined, 0.7),
    })
    .map(({ leading: [a, b, c], queries, more, widths: [d, e], causal, mask, scale }) => {
      const keys = queries + more;
      return {
        shapes: [
          [...a!, queries, d],
          [...b!, keys, d],
          [...c!, keys, e],
        ],
        ours: (q, k, v) => {
          const seen = q.graph.constant(visible(queries, keys, false, true), [queries, keys]);
          const given = mask === 'bool' ? ops.greater(seen, 0) : ops.mul(ops.sub(1, seen), -1e9);
          const options = { causal, ...(mask === 'none' ? {} : { mask: given }), ...(scale ? { scale } : {}) };
          return ops.attention(q, k, v, options);
        },
        theirs: (q, k, v) => {
          const seen = np.array(visible(queries, keys, causal, mask !== 'none')).reshape([queries, keys]);
          const scores = np.multiply(jaxMatmul(q, swapLast(k)), scale ?? d ** -0.5);
          return jaxMatmul(nn.softmax(np.where(np.greater(seen, 0), scores, -1e9), -1), v);
        },
      };
    }),
  'causal attention of a tensor with itself': shapeOf(2).map((shape) => ({
    shapes: [shape],
    ours: (x) => ops.attention(x, x, x, { causal: true }),
    theirs: (x) => {
      const [n, d] = shape.slice(-2) as [number, number];
      const scores = np.multiply(np.matmul(x.ref, swapLast(x.ref)), d ** -0.5);
      return np.matmul(nn.softmax(np.where(np.tri(n, n, 0, { dtype: np.bool }), scores, -1e9), -1), x);
    },
  })),
  crossEntropy: fc
    .record({ shape: shapeOf(1), weighted: fc.boolean(), labelSmoothing: fc.constantFrom(0, 0.1) })
    .chain(({ shape, weighted, labelSmoothing }) => {
      const rows = shape.slice(0, -1);
      const classes = shape.at(-1)!;
      return idsBelow(classes, sizeOf(rows)).map((ids) => ({
        shapes: weighted ? [shape, rows] : [shape],
        ours: (x, w) => {
          const options = { labelSmoothing, ...(w ? { weights: ops.add(ops.square(w), 0.5) } : {}) };
          return ops.crossEntropy(x, x.graph.constant(ids, rows), options);
        },
        theirs: (x, w) => {
          const hot = nn.oneHot(jaxIds(ids, rows), classes);
          const target = np.add(np.multiply(hot, 1 - labelSmoothing), labelSmoothing / classes);
          const losses = np.negative(np.sum(np.multiply(target, nn.logSoftmax(x, -1)), -1));
          return jaxAverage(losses, w && np.add(np.square(w), 0.5));
        },
        logarithmic: true,
      }));
    }),
  mse: pairLoss(ops.mse, (a, b) => np.square(np.subtract(a, b))),
  huber: pairLoss(
    (a, b, options) => ops.huber(a, b, { ...options, delta: 0.71 }),
    (a, b) => {
      const r = np.abs(np.subtract(a, b));
      const far = np.multiply(0.71, np.subtract(r.ref, 0.71 / 2));
      return np.where(np.less(r.ref, 0.71), np.multiply(0.5, np.square(r)), far);
    },
    'apart',
  ),
  binaryCrossEntropy: logarithmic(
    pairLoss(
      (a, b, options) => ops.binaryCrossEntropy(a, ops.sigmoid(b), options),
      (a, b) => np.subtract(nn.softplus(a.ref), np.multiply(a, nn.sigmoid(b))),
    ),
  ),
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

  it('takes logarithms as exactly as 32 bits allow', async () => {
    const graph = new Graph();
    const x = graph.input('x', [64, 3]);
    const ids = graph.constant(
      Int32Array.from({ length: 64 }, (_, i) => i % 3),
      [64],
    );
    const target = ops.sigmoid(x);
    const executable = await compile({
      log: ops.log(ops.exp(x)),
      softplus: ops.softplus(x),
      logSumExp: ops.logSumExp(x, [1]),
      logSoftmax: ops.logSoftmax(x),
      crossEntropy: ops.crossEntropy(x, ids),
      binary: ops.binaryCrossEntropy(x, target),
    });
    const values = Array.from({ length: 64 * 3 }, (_, i) => Math.fround(6 * Math.sin(i * i)));
    const out = await executable.run({ x: Float32Array.from(values) });
    await executable.release();
    const rows = Array.from({ length: 64 }, (_, i) => values.slice(3 * i, 3 * i + 3));
    const sums = rows.map((row) => Math.log(row.reduce((total, value) => total + Math.exp(value), 0)));
    const mean = (xs: number[]) => xs.reduce((a, b) => a + b) / xs.length;
    const softplus = (x: number) => Math.log1p(Math.exp(x));
    const reference: Record<string, number[]> = {
      log: values,
      softplus: values.map(softplus),
      logSumExp: sums,
      logSoftmax: rows.flatMap((row, i) => row.map((value) => value - sums[i]!)),
      crossEntropy: [mean(rows.map((row, i) => sums[i]! - row[i % 3]!))],
      binary: [mean(values.map((x) => softplus(x) - x / (1 + Math.exp(-x))))],
    };
    for (const [name, expected] of Object.entries(reference)) {
      const errors = expected.map((value, i) => Math.abs(value - out[name]![i]!));
      expect(Math.max(...errors), name).toBeLessThan(2e-6);
    }
  });

  it('finds the largest elements and where they are, the first of equal ones', async () => {
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
        const top = ops.topK(x, 2, 1);
        const executable = await compile({ best: ops.argMax(x, 1), ...top }, { threads: 1 });
        const out = await executable.run({ x: Float32Array.from(values) });
        await executable.release();
        for (let i = 0; i < a; i++) {
          for (let j = 0; j < b; j++) {
            const column = Array.from({ length: n }, (_, k) => values[(i * n + k) * b + j]!);
            const order = [...column.keys()].sort((p, q) => column[q]! - column[p]! || p - q);
            expect(out.best![i * b + j]).toBe(order[0]);
            for (const place of [0, 1]) {
              expect(out.ids![(i * 2 + place) * b + j]).toBe(order[place]);
              expect(out.values![(i * 2 + place) * b + j]).toBe(column[order[place]!]);
            }
          }
        }
      }),
      { numRuns: 20, seed: 3 },
    );
  });

  it('stays finite and exact where numbers are large', async () => {
    const graph = new Graph();
    const x = graph.input('x', [4]);
    const loss = ops.binaryCrossEntropy(x, graph.constant([0, 1, 0, 1], [4]));
    const executable = await compile({
      logSumExp: ops.logSumExp(ops.mul(x, 100), [0]),
      softplus: ops.softplus(x),
      crossEntropy: ops.crossEntropy(x, graph.constant(Int32Array.of(2), [])),
      binary: loss,
      g: gradients(loss, [x])[0]!,
      power: ops.pow(ops.sub(x, x), 0),
      gPower: gradients(ops.sum(ops.pow(ops.sub(x, x), 0)), [x])[0]!,
    });
    const out = await executable.run({ x: Float32Array.of(-100, 100, 100, -100) });
    await executable.release();
    expect(out.logSumExp![0]).toBeCloseTo(1e4 + Math.log(2), 2);
    expect([...out.softplus!]).toEqual([expect.closeTo(0, 30), 100, 100, expect.closeTo(0, 30)]);
    expect(out.crossEntropy![0]).toBeCloseTo(Math.log(2), 5);
    expect(out.binary![0]).toBeCloseTo(50, 5);
    expect([...out.g!]).toEqual([0, 0, 0.25, -0.25]);
    expect([...out.power!, ...out.gPower!]).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });

  it('attention gives exactly no weight to what is hidden, and no gradient', async () => {
    const graph = new Graph();
    const [q, k, v] = ['q', 'k', 'v'].map((name) => graph.input(name, [2, 2]));
    const mask = ops.equal(graph.constant([1, 0], [1, 2]), 1);
    const y = ops.attention(q!, k!, v!, { mask });
    const [gk, gv] = gradients(ops.sum(ops.square(y)), [k!, v!]);
    const executable = await compile({ y, gk: gk!, gv: gv! });
    const out = await executable.run({
      q: Float32Array.of(30, 0, 0, 30),
      k: Float32Array.of(-30, -30, 99, 99),
      v: Float32Array.of(1, 2, 1e9, 1e9),
    });
    await executable.release();
    expect([...out.y!]).toEqual([1, 2, 1, 2]);
    expect([...out.gk!.slice(2), ...out.gv!.slice(2)]).toEqual([0, 0, 0, 0]);
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
  const row = graph.input('row', [1, 3]);
  const image = graph.input('image', [1, 1, 4, 4]);
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
    [
      'a large kernel',
      () => ops.conv2d(image, graph.input('k', [1, 1, 5, 5])),
      /Conv: a kernel of 5, 1 apart, is larger than 4/,
    ],
    ['a stride of 0', () => ops.conv2d(image, image, { stride: 0 }), /Conv: \[4, 0, 1, 1\] is not a shape/],
    [
      'maxPool2d',
      () => ops.maxPool2d(image, { kernel: 2, padding: 2 }),
      /MaxPool: a padding of 2 is more than half a kernel of 2/,
    ],
    ['averagePool2d', () => ops.averagePool2d(a, { kernel: 2 }), /averagePool2d: it got \[2, 3\]/],
    [
      'scatterAdd',
      () => ops.scatterAdd(a, graph.input('l', [3], 'int32'), 4),
      /scatterAdd: ids \[3\] do not fit \[2, 3\]/,
    ],
    ['gatherElements', () => ops.gatherElements(a, i, 0), /GatherElements: ids \[2\] do not fit \[2, 3\]/],
    ['topK', () => ops.topK(a, 4), /TopK: there are no 4 elements along axis -1 of \[2, 3\]/],
    ['argMax', () => ops.argMax(a, 2), /ArgMax: axis 2 does not exist in \[2, 3\]/],
    ['softmax', () => ops.softmax(ops.sum(a)), /Softmax: axis -1 does not exist in \[\]/],
    ['rmsNorm', () => ops.rmsNorm(a, graph.input('m', [2])), /rmsNorm: gamma \[2\] does not fit \[2, 3\]/],
    [
      'groupNorm',
      () => ops.groupNorm(image, a, a, 2),
      /groupNorm: 2 groups do not divide the channels of \[1, 1, 4, 4\]/,
    ],
    [
      'attention',
      () => ops.attention(a, a, graph.input('v', [3, 3])),
      /attention: q \[2, 3\], k \[2, 3\] and v \[3, 3\]/,
    ],
    ['causal attention', () => ops.attention(a, row, row, { causal: true }), /attention: 2 causal queries see 1 keys/],
    ['a mask', () => ops.attention(a, a, a, { mask: graph.input('n', [3, 2, 2]) }), /attention: the mask \[3, 2, 2\]/],
    [
      'crossEntropy',
      () => ops.crossEntropy(a, graph.input('classes', [3], 'int32')),
      /pick: ids \[3\] do not fit \[2, 3\]/,
    ],
    ['mse', () => ops.mse(a, row), /mse: \[2, 3\] and targets \[1, 3\] differ/],
    ['weights', () => ops.mse(a, a, { weights: row }), /mse: weights \[1, 3\] do not fit losses \[2, 3\]/],
    ['recompute', () => ops.recompute(() => a, []), /recompute: it got no inputs/],
    ['a fraction', () => ops.mul(i, 0.5), /Mul: 0.5 is no int32/],
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
