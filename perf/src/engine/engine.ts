import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type Backend,
  Graph,
  ParameterStore,
  Random,
  compile,
  describeVulkan,
  findVulkan,
  isSoftwareVulkan,
  ops,
  engineInternals,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { median } from '../median.js';
import {
  type ReferenceSize,
  decodingGraph,
  gflopPerStep,
  ids,
  newParameters,
  paramsOf,
  referenceSizes,
  time,
} from './referenceModel.js';
import { type PeerRow, benchPeers } from '../peers/peers.js';
import type { TrainingCost, TrainingReply, TrainingRequest } from './training.js';

export interface EngineBenchmark {
  device: string;
  matmulGflops: { n: number; threads: number; gflops: number }[];
  /** `batch` sequences of 160 tokens, relative to this run's fastest matrix product. Process memory only. */
  training: ({
    params: number;
    batch: number;
    threads: number;
    backend: Backend;
    shareOfPeak: number;
    gflopPerStep: number;
  } & TrainingCost)[];
  /** Peak memory of a deeper model. */
  memory: ({ layers: number; recompute: boolean } & TrainingCost)[];
  /** Median per token after 159 cached ones, with trainable and with constant weights. */
  decode: { params: number; weights: Weights; batch: number; msPerToken: number; tokensPerSecond: number }[];
  peers?: PeerRow[];
  /** Measurements without enough time. */
  skipped: string[];
}

type Weights = 'learn' | 'constant';

export interface EngineBenchmarkOptions {
  /** Excludes peers. Default 60. */
  seconds?: number;
  backend?: Backend;
  /** Default false. */
  peers?: boolean;
}

const deepLayers = 12;

/**
 * Measures small models first. Throws `missing` without a requested WebGPU, `numeric` if results differ from the CPU's.
 */
export async function benchEngine(options: EngineBenchmarkOptions = {}): Promise<EngineBenchmark> {
  const { seconds = 60, backend = 'cpu', peers = false } = options;
  const vulkan = findVulkan();
  const { 1: million, 10: ten, 40: forty, 50: fifty } = referenceSizes;
  const onSoftware = backend === 'webgpu' && isSoftwareVulkan(vulkan);
  // A software GPU only shows that it works.
  const batch = onSoftware ? 1 : 16;
  const sizes = onSoftware ? [million] : [million, ten, backend === 'cpu' ? forty : fifty];
  const result: EngineBenchmark = {
    device: backend === 'cpu' ? 'the CPU' : describeVulkan(vulkan),
    matmulGflops: [],
    training: [],
    memory: [],
    decode: [],
    skipped: [],
  };
  const end = performance.now() + seconds * 1000;
  const slice = (seconds * 1000) / 60;
  const within = async (ms: number, label: string, measure: () => Promise<void>) => {
    if (performance.now() + ms < end) await measure();
    else result.skipped.push(label);
  };

  const counts = backend === 'cpu' ? [...new Set([1, Math.min(2, availableParallelism())])] : [1];
  for (const threads of counts) {
    for (const n of onSoftware ? [256] : backend === 'cpu' ? [512, 1024] : [1024, 4096])
      result.matmulGflops.push({ n, threads, gflops: await matmulRate(n, threads, backend, slice) });
  }
  const peakOf = (threads: number) =>
    Math.max(...result.matmulGflops.filter((row) => row.threads === threads).map(({ gflops }) => gflops));

  // To predict larger models.
  let share = 0.3;
  const trainAt = async (size: ReferenceSize, threads: number) => {
    const [params, gflop] = [paramsOf(size), gflopPerStep(size, batch)];
    const foreseen = (1000 * gflop) / (peakOf(threads) * share);
    const label = `training ${(params / 1e6).toFixed(1)}M parameters with ${threads} threads`;
    // Start-up and at least three steps.
    await within(1000 + 3.5 * foreseen, label, async () => {
      const compare = backend === 'webgpu' && size === million;
      const cost = await inChild({ size, batch, backend, threads, ms: slice, compare });
      const shareOfPeak = gflop / (cost.msPerStep / 1000) / peakOf(threads);
      share = shareOfPeak;
      result.training.push({ params, batch, threads, backend, ...cost, shareOfPeak, gflopPerStep: gflop });
    });
  };
  const decodeAt = async (size: ReferenceSize, rows: number) => {
    const params = paramsOf(size);
    await within(slice + 1500, `decoding ${(params / 1e6).toFixed(1)}M parameters, batch ${rows}`, async () => {
      for (const weights of backend === 'cpu' ? (['learn', 'constant'] as const) : (['learn'] as const)) {
        const msPerToken = await decodeStep(size, rows, { backend, weights, ms: slice / 2 });
        result.decode.push({ params, weights, batch: rows, msPerToken, tokensPerSecond: (rows * 1000) / msPerToken });
      }
    });
  };
  for (const threads of counts) await trainAt(million, threads);
  for (const rows of onSoftware ? [1] : [1, 32]) await decodeAt(million, rows);
  for (const recompute of backend === 'cpu' ? [false, true] : []) {
    await within(slice + 3000, `memory of ${deepLayers} layers`, async () => {
      const size = { ...million, layers: deepLayers };
      const cost = await inChild({ size, batch, backend, threads: counts.at(-1)!, recompute, ms: slice });
      result.memory.push({ layers: deepLayers, recompute, ...cost });
    });
  }
  for (const size of sizes.slice(1)) {
    for (const threads of counts.toReversed()) await trainAt(size, threads);
    for (const rows of [1, 32]) await decodeAt(size, rows);
  }
  if (peers) result.peers = await benchPeers({ size: million, batch: 16, ms: slice });
  return result;
}

