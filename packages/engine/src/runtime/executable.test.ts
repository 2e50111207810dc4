import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, type Executable, type Output } from './executable.js';
import { ancestors, gradients } from '../tensor/gradients.js';
import { Graph, type Tensor } from '../tensor/graph.js';
import { reorderResults } from '../tensor/reorderResults.js';
import * as ops from '../tensor/ops.js';
import { ParameterStore } from './parameters.js';
import { Random } from '../random.js';

const parameters = new ParameterStore([{ name: 'w', shape: [3, 2], init: { normal: 1 } }], 5);

describe('executable', () => {
  let executable: Executable;
  beforeAll(async () => {
    const graph = new Graph();
    const x = graph.input('x', [4, 3]);
    graph.input('unused', [1]);
    const w = graph.parameter('w', [3, 2]);
    const y = ops.matmul(x, w);
    const loss = ops.sum(y);
    executable = await compile({ y, same: y, x, loss, w: gradients(loss, [w])[0]! });
  });
  afterAll(() => executable.release());
  const x = Float32Array.from({ length: 12 }, (_, i) => i);

  it('says what it must be fed with, and leaves out what nothing depends on', () => {
    expect(executable.inputs).toEqual([{ name: 'x', shape: [4, 3], dtype: 'float32' }]);
    expect(executable.parameters).toEqual([{ name: 'w', shape: [3, 2] }]);
  });

  it('gives one tensor under two names, and an input as an output', async () => {
    const out = await executable.run({ x }, parameters);
    expect(out.same).toEqual(out.y);
    expect([...out.x!]).toEqual([...x]);
  });

  it('writes outputs in place, into parts of one array', async () => {
    const flat = new Float32Array(10);
    const out = await executable.run({ x }, parameters, { w: flat.subarray(2, 8) });
    expect([...flat]).toEqual([0, 0, 18, 18, 22, 22, 26, 26, 0, 0]);
    expect(out.w!.buffer).toBe(flat.buffer);
  });

  it('reads parameters as they are at each run', async () => {
    const copy = parameters.clone();
    const before = await executable.run({ x }, copy);
    copy.data.fill(0);
    const after = await executable.run({ x }, copy);
    expect(before.loss![0]).not.toBe(0);
    expect(after.loss![0]).toBe(0);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['a missing input', () => executable.run({}, parameters), 'input x [4, 3] got nothing'],
    [
      'a short input',
      () => executable.run({ x: new Float32Array(11) }, parameters),
      'input x [4, 3] got Float32Array of 11',
    ],
    [
      'another type',
      () => executable.run({ x: new Int32Array(12) }, parameters),
      'input x [4, 3] got Int32Array of 12',
    ],
    ['missing parameters', () => executable.run({ x }), 'parameter w [3, 2] got nothing'],
    [
      'a parameter of another shape',
      () => executable.run({ x }, new ParameterStore([{ name: 'w', shape: [2, 3], init: 'ones' }], 1)),
      'parameter w is [3, 2]',
    ],
    [
      'a short buffer',
      () => executable.run({ x }, parameters, { w: new Float32Array(5) }),
      'output w [3, 2] got Float32Array of 5',
    ],
    ['a buffer for nothing', () => executable.run({ x }, parameters, { v: new Float32Array(5) }), 'no output v'],
  ])('refuses %s', async (_, run, message) => {
    await expect(run()).rejects.toMatchObject({ code: 'shape', message: expect.stringContaining(message) });
  });

  it('says that an id is outside its table', async () => {
    const graph = new Graph();
    const rows = await compile({ y: ops.gather(graph.input('table', [2, 2]), graph.input('ids', [1], 'int32')) });
    const run = rows.run({ table: new Float32Array(4), ids: Int32Array.of(2) });
    await expect(run).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('out of data bounds'),
    });
    await rows.release();
  });

  it('is released after the runs that are under way, and then runs no more', async () => {
    const graph = new Graph();
    const square = graph.input('x', [600, 600]);
    const product = await compile({ y: ops.matmul(ops.matmul(square, square), square) });
    const feeds = { x: new Float32Array(600 * 600).fill(0.01) };
    const runs = [product.run(feeds), product.run(feeds)];
    const released = product.release();
    await expect(product.run(feeds)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'executable' } });
    await released;
    for (const { y } of await Promise.all(runs)) expect(y![0]).toBeCloseTo(36 * 0.01, 3);
    await product.release();
  });

  it('is refused when one tensor is larger than the memory, naming what makes it', async () => {
    const graph = new Graph();
    const far = ops.add(graph.input('a', [1e6, 1]), graph.input('b', [1, 1e8]));
    await expect(compile({ y: ops.sum(far) })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/^Add \[1000000, 100000000\] takes 3.73e\+5 GiB, but this machine has/),
      detail: { field: 'Add', fix: 'reduce the batch size' },
    });
  });

  it('says that memory is short when the runtime cannot allocate, and how much was needed', () => {
    const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
    const program = `import { compile } from ${here('./executable.js')};
import { Graph } from ${here('../tensor/graph.js')};
import { mul, sum, tanh } from ${here('../tensor/ops.js')};
const graph = new Graph();
const table = tanh(mul(graph.input('a', [30_000, 1]), graph.input('b', [1, 30_000])));
const executable = await compile({ y: sum(table) }, { threads: 1 });
const feeds = { a: new Float32Array(30_000), b: new Float32Array(30_000) };
console.log(await executable.run(feeds).catch(({ code, message, detail }) => [code, message, detail.fix].join('; ')));`;
    // `ulimit -d`, in KiB, makes an allocation of 3.6 GB fail.
    const limited = ['-c', 'ulimit -d 3000000; exec "$0" --input-type=module -e "$1"', process.execPath, program];
    const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' });
    expect(stdout).toBe(
      'bad_input; not enough memory for a graph of about 6.71 GiB; reduce the batch size, or release unused executables\n',
    );
  });

  it('knows about how many bytes it needs', async () => {
    const graph = new Graph();
    const x = graph.input('x', [1000]);
    // Only two 4 MB intermediates are alive at once.
    let wide = ops.matmul(ops.reshape(x, [1000, 1]), ops.reshape(x, [1, 1000]));
    for (let i = 0; i < 8; i++) wide = ops.tanh(wide);
    const chain = await compile({ y: ops.sum(wide) });
    expect(chain.bytes).toBeGreaterThanOrEqual(8e6);
    expect(chain.bytes).toBeLessThan(8.1e6);
    await chain.release();
  });

  it('refuses outputs that cannot be', async () => {
    const graph = new Graph();
    await expect(compile({})).rejects.toMatchObject({ code: 'shape' });
    await expect(compile({ a: graph.input('a', [1]), b: new Graph().input('b', [1]) })).rejects.toMatchObject({
      code: 'shape',
    });
    await expect(compile({ a: graph.input('n', [1], 'int64') })).rejects.toMatchObject({ code: 'shape' });
  });

  it('writes results last, the first one at the end, after everything that they need', () => {
    const graph = new Graph();
    const w = ['a', 'b', 'c'].map((name) => graph.parameter(name, [4, 4]));
    const loss = ops.sum(w.reduce((y, weight) => ops.matmul(ops.tanh(y), weight), graph.input('x', [4, 4])));
    const weightGradients = gradients(loss, w);
    const order = reorderResults(ancestors(loss, ...weightGradients));
    const place = (tensor: Tensor) => order.findIndex(({ outputs }) => outputs.includes(tensor));
    expect([...weightGradients, loss].map(place)).toEqual([1, 2, 3, 4].map((i) => order.length - 5 + i));
    for (const [i, node] of order.entries()) {
      for (const input of node.inputs) expect(place(input)).toBeLessThan(i);
    }
  });

  it('gives the same bits with one thread and with two, run after run', async () => {
    const graph = new Graph();
    const [rows, time, width, vocabulary] = [8, 64, 64, 700];
    const store = new ParameterStore(
      [
        { name: 'table', shape: [vocabulary, width], init: { normal: 0.1 } },
        { name: 'gamma', shape: [width], init: 'ones' },
        { name: 'beta', shape: [width], init: 'zeros' },
        { name: 'up', shape: [width, 4 * width], init: { normal: 0.1 } },
        { name: 'bias', shape: [4 * width], init: 'zeros' },
        { name: 'down', shape: [4 * width, width], init: { normal: 0.1 } },
        { name: 'small', shape: [16, width], init: { normal: 0.1 } },
      ],
      1,
    );
    const weights = Object.fromEntries(store.specs.map(({ name, shape }) => [name, graph.parameter(name, shape)]));
    const { table, gamma, beta, up, bias, down, small } = weights as Record<string, ReturnType<typeof graph.parameter>>;
    const ids = graph.input('ids', [rows, time], 'int32');
    const kinds = graph.input('kinds', [rows, time], 'int32');
    const x = ops.layerNorm(ops.add(ops.gather(table!, ids), ops.gather(small!, kinds)), gamma!, beta!);
    const attended = ops.matmul(ops.softmax(ops.matmul(x, x, { transposeB: true, scale: 0.1 })), x);
    const y = ops.add(attended, ops.linear(ops.gelu(ops.linear(attended, up!, bias)), down!));
    const loss = ops.neg(ops.mean(ops.pick(ops.logSoftmax(ops.matmul(y, table!, { transposeB: true })), ids)));
    const outputs = {
      loss,
      ...Object.fromEntries(gradients(loss, Object.values(weights)).map((g, i) => [store.specs[i]!.name, g])),
    };
    const random = new Random(2);
    const draw = (n: number) => Int32Array.from({ length: rows * time }, () => random.int(n));
    const feeds = { ids: draw(5), kinds: draw(3) };
    const seen = new Set<string>();
    for (const threads of [1, 2]) {
      const compiled = await compile(outputs, { threads });
      for (let repeat = 0; repeat < 5; repeat++) {
        const out = await compiled.run(feeds, store);
        expect(out.loss![0]).toBeGreaterThan(0);
        seen.add(
          Object.values(out)
            .map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64'))
            .join(),
        );
      }
      await compiled.release();
    }
    expect(seen.size).toBe(1);
  });

  it('gives the same bits with one thread and with two, for reductions, normalisations and elementwise operators', async () => {
    const graph = new Graph();
    const random = new Random(3);
    const outputs: Record<string, Tensor> = {};
    const shapes = [[100_000], [2560, 33], [33, 2560], [4096, 3], [7, 5000], [3, 202, 20], [2, 2, 700], [8, 3, 24, 32]];
    for (const [i, shape] of shapes.entries()) {
      const x = graph.input(`x${i}`, shape);
      for (let axes = 1; axes < 2 ** shape.length; axes++) {
        const chosen = [...shape.keys()].filter((axis) => axes & (1 << axis));
        outputs[`sum ${i} ${axes}`] = ops.sum(x, chosen);
        outputs[`mean ${i} ${axes}`] = ops.mean(x, chosen);
      }
      const d = [shape.at(-1)!];
      const perColumn = [graph.input(`gamma${i}`, d), graph.input(`beta${i}`, d)] as const;
      const operators = {
        softmax: ops.softmax,
        logSoftmax: ops.logSoftmax,
        gelu: ops.gelu,
        erf: ops.erf,
        tanh: ops.tanh,
      };
      for (const [name, operator] of Object.entries(operators)) outputs[`${name} ${i}`] = operator(x);
      outputs[`layerNorm ${i}`] = ops.layerNorm(x, ...perColumn);
      outputs[`product ${i}`] = ops.mul(ops.add(x, perColumn[0]), ops.exp(x));
    }
    const feeds: Record<string, Float32Array> = {};
    const results: Record<string, Output>[] = [];
    for (const threads of [1, 2]) {
      const compiled = await compile(outputs, { threads });
      for (const { name, shape } of compiled.inputs) {
        const size = shape.reduce((product, length) => product * length, 1);
        feeds[name] ??= Float32Array.from({ length: size }, () => random.normal());
      }
      results.push(await compiled.run(feeds));
      await compiled.release();
    }
    const [first, second] = results as [Record<string, Output>, Record<string, Output>];
    const differing = Object.keys(outputs).filter(
      (name) => !first[name]!.every((value, i) => value === second[name]![i]),
    );
    expect(differing).toEqual([]);
  });
});
