import {
  type Backend,
  type ParameterSpec,
  ParameterStore,
  Graph,
  Random,
  type Tensor,
  gradients,
  ops,
} from '@gyre/engine';

const { add, concat, gather, gelu, layerNorm, linear, logSoftmax, matmul, mean, neg, pick, reshape, slice, softmax } =
  ops;

/** A pre-norm causal transformer. */
export interface ReferenceSize {
  width: number;
  layers: number;
  heads: number;
}

/** Millions of parameters, roughly. */
export const referenceSizes = {
  1: { width: 128, layers: 4, heads: 4 },
  10: { width: 384, layers: 6, heads: 6 },
  40: { width: 512, layers: 12, heads: 8 },
  50: { width: 512, layers: 16, heads: 8 },
} as const satisfies Record<number, ReferenceSize>;

const vocabulary = 512;
/** Tokens per sequence. */
export const time = 160;
/** Below float32 resolution after softmax, without slow denormals. */
export const masked = -64;

/** Maps tokens and targets [batch, time] to loss and gradients. */
export function trainingGraph(
  size: ReferenceSize,
  batch: number,
  backend: Backend,
  { recompute = false } = {},
): Record<string, Tensor> {
  const graph = new Graph({ backend });
  const logits = decoder(size, graph, graph.input('tokens', [batch, time], 'int32'), 0, () => undefined, recompute);
  const loss = neg(mean(pick(logSoftmax(logits), graph.input('targets', [batch, time], 'int32'))));
  const specs = specsOf(size);
  const weights = specs.map(({ name, shape }) => graph.parameter(name, shape));
  const gradientTensors = gradients(loss, weights);
  return { ...Object.fromEntries(specs.map(({ name }, i) => [name, gradientTensors[i]!])), loss };
}

/** Maps tokens [1, time] to logits. */
export function inferenceGraph(size: ReferenceSize): Record<string, Tensor> {
  const graph = new Graph();
  return { logits: decoder(size, graph, graph.input('tokens', [1, time], 'int32'), 0, () => undefined, false) };
}

/** Returns constant tokens and targets [batch, time]. */
export function referenceBatch(batch: number): { tokens: Int32Array; targets: Int32Array } {
  const random = new Random(1);
  const some = () => Int32Array.from({ length: batch * time }, () => random.int(ids));
  return { tokens: some(), targets: some() };
}

/** Maps one token [rows, 1], after `time - 1` with cached `past.NAME` keys and values, to logits, keys and values. */
export function decodingGraph(size: ReferenceSize, rows: number, backend: Backend): Record<string, Tensor> {
  const graph = new Graph({ backend });
  const cache = [rows, size.heads, time - 1, size.width / size.heads];
  const outputs: Record<string, Tensor> = {};
  const remember = (name: string, tensor: Tensor) => {
    outputs[name] = tensor;
    return graph.input(`past.${name}`, cache);
  };
  const logits = decoder(size, graph, graph.input('tokens', [rows, 1], 'int32'), time - 1, remember, false);
  return { ...outputs, logits };
}

export function newParameters(size: ReferenceSize): ParameterStore {
  return new ParameterStore(specsOf(size), 1);
}

export const ids = vocabulary;

export function paramsOf(size: ReferenceSize): number {
  return specsOf(size).reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
}

/**
 * Counts each product weight three times per token (forward, two backward), and two attention products of [time, time]
 * by [time, width] per layer.
 */
export function gflopPerStep({ width, layers }: ReferenceSize, batch: number): number {
  const weights = batch * time * (layers * 12 * width ** 2 + width * vocabulary);
  return (3 * 2 * (weights + layers * 2 * batch * time ** 2 * width)) / 1e9;
}

/** Returns logits after `past` tokens: [rows, columns] -> [rows, columns, vocabulary]. */
function decoder(
  { width, layers, heads }: ReferenceSize,
  graph: Graph,
  tokens: Tensor,
  past: number,
  /** Receives new keys and values [rows, heads, columns, head width]; returns past ones. */
  remember: (name: string, made: Tensor) => Tensor | undefined,
  recompute: boolean,
): Tensor {
  const [rows, columns] = tokens.shape as [number, number];
  const headWidth = width / heads;
  const specs = specsOf({ width, layers, heads });
  const weights = new Map(specs.map((spec) => [spec.name, graph.parameter(spec.name, spec.shape)]));
  const weight = (name: string) => weights.get(name)!;
  const project = (x: Tensor, name: string) => linear(x, weight(`${name}.weight`), weight(`${name}.bias`));
  const norm = (x: Tensor, name: string) => layerNorm(x, weight(`${name}.gamma`), weight(`${name}.beta`));
  const split = (x: Tensor) => ops.transpose(reshape(x, [rows, columns, heads, headWidth]), [0, 2, 1, 3]);
  const recall = (name: string, fresh: Tensor) => {
    const earlier = remember(name, fresh);
    return earlier ? concat([earlier, fresh], 2) : fresh;
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
    const z = add(x, project(reshape(ops.transpose(mixed, [0, 2, 1, 3]), [rows, columns, width]), `${name}.out`));
    return add(z, project(gelu(project(norm(z, `${name}.norm2`), `${name}.up`)), `${name}.down`));
  };
  let x = add(gather(weight('tokens'), tokens), positions);
  for (let place = 0; place < layers; place++) {
    const build = (x: Tensor) => layer(`layer${place}`, x);
    x = recompute ? ops.recompute(build, [x]) : build(x);
  }
  return project(norm(x, 'norm'), 'head');
}

function specsOf({ width, layers }: ReferenceSize): readonly ParameterSpec[] {
  const norm = (name: string): ParameterSpec[] => [
    { name: `${name}.gamma`, shape: [width], init: 'ones' },
    { name: `${name}.beta`, shape: [width], init: 'zeros' },
  ];
  const matrix = (name: string, into: number, out: number): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [into, out], init: { normal: 0.02 } },
    { name: `${name}.bias`, shape: [out], init: 'zeros' },
  ];
  return [
    { name: 'tokens', shape: [vocabulary, width], init: { normal: 0.02 } },
    { name: 'positions', shape: [time, width], init: { normal: 0.02 } },
    ...Array.from({ length: layers }, (_, layer) => [
      ...norm(`layer${layer}.norm1`),
      ...['query', 'key', 'value', 'out'].flatMap((name) => matrix(`layer${layer}.${name}`, width, width)),
      ...norm(`layer${layer}.norm2`),
      ...matrix(`layer${layer}.up`, width, 4 * width),
      ...matrix(`layer${layer}.down`, 4 * width, width),
    ]).flat(),
    ...norm('norm'),
    ...matrix('head', width, vocabulary),
  ];
}