async function inChild(request: TrainingRequest): Promise<TrainingCost> {
  const program = fileURLToPath(new URL('./trainingProgram.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(request)]);
  const reply = JSON.parse(stdout) as TrainingReply;
  if ('cost' in reply) return reply.cost;
  const { code, message, detail } = reply.error;
  throw GyreError.revive(code, message, detail);
}

/** Products per run: a GPU idles between runs. */
const chained: Readonly<Record<Backend, number>> = { cpu: 1, webgpu: 4 };

async function matmulRate(n: number, threads: number, backend: Backend, ms: number): Promise<number> {
  const specs = ['a', 'b'].map((name) => ({ name, shape: [n, n], init: { normal: n ** -0.5 } }));
  const parameters = new ParameterStore(specs, 1);
  const graph = new Graph({ backend });
  const [a, b] = [graph.parameter('a', [n, n]), graph.parameter('b', [n, n])];
  let product = a;
  for (let i = 0; i < chained[backend]; i++) product = ops.matmul(product, b);
  // Only one number leaves the GPU.
  const executable = await compile({ made: backend === 'cpu' ? product : ops.mean(product) }, { threads });
  const source = backend === 'cpu' ? parameters : new engineInternals.ResidentParameters(parameters);
  const into: Record<string, Float32Array> = backend === 'cpu' ? { made: new Float32Array(n * n) } : {};
  const taken = await median(() => executable.run({}, source, into), ms);
  await executable.release();
  if (source instanceof engineInternals.ResidentParameters) await source.release();
  return (2 * n ** 3 * chained[backend]) / (taken * 1e6);
}

async function decodeStep(
  size: ReferenceSize,
  rows: number,
  { backend, weights, ms }: { backend: Backend; weights: Weights; ms: number },
): Promise<number> {
  const parameters = newParameters(size);
  const source = backend === 'cpu' ? parameters : new engineInternals.ResidentParameters(parameters);
  const outputs = decodingGraph(size, rows, backend);
  const chosen = weights === 'learn' ? outputs : engineInternals.frozen(outputs, parameters, () => 'f32');
  const executable = await compile(chosen, { threads: 1 });
  const random = new Random(1);
  const past = new Float32Array(rows * (time - 1) * size.width).map(() => random.normal());
  const caches = executable.inputs.filter(({ name }) => name.startsWith('past.'));
  const feeds = {
    tokens: Int32Array.from({ length: rows }, () => random.int(ids)),
    ...Object.fromEntries(caches.map(({ name }) => [name, past])),
  };
  const taken = await median(() => executable.run(feeds, source), ms);
  await executable.release();
  if (source instanceof engineInternals.ResidentParameters) await source.release();
  return taken;
}
