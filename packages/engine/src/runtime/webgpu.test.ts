import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { compile } from './executable.js';
import { gradients } from '../tensor/gradients.js';
import { Graph, type Tensor } from '../tensor/graph.js';
import * as ops from '../tensor/ops.js';
import { ParameterStore } from './parameters.js';
import { placementOf } from './placement.js';
import { Random } from '../random.js';
import { ResidentParameters } from './residentParameters.js';
import { sizeOf } from '../tensor/shape.js';
import { useSoftwareVulkan } from './vulkan.test.fixture.js';

const missing = useSoftwareVulkan();

type Use = [shapes: number[][], make: (ids: Tensor, ...xs: Tensor[]) => Tensor];

const x = [3, 4, 5];
const pair = [x, [4, 1]];
const unary = (make: (a: Tensor) => Tensor): Use => [[x], (_, a) => make(a)];
const binary = (make: (a: Tensor, b: Tensor) => Tensor): Use => [pair, (_, a, b) => make(a, b)];
const positive = (a: Tensor) => ops.add(ops.square(a), 0.5);

const uses: Record<string, Use> = {
  add: binary(ops.add),
  sub: binary(ops.sub),
  mul: binary(ops.mul),
  div: binary((a, b) => ops.div(a, positive(b))),
  minimum: binary(ops.minimum),
  maximum: binary(ops.maximum),
  where: binary((a, b) => ops.where(ops.greater(a, b), a, ops.neg(b))),
  clip: unary((a) => ops.clip(a, -0.5, 0.5)),
  exp: unary(ops.exp),
  log: unary((a) => ops.log(positive(a))),
  sqrt: unary((a) => ops.sqrt(positive(a))),
  abs: unary(ops.abs),
  erf: unary(ops.erf),
  tanh: unary(ops.tanh),
  relu: unary(ops.relu),
  gelu: unary(ops.gelu),
  transpose: unary((a) => ops.transpose(a, [2, 0, 1])),
  slice: unary((a) => ops.slice(a, 1, 1, 3)),
  pad: unary((a) => ops.pad(a, 2, 1, 2)),
  'concat and split of many': unary((a) => {
    const many = Array.from({ length: 20 }, (_, i) => ops.mul(a, i));
    return ops.concat(ops.split(ops.concat(many, 2), 2, new Array<number>(25).fill(4)).toReversed(), 1);
  }),
  sum: unary((a) => ops.sum(a, [0, 2])),
  mean: unary((a) => ops.mean(a, [1])),
  max: unary((a) => ops.max(a, 1)),
  matmul: [[x, [3, 6, 5]], (_, a, b) => ops.matmul(a, b, { transposeB: true, scale: 0.5 })],
  linear: [[x, [5, 7], [7]], (_, a, w, b) => ops.linear(a, w, b)],
  softmax: unary(ops.softmax),
  logSoftmax: unary(ops.logSoftmax),
  layerNorm: [[x, [5], [5]], (_, a, g, b) => ops.layerNorm(a, g, b)],
  gather: [[[4, 6]], (ids, table) => ops.gather(table, ids)],
  'scatterAdd, of few rows': [[[3, 4, 5]], (ids, rows) => ops.scatterAdd(rows, ids, 4)],
  'scatterAdd, of many rows': [[[3, 4, 5]], (ids, rows) => ops.scatterAdd(rows, ids, 600)],
  pick: unary((a) => ops.pick(a, ops.argMax(a, 2))),
  oneHot: [[[3, 4, 5]], (ids, a) => ops.mul(a, ops.oneHot(ids, 5))],
  conv2d: [
    [
      [2, 3, 7, 6],
      [4, 3, 3, 3],
    ],
    (_, a, w) => ops.conv2d(a, w, { stride: 2, padding: 1 }),
  ],
  maxPool2d: [[[2, 3, 6, 6]], (_, a) => ops.maxPool2d(a, { kernel: 2 })],
  recompute: unary((a) => ops.recompute((b) => ops.tanh(ops.mul(b, b)), [a])),
};

