import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  AdamW,
  Graph,
  ParameterStore,
  type ParameterSpec,
  Random,
  type Tensor,
  compile,
  gradients,
  ops,
} from '@gyre/engine';

const {
  add,
  concat,
  gather,
  gelu,
  layerNorm,
  linear,
  logSoftmax,
  matmul,
  mean,
  neg,
  pick,
  reshape,
  slice,
  softmax,
  transpose,
} = ops;

/** The reference model: a causal transformer with pre-norm, 945,408 parameters in 70 tensors. */
const width = 128;
const referenceLayers = 4;
const heads = 4;
const headWidth = width / heads;
const vocabulary = 512;
const time = 160;
const batch = 16;
/** Added to scores of the future: less than float32 resolves, and no denormal numbers, which are slow. */
const masked = -64;

export interface EngineBenchmark {
  /** Rate of one n x n matrix product, in GFLOP/s. */
  matmulGflops: { n: number; threads: number; gflops: number }[];
  /** Median over whole steps: forward, backward, AdamW. The peak is this run's own 1024 x 1024 product. */
  training: {
    params: number;
    threads: number;
    backend: 'cpu';
    msPerStep: number;
    shareOfPeak: number;
    gflopPerStep: number;
  }[];
  /** Peak memory of a child process that trains a deeper model, with the values of each layer kept or computed again. */
  memory: ({ layers: number; recompute: boolean } & TrainingCost)[];
  /** Median over single tokens after 159 past ones, whose keys and values are kept. */
  decode: { params: number; batch: number; msPerToken: number }[];
}

/** Measures the embedded engine on this machine. `seconds` is for all measurements together; default 20. */
export async function benchEngine({ seconds = 20 }: { seconds?: number } = {}): Promise<EngineBenchmark> {
  const params = newParameters().size;
  const counts = [...new Set([1, availableParallelism()])];
  // Equal slices of time: two matrix products and one training per thread count, two child processes, two decodes.
  const share = (seconds * 1000) / (3 * counts.length + 4);
  const matmulGflops: EngineBenchmark['matmulGflops'] = [];
  const training: EngineBenchmark['training'] = [];
  for (const threads of counts) {
    for (const n of [512, 1024]) matmulGflops.push({ n, threads, gflops: await matmulRate(n, threads, share) });
    const peak = matmulGflops.at(-1)!.gflops;
    const msPerStep = await trainingStep(threads, share);
    const shareOfPeak = gflopPerStep / (msPerStep / 1000) / peak;
    training.push({ params, threads, backend: 'cpu', msPerStep, shareOfPeak, gflopPerStep });
  }
  const memory: EngineBenchmark['memory'] = [];
  for (const recompute of [false, true]) {
    memory.push({ layers: deepLayers, recompute, ...(await inChild(recompute, share)) });
  }
  const decode: EngineBenchmark['decode'] = [];
  for (const size of [1, batch]) {
    decode.push({ params, batch: size, msPerToken: await decodeStep(size, share) });
  }
  return { matmulGflops, training, memory, decode };
}

/**
 * Multiplications and additions of one training step, in units of 10^9: each weight of a product is used three times per
 * token (forward and two products backward), attention has two products of [time, time] by [time, width] per layer.
 */
const gflopPerStep =
  (3 *
    2 *
    (batch * time * (referenceLayers * 12 * width ** 2 + width * vocabulary) +
      referenceLayers * 2 * batch * time ** 2 * width)) /
  1e9;

/** Median time of `work` in ms over a slice of time, after two calls that are not counted. */
async function median(work: () => Promise<unknown>, ms: number): Promise<number> {
  await work();
  await work();
  const times: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end || times.length < 3;) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

async function matmulRate(n: number, threads: number, ms: number): Promise<number> {
  const graph = new Graph();
  const executable = await compile(
    { product: matmul(graph.input('a', [n, n]), graph.input('b', [n, n])) },
    { threads },
  );
  const random = new Random(1);
  const feeds = {
    a: Float32Array.from({ length: n * n }, () => random.normal()),
    b: new Float32Array(n * n).fill(0.5),
  };
  const into = { product: new Float32Array(n * n) };
  const time = await median(() => executable.run(feeds, undefined, into), ms);
  await executable.release();
  return (2 * n ** 3) / (time * 1e6);
}

/** What training costs: the median time of a step, and the peak memory of the process in units of 2^20 bytes. */
export interface TrainingCost {
  msPerStep: number;
  peakMiB: number;
}

/** Layers of the model whose memory is measured. */
const deepLayers = 12;

