import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compile } from '../runtime/executable.js';
import { ancestors, gradients } from './gradients.js';
import { Graph, type Tensor } from './graph.js';
import * as ops from './ops.js';
import { ParameterStore, type ParameterSpec } from '../runtime/parameters.js';
import { Random } from '../random.js';

const [depth, rows, width] = [3, 5, 8];
const specs: ParameterSpec[] = Array.from({ length: depth }, (_, layer) => [
  { name: `w${layer}`, shape: [width, width], init: { normal: 0.3 } } as const,
  { name: `b${layer}`, shape: [width], init: { normal: 0.3 } } as const,
]).flat();
const parameters = new ParameterStore(specs, 1);
const random = new Random(2);
const x = Float32Array.from({ length: rows * width }, () => random.normal());

type Run = (block: (...xs: Tensor[]) => Tensor, inputs: Tensor[]) => Tensor;
const keep: Run = (block, inputs) => block(...inputs);

async function train(build: (x: Tensor, weight: (name: string) => Tensor, run: Run) => Tensor, run: Run) {
  const graph = new Graph();
  const input = graph.input('x', [rows, width]);
  const weight = (name: string) => graph.parameter(name, specs.find((spec) => spec.name === name)!.shape);
  const loss = ops.mean(ops.square(build(input, weight, run)));
  const names = ['x', ...specs.map(({ name }) => name).filter((name) => graph.hasParameter(name))];
  const gradientTensors = gradients(loss, [input, ...names.slice(1).map(weight)]);
  const outputs = { loss, ...Object.fromEntries(gradientTensors.map((g, i) => [names[i]!, g])) };
  const executable = await compile(outputs, { threads: 1 });
  const out = await executable.run({ x }, parameters);
  await executable.release();
  return { out, products: ancestors(...Object.values(outputs)).filter(({ op }) => op === 'Gemm').length };
}

const layer = (x: Tensor, weight: (name: string) => Tensor, i: number) =>
  ops.add(ops.gelu(ops.linear(x, weight(`w${i}`), weight(`b${i}`))), x);

describe('a recomputed block', () => {
  it.each<[string, Parameters<typeof train>[0]]>([
    ['of each layer', (x, weight, run) => [0, 1, 2].reduce((y, i) => run((y) => layer(y, weight, i), [y]), x)],
    [
      'inside another',
      (x, weight, run) => run((x) => run((y) => layer(y, weight, 1), [run((y) => layer(y, weight, 0), [x])]), [x]),
    ],
    [
      'that uses what was there before, and what comes from its own input',
      (x, weight, run) => {
        const before = ops.tanh(ops.matmul(x, weight('w0')));
        const y = run((x) => ops.mul(ops.tanh(ops.matmul(x, weight('w0'))), ops.add(before, weight('b0'))), [x]);
        return ops.add(y, ops.mul(before, weight('b0')));
      },
    ],
    [
      'of several inputs, one of which comes twice',
      (x, weight, run) => run((a, b, c) => ops.mul(ops.matmul(a, b), ops.exp(c)), [x, weight('w0'), ops.tanh(x)]),
    ],
    [
      'that gives its input',
      (x, weight, run) =>
        ops.matmul(
          run((x) => x, [x]),
          weight('w0'),
        ),
    ],
    [
      'from whole numbers',
      (x, weight, run) => {
        const ids = x.graph.constant(Int32Array.of(1, 3, 3, 0, 2), [rows]);
        return ops.add(
          run((ids) => ops.gelu(ops.gather(weight('w0'), ids)), [ids]),
          x,
        );
      },
    ],
  ])('%s gives the same gradients as if its values were kept', async (_, build) => {
    const baseline = await train(build, keep);
    const again = await train(build, ops.recompute);
    expect(Object.keys(again.out)).toEqual(Object.keys(baseline.out));
    for (const [name, values] of Object.entries(baseline.out)) {
      const size = Math.max(...[...values].map(Math.abs));
      for (const [i, value] of values.entries()) {
        expect(Math.abs(again.out[name]![i]! - value), name).toBeLessThan(1e-6 * size);
      }
    }
  });

  it('is computed twice', async () => {
    const build: Parameters<typeof train>[0] = (x, weight, run) => run((x) => layer(x, weight, 0), [x]);
    const baseline = await train(build, keep);
    const again = await train(build, ops.recompute);
    expect(again.products).toBe(baseline.products + 1);
  });

  it('does not give gradients of what is inside', () => {
    const graph = new Graph();
    let inside: Tensor | undefined;
    const y = ops.recompute((x) => ops.exp((inside = ops.square(x))), [graph.input('x', [2])]);
    expect(() => gradients(ops.sum(y), [inside!])).toThrow(
      expect.objectContaining({ code: 'shape', message: expect.stringContaining('inside a recomputed block') }),
    );
  });

  it('must be the same again', () => {
    const x = new Graph().input('x', [2, 3]);
    let calls = 0;
    const y = ops.recompute((x) => ops.exp(ops.reshape(x, calls++ === 0 ? [3, 2] : [6])), [x]);
    expect(() => gradients(ops.sum(y), [x])).toThrow(/built \[3, 2\], then \[6\]/);
  });

  it('needs less memory', async () => {
    const peak = async (how: 'keep' | 'recompute') => {
      const child = new URL('./deepNetwork.test.fixture.js', import.meta.url);
      const { stdout } = await promisify(execFile)(process.execPath, [child.pathname, how]);
      return Number(stdout);
    };
    // 24 layers keep 2 MiB for each of three tanh and the sum; part of it is reused.
    expect(await peak('keep')).toBeGreaterThan((await peak('recompute')) + 60 * 2 ** 20);
  });
});