/** Uses one graph: sessions and shaders are slow to create. */
function everything() {
  const graph = new Graph({ backend: 'webgpu' });
  const ids = graph.input('ids', [3, 4], 'int32');
  const random = new Random(1);
  const normals = (shape: readonly number[]) => Float32Array.from({ length: sizeOf(shape) }, () => random.normal());
  const feeds: Record<string, Float32Array | Int32Array> = {
    ids: Int32Array.from({ length: 12 }, () => random.int(4)),
  };
  const outputs: Record<string, Tensor> = {};
  for (const [name, [shapes, make]] of Object.entries(uses)) {
    const inputs = shapes.map((shape, i) => graph.input(`${name} ${i}`, shape));
    for (const [i, shape] of shapes.entries()) feeds[`${name} ${i}`] = normals(shape);
    const y = make(ids, ...inputs);
    outputs[name] = y;
    const loss = ops.sum(ops.mul(y, graph.constant(normals(y.shape), y.shape)));
    for (const [i, gradient] of gradients(loss, inputs).entries()) outputs[`${name}, gradient ${i}`] = gradient;
  }
  return { outputs, feeds };
}

it.skipIf(missing)(
  `computes every operator and its gradient as the CPU does${missing ? `: ${missing}` : ''}`,
  async () => {
    const { outputs, feeds } = everything();
    const [expected, actual] = await Promise.all(
      (['cpu', 'webgpu'] as const).map(async (backend) => {
        const executable = await compile(outputs, { backend, threads: 1 });
        const out = await executable.run(feeds);
        await executable.release();
        return out;
      }),
    );
    for (const name of Object.keys(outputs)) {
      const values = [...expected![name]!];
      const difference = Math.max(...values.map((value, i) => Math.abs(value - actual![name]![i]!)));
      expect(difference, name).toBeLessThan(1e-5 * Math.max(1, ...values.map(Math.abs)));
    }
  },
);

it.skipIf(missing)('leaves no operator to the CPU', async () => {
  const { nodes, onCpu } = await placementOf(everything().outputs);
  expect(onCpu).toEqual([]);
  expect(nodes).toBeGreaterThan(200);
});

it.skipIf(missing)('says which operators do fall back', async () => {
  const graph = new Graph();
  const places = ops.argMax(graph.input('x', [3, 4]), 1);
  const { nodes, onCpu } = await placementOf({ places }, { backend: 'webgpu' });
  expect(onCpu).toEqual(['Cast']);
  expect(nodes).toBeGreaterThan(1);
});

it.skipIf(missing)('keeps parameters on the device until they are said to have changed', async () => {
  const store = new ParameterStore([{ name: 'w', shape: [2], init: 'ones' }], 1);
  const resident = new ResidentParameters(store);
  const graph = new Graph({ backend: 'webgpu' });
  const w = graph.parameter('w', [2]);
  const executable = await compile({ y: ops.mul(w, graph.input('x', [2])) });
  const run = async () => [...(await executable.run({ x: Float32Array.of(2, 3) }, resident)).y!];
  expect(await run()).toEqual([2, 3]);
  store.data.fill(10);
  expect(await run()).toEqual([2, 3]);
  const underWay = run();
  resident.changed();
  expect(await underWay).toEqual([2, 3]);
  expect(await run()).toEqual([20, 30]);
  const onCpu = await compile({ y: ops.neg(w) }, { backend: 'cpu' });
  expect([...(await onCpu.run({}, resident)).y!]).toEqual([-10, -10]);
  await Promise.all([executable.release(), onCpu.release(), resident.release()]);
});

it.skipIf(process.platform !== 'linux')(
  'without a driver says what to install, as a graph and as an engine in its thread',
  () => {
    const program = `
    import(${JSON.stringify(new URL('../index.js', import.meta.url).href)}).then(async (engine) => {
    const { EngineThread, Graph, architectures, compile, ops } = engine;
    const y = ops.neg(new Graph({ backend: 'webgpu' }).input('x', [1]));
    const tried = [compile({ y }), EngineThread.start({ architecture: architectures.nano, seed: 1, backend: 'webgpu' })];
    const errors = (await Promise.allSettled(tried)).map(({ reason }) => reason);
    console.log(JSON.stringify(errors.map(({ code, message, detail: { field, fix } }) => ({ code, message, field, fix }))));
    });`;
    const env = { ...process.env, VK_ICD_FILENAMES: '/not/there.json', VK_DRIVER_FILES: '/not/there.json' };
    const { stdout, status } = spawnSync(process.execPath, ['--eval', program], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    const error = {
      code: 'missing',
      field: 'backend',
      message: expect.stringMatching(/^WebGPU is not available: .*(libvulkan|driver)/) as string,
      fix: expect.stringMatching(/^install .*; or use the backend cpu$/) as string,
    };
    expect(JSON.parse(stdout)).toEqual([error, error]);
    expect(status).toBe(0);
  },
);