/** What `training.js` says that it cost: a process of its own has a peak of its own. */
async function inChild(recompute: boolean, ms: number): Promise<TrainingCost> {
  const program = fileURLToPath(new URL('training.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify({ recompute, ms })]);
  return JSON.parse(stdout) as TrainingCost;
}

/** Trains the deep model in this process. */
export async function trainDeep(recompute: boolean, ms: number): Promise<TrainingCost> {
  const msPerStep = await trainingStep(availableParallelism(), ms, { layers: deepLayers, recompute });
  return { msPerStep, peakMiB: process.resourceUsage().maxRSS / 1024 };
}

async function trainingStep(
  threads: number,
  ms: number,
  { layers = referenceLayers, recompute = false } = {},
): Promise<number> {
  const parameters = newParameters(layers);
  const graph = new Graph();
  const tokens = graph.input('tokens', [batch, time], 'int32');
  const logits = decoder(graph, tokens, 0, () => undefined, { layers, recompute });
  const loss = neg(mean(pick(logSoftmax(logits), graph.input('targets', [batch, time], 'int32'))));
  const weights = parameters.specs.map(({ name, shape }) => graph.parameter(name, shape));
  const outputs = Object.fromEntries(
    gradients(loss, weights).map((gradient, place) => [parameters.specs[place]!.name, gradient]),
  );
  const executable = await compile({ ...outputs, loss }, { threads });
  const random = new Random(1);
  const ids = () => Int32Array.from({ length: batch * time }, () => random.int(vocabulary));
  const feeds = { tokens: ids(), targets: ids() };
  const gradient = new Float32Array(parameters.size);
  const into = Object.fromEntries(parameters.specs.map(({ name }) => [name, parameters.view(name, gradient)]));
  const optimiser = new AdamW(parameters);
  const step = async () => {
    await executable.run(feeds, parameters, into);
    optimiser.step(gradient, 1e-3);
  };
  const result = await median(step, ms);
  await executable.release();
  return result;
}

async function decodeStep(size: number, ms: number): Promise<number> {
  const parameters = newParameters();
  const graph = new Graph();
  const cache = [size, heads, time - 1, headWidth];
  const outputs: Record<string, Tensor> = {};
  const logits = decoder(graph, graph.input('tokens', [size, 1], 'int32'), time - 1, (name, made) => {
    outputs[name] = made;
    return graph.input(`past.${name}`, cache);
  });
  const executable = await compile({ ...outputs, logits }, { threads: 1 });
  const random = new Random(1);
  const past = () => Float32Array.from({ length: size * time * width - size * width }, () => random.normal());
  const feeds = {
    tokens: Int32Array.from({ length: size }, () => random.int(vocabulary)),
    ...Object.fromEntries(Object.keys(outputs).map((name) => [`past.${name}`, past()])),
  };
  const result = await median(() => executable.run(feeds, parameters), ms);
  await executable.release();
  return result;
}

/** Logits of the tokens that stand after `past` ones: [batch, time] -> [batch, time, vocabulary]. */
function decoder(
  graph: Graph,
  tokens: Tensor,
  past: number,
  /** Takes the new keys and values [batch, heads, time, headWidth] of a layer and gives the past ones, if there are any. */
  remember: (name: string, made: Tensor) => Tensor | undefined,
  { layers = referenceLayers, recompute = false } = {},
): Tensor {
  const [rows, columns] = tokens.shape as [number, number];
  const weights = new Map(specsOf(layers).map((spec) => [spec.name, graph.parameter(spec.name, spec.shape)]));
  const weight = (name: string) => weights.get(name)!;
  const project = (x: Tensor, name: string) => linear(x, weight(`${name}.weight`), weight(`${name}.bias`));
  const norm = (x: Tensor, name: string) => layerNorm(x, weight(`${name}.gamma`), weight(`${name}.beta`));
  const split = (x: Tensor) => transpose(reshape(x, [rows, columns, heads, headWidth]), [0, 2, 1, 3]);
  const recall = (name: string, made: Tensor) => {
    const earlier = remember(name, made);
    return earlier ? concat([earlier, made], 2) : made;
  };
  const mask = Float32Array.from({ length: columns * (past + columns) }, (_, i) =>
    i % (past + columns) > past + Math.floor(i / (past + columns)) ? masked : 0,
  );
  const causal = graph.constant(mask, [columns, past + columns]);
  const positions = slice(weight('positions'), 0, past, past + columns);
  const layer = (name: string, x: Tensor) => {
    const y = norm(x, `${name}.norm1`);
    const keys = recall(`${name}.keys`, split(project(y, `${name}.key`)));
    const values = recall(`${name}.values`, split(project(y, `${name}.value`)));
    const queries = split(project(y, `${name}.query`));
    const scores = matmul(queries, keys, { transposeB: true, scale: headWidth ** -0.5 });
    const mixed = matmul(softmax(columns === 1 ? scores : add(scores, causal)), values);
    const z = add(x, project(reshape(transpose(mixed, [0, 2, 1, 3]), [rows, columns, width]), `${name}.out`));
    return add(z, project(gelu(project(norm(z, `${name}.norm2`), `${name}.up`)), `${name}.down`));
  };
  let x = add(gather(weight('tokens'), tokens), positions);
  for (let place = 0; place < layers; place++) {
    const build = (x: Tensor) => layer(`layer${place}`, x);
    x = recompute ? ops.recompute(build, [x]) : build(x);
  }
  return project(norm(x, 'norm'), 'head');
}

const specsOf = (layers: number): readonly ParameterSpec[] => [
  { name: 'tokens', shape: [vocabulary, width], init: { normal: 0.02 } },
  { name: 'positions', shape: [time, width], init: { normal: 0.02 } },
  ...Array.from({ length: layers }, (_, layer) => [
    ...normSpecs(`layer${layer}.norm1`),
    ...['query', 'key', 'value', 'out'].flatMap((name) => linearSpecs(`layer${layer}.${name}`, width, width)),
    ...normSpecs(`layer${layer}.norm2`),
    ...linearSpecs(`layer${layer}.up`, width, 4 * width),
    ...linearSpecs(`layer${layer}.down`, 4 * width, width),
  ]).flat(),
  ...normSpecs('norm'),
  ...linearSpecs('head', width, vocabulary),
];

function normSpecs(name: string): ParameterSpec[] {
  return [
    { name: `${name}.gamma`, shape: [width], init: 'ones' },
    { name: `${name}.beta`, shape: [width], init: 'zeros' },
  ];
}

function linearSpecs(name: string, into: number, out: number): ParameterSpec[] {
  return [
    { name: `${name}.weight`, shape: [into, out], init: { normal: 0.02 } },
    { name: `${name}.bias`, shape: [out], init: 'zeros' },
  ];
}

function newParameters(layers = referenceLayers): ParameterStore {
  return new ParameterStore(specsOf(layers), 1);
}
