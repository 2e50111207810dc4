import { GyreError } from '@gyre/protocol';
import { batches, grouped } from '../nano/bucket.js';
import type { NativeDatum, NativeForwardBackward, NativeLoss } from '../nano/nativeEngine.js';
import { accumulate } from '../optim/gradient.js';
import {
  type BatchShape,
  decisionFeeds,
  decoderFeeds,
  encoderFeeds,
  type Feeds,
  rowsOf,
  type SceneRow,
  shapeOf,
  valueFeeds,
} from './sceneBatch.js';
import { tokensIn } from './sceneFeeds.js';
import type { SamplerParts } from './sceneSampler.js';

/** Larger batches cost memory without gaining speed; more sizes cost compilation. */
const batchSizes = { short: [2, 8], long: [1, 4] };
/** In tokens of a scene. */
const short = 110;

interface PlacedRow {
  readonly row: SceneRow;
  readonly datum: number;
  readonly sequence: number;
}

export interface SceneRun {
  readonly loss?: NativeLoss | undefined;
  readonly reduction?: 'mean' | 'sum' | undefined;
}

/** Computes log-probabilities, values and gradients of decisions. */
export class SceneLearner {
  readonly gradient: Float32Array;
  readonly #parts: SamplerParts;
  readonly #scratch: Float32Array;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.gradient = new Float32Array(parts.parameters.size);
    this.#scratch = new Float32Array(parts.parameters.size);
  }

  async run(data: readonly NativeDatum[], { loss, reduction = 'mean' }: SceneRun): Promise<NativeForwardBackward> {
    const out: NativeForwardBackward & { loss: number } = {
      loss: 0,
      logprobs: data.map(({ sequences }) => sequences.map(() => [])),
      entropies: data.map(({ sequences }) => sequences.map(() => [])),
      values: data.map(({ sequences }) => sequences.map(() => 0)),
    };
    const placed = data.flatMap((datum, index): PlacedRow[] =>
      rowsOf(datum).map((row, sequence) => ({ row, datum: index, sequence })),
    );
    const norm = normOf(data, { loss, reduction });
    for (const same of grouped(placed, ({ row }) => JSON.stringify(shapeOf(row))).values()) {
      const sizes = tokensIn(shapeOf(same[0]!.row).lengths) <= short ? batchSizes.short : batchSizes.long;
      for (const { from, rows, size } of batches(same.length, sizes)) {
        out.loss += await this.#batch(same.slice(from, from + rows), size, { loss, norm, out });
      }
    }
    if (loss && !Number.isFinite(out.loss)) {
      throw new GyreError('numeric', `the loss ${loss.name} is ${out.loss}`, {
        field: 'learningRate',
        fix: 'resume from the last checkpoint with a smaller learning rate',
      });
    }
    return out;
  }

  async #batch(
    placed: readonly PlacedRow[],
    n: number,
    { loss, norm, out }: { loss: NativeLoss | undefined; norm: number; out: NativeForwardBackward },
  ): Promise<number> {
    const { model, graphs, parameters } = this.#parts;
    const isCritic = model.architecture.role === 'critic';
    const rows = Array.from({ length: n }, (_, i) => placed[i]?.row);
    const whole = shapeOf(placed[0]!.row);
    const shape: BatchShape = isCritic ? { ...whole, steps: 1 } : whole;
    const decided = isCritic ? loss && valueFeeds(rows, norm) : decisionFeeds(rows, shape, loss && { loss, norm });
    const feeds = { ...encoderFeeds(rows, shape), ...decoderFeeds(rows, shape), ...decided };
    const graphLoss = loss && withoutWeight(loss);
    const result = await graphs.use(
      `learn ${n} ${JSON.stringify(shape)} ${JSON.stringify(graphLoss ?? 'forward')}`,
      () => model.learn({ ...shape, n }, graphLoss),
      (graph) => (loss ? this.#accumulate(graph, feeds) : graph.run(feeds, parameters)),
    );
    for (const [i, { row, datum, sequence }] of placed.entries()) {
      const take = (values: ArrayLike<number> | undefined): number[] =>
        row.action.map((_, t) => values?.[i * shape.steps + t] ?? 0);
      if (result.values) out.values[datum]![sequence] = result.values[i] ?? 0;
      if (!result.logprobs) continue;
      out.logprobs[datum]![sequence] = take(result.logprobs);
      out.entropies[datum]![sequence] = take(result.entropies);
    }
    return loss ? (result.loss?.[0] ?? NaN) : 0;
  }

  async #accumulate(
    graph: Parameters<Parameters<SamplerParts['graphs']['use']>[2]>[0],
    feeds: Feeds,
  ): Promise<Record<string, ArrayLike<number>>> {
    const { parameters } = this.#parts;
    const into = Object.fromEntries(
      graph.parameters.map(({ name }) => [`grad.${name}`, parameters.view(name, this.#scratch)]),
    );
    const result = await graph.run(feeds, parameters, into);
    for (const { name } of graph.parameters) {
      accumulate(parameters.view(name, this.gradient), parameters.view(name, this.#scratch));
    }
    return result;
  }
}

/** One graph serves all weights: the normalisation includes them. */
function withoutWeight(loss: NativeLoss): NativeLoss {
  return loss.name === 'cross_entropy' ? { name: 'cross_entropy' } : loss;
}

/** Sums over the whole request: the split into batches changes nothing. */
function normOf(data: readonly NativeDatum[], { loss, reduction }: SceneRun): number {
  const weight = loss?.name === 'cross_entropy' ? (loss.weight ?? 1) : 1;
  if (reduction === 'sum') return 1 / weight;
  let total = 0;
  for (const { sequences } of data) {
    for (const { action, weights } of sequences) {
      if (loss?.name === 'ppo_critic') total += weights?.[0] ?? 1;
      else for (let t = 0; t < action.length; t++) total += weights?.[t] ?? 1;
    }
  }
  return Math.max(total, 1e-6) / weight;
}
