import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../runtime/executable.js';
import { ancestors, gradients } from './gradients.js';
import { Graph, type Tensor } from './graph.js';
import * as ops from './ops.js';
import { Random } from '../random.js';
import { sizeOf } from './shape.js';

async function evaluate(outputs: Record<string, Tensor>, feeds: Record<string, Float32Array>) {
  const executable = await compile(outputs, { threads: 1 });
  try {
    return await executable.run(feeds);
  } finally {
    await executable.release();
  }
}

describe('gradients', () => {
  it('of a tensor that is used several times add up', async () => {
    const graph = new Graph();
    const x = graph.input('x', [2]);
    const y = ops.mul(x, x);
    const loss = ops.sum(ops.add(ops.mul(y, x), ops.add(y, x)));
    const out = await evaluate({ g: gradients(loss, [x])[0]! }, { x: Float32Array.of(2, -3) });
    expect([...out.g!]).toEqual([17, 22]);
  });

  it('of something on the way to the loss are there too', async () => {
    const graph = new Graph();
    const x = graph.input('x', [2]);
    const y = ops.square(x);
    const out = await evaluate({ g: gradients(ops.sum(ops.square(y)), [y])[0]! }, { x: Float32Array.of(1, 3) });
    expect([...out.g!]).toEqual([2, 18]);
  });

  it('of what the loss does not depend on are zeros, and of the loss itself is one', async () => {
    const graph = new Graph();
    const x = graph.input('x', [2]);
    const loss = ops.sum(x);
    const [unused, stopped, itself] = gradients(loss, [graph.parameter('p', [2, 2]), ops.stopGradient(x), loss]);
    const out = await evaluate({ unused: unused!, stopped: stopped!, itself: itself! }, {});
    expect([...out.unused!]).toEqual([0, 0, 0, 0]);
    expect([...out.stopped!]).toEqual([0, 0]);
    expect([...out.itself!]).toEqual([1]);
  });

  it('of gradients are second derivatives', async () => {
    const graph = new Graph();
    const x = graph.input('x', [2]);
    const [first] = gradients(ops.sum(ops.mul(ops.exp(x), ops.square(x))), [x]);
    const [second] = gradients(ops.sum(first!), [x]);
    const out = await evaluate({ second: second! }, { x: Float32Array.of(0, 1) });
    expect(out.second![0]).toBeCloseTo(2, 5);
    expect(out.second![1]).toBeCloseTo(7 * Math.E, 4);
  });

  it('are not built for branches that no asked tensor feeds', () => {
    const graph = new Graph();
    const x = graph.input('x', [4, 4]);
    const w = graph.parameter('w', [4, 4]);
    const first = ops.matmul(x, graph.parameter('frozen', [4, 4]));
    const loss = ops.sum(ops.matmul(first, w));
    const products = ancestors(...gradients(loss, [w])).filter((node) => node.op === 'Gemm' || node.op === 'MatMul');
    expect(products).toHaveLength(2);
  });

  it('of a loss that is not a scalar are refused', () => {
    const x = new Graph().input('x', [2]);
    expect(() => gradients(x, [x])).toThrow(
      expect.objectContaining({ code: 'shape', detail: expect.objectContaining({ field: 'loss' }) }),
    );
  });

  it('of random expressions agree with finite differences', async () => {
    const steps: ((x: Tensor, y: Tensor) => Tensor)[] = [
      (x, y) => ops.add(x, y),
      (x, y) => ops.mul(ops.tanh(x), y),
      (x) => ops.layerNorm(x, x.graph.constant([1, 2, 0.5], [3]), x.graph.constant([0, 1, 0], [3]), 0.1),
      (x) => ops.softmax(x),
      (x, y) => ops.add(ops.sum(x, [0], { keepDims: true }), y),
      (x) => ops.gelu(x),
      (x, y) => ops.matmul(x, ops.matmul(x, y, { transposeA: true })),
      (x) => ops.sub(x, ops.mean(x, [1], { keepDims: true })),
    ];
    const rows = fc.integer({ min: 1, max: 4 });
    const chain = fc.array(fc.nat(steps.length - 1), { minLength: 1, maxLength: 5 });
    const random = new Random(3);
    const draw = (size: number) => Float32Array.from({ length: size }, () => random.normal() / 2);
    await fc.assert(
      fc.asyncProperty(rows, chain, async (n, places) => {
        const graph = new Graph();
        const x = graph.input('x', [n, 3]);
        let [before, now] = [x, x];
        for (const place of places) [before, now] = [now, steps[place]!(now, before)];
        const loss = ops.sum(ops.mul(now, graph.constant(draw(sizeOf(now.shape)), now.shape)));
        const executable = await compile({ loss, g: gradients(loss, [x])[0]! }, { threads: 1 });
        const point = draw(3 * n);
        const direction = draw(3 * n);
        const { g } = await executable.run({ x: point });
        const slope = direction.reduce((total, d, i) => total + d * g![i]!, 0);
        const errors: number[] = [];
        for (const eps of [1e-1, 3e-2, 1e-2, 3e-3]) {
          const value = async (step: number) =>
            (await executable.run({ x: point.map((v, i) => v + step * direction[i]!) })).loss![0]!;
          errors.push(Math.abs(((await value(eps)) - (await value(-eps))) / (2 * eps) - slope));
        }
        await executable.release();
        const size = Math.max(1, ...g!.map(Math.abs));
        expect(Math.min(...errors)).toBeLessThan(1e-2 * size);
      }),
      { numRuns: 60, seed: 20 },
    );
  });
});
