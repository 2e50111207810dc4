import { GyreError, type Size } from '@gyre/protocol';
import type { Executable, Feed, Output } from '../runtime/executable.js';
import { accumulate } from '../optim/gradient.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { ResidentParameters } from '../runtime/residentParameters.js';
import { glyphHeads, letterHeads } from './architecture.js';
import { actionBucket, batches, contextBucket, grouped, batchSizesFor } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import { allowsCommands } from './context.js';
import { type Encoder, lastOf } from './encoder.js';
import type {
  NativeDatum,
  NativeOutputs,
  NativeForwardBackward,
  NativeLearningRequest,
  NativeLoss,
  Screenshot,
  NativeSequence,
} from './nativeEngine.js';
import { type GraphShape, type ImageSource, learningGraph, readingGraph } from './graphs.js';
import { gridOf } from './grid.js';
import { layout } from './layout.js';
import type { Model } from './model.js';
import { tokenClasses } from './grammar.js';
import { type Vocabulary, vocabularyOf } from './vocabulary.js';

const batchSizes: Readonly<Record<ImageSource, readonly number[]>> = { pixels: [1, 2, 4, 8], features: [1, 4, 8, 32] };

const shortContext = 24;
const shortAction = 3;

type Group = Omit<GraphShape, 'n'> & { readonly data: number[] };

export interface LearnerOptions {
  readonly model: Model;
  readonly parameters: ParameterStore | ResidentParameters;
  readonly graphs: CompiledGraphs;
  readonly encoder: Encoder;
}

export interface LearnerRun {
  readonly source: ImageSource;
  readonly loss?: NativeLoss;
  readonly reduction?: NativeLearningRequest['reduction'];
}

export class Learner {
  readonly gradient: Float32Array;
  readonly #options: LearnerOptions;
  readonly #scratch: Float32Array;
  readonly #store: ParameterStore;

  constructor(options: LearnerOptions) {
    const { parameters } = options;
    this.#options = options;
    this.#store = parameters instanceof ResidentParameters ? parameters.store : parameters;
    this.gradient = new Float32Array(this.#store.size);
    this.#scratch = new Float32Array(this.#store.size);
  }

  async run(data: readonly NativeDatum[], options: LearnerRun): Promise<NativeForwardBackward> {
    const { source, loss } = options;
    const out: NativeForwardBackward & { loss: number } = {
      loss: 0,
      logprobs: data.map(({ sequences }) => sequences.map(() => [])),
      entropies: data.map(({ sequences }) => sequences.map(() => [])),
      values: data.map(({ sequences }) => sequences.map(() => 0)),
    };
    const norms = normalisation(data, options);
    for (const group of this.#groups(data, source)) {
      const cells = gridOf(group.screen).cells * group.screenshots;
      for (const { from, rows, size } of batches(group.data.length, batchSizesFor(cells, batchSizes[source]))) {
        const places = group.data.slice(from, from + rows);
        out.loss += await this.#batch({ data, places, shape: { ...group, n: size }, source, loss, norms, out });
      }
    }
    if (loss) finite(out.loss, loss.name);
    return out;
  }

  async reading(
    data: readonly NativeDatum[],
    { name, reduction = 'mean' }: { name: 'letters' | 'reading'; reduction?: LearnerRun['reduction'] },
  ): Promise<NativeForwardBackward> {
    const heads = name === 'letters' ? letterHeads : glyphHeads;
    let total = 0;
    let loss = 0;
    for (const { glyphs } of data) {
      for (const [k, weight] of glyphs?.weights.entries() ?? []) if (k % glyphHeads < heads) total += weight;
    }
    for (const same of grouped(data, (datum) => sizeName(newest(datum).size)).values()) {
      const screen = newest(same[0]!).size;
      const { cells } = gridOf(screen);
      for (const { from, rows, size } of batches(same.length, batchSizesFor(cells, batchSizes.pixels))) {
        const chosen = same.slice(from, from + rows);
        const places = placesOf(chosen);
        const options = { n: size, places, cells, screenshots: 1, scale: reduction === 'sum' ? 1 : 1 / total || 0 };
        const { glyphCells, glyphClasses, glyphWeights } = glyphInputs(chosen, options);
        const ofHeads = (values: Float32Array | Int32Array) => values.filter((_, k) => k % glyphHeads < heads);
        const shots = chosen.map((datum) => [newest(datum)]);
        const feeds = {
          pixels: pixelsOf(shots, size),
          glyphCells,
          glyphClasses: ofHeads(glyphClasses) as Int32Array,
          glyphWeights: ofHeads(glyphWeights) as Float32Array,
        };
        const result = await this.#options.graphs.use(
          `${name} ${size} ${sizeName(screen)} ${places}`,
          () => readingGraph(this.#options.model, { n: size, screen, places }, name),
          (graph) => this.#accumulate(graph, feeds),
        );
        loss += result.loss?.[0] ?? NaN;
      }
    }
    return { loss: finite(loss, name), logprobs: [], entropies: [], values: [] };
  }

  /**
   * Groups data by graph shape. Since screenshots cost far more than tokens, sequences are padded to the longest unless
   * features are cached.
   */
  #groups(data: readonly NativeDatum[], source: ImageSource): Group[] {
    const groups = new Map<string, Group>();
    const { role, screenshots: maxScreenshots } = this.#options.model.architecture;
    for (const [index, datum] of data.entries()) {
      const { sequences } = datum;
      const shots = lastOf(datum.screenshots, maxScreenshots);
      const screen = newest(datum).size;
      const context = contextBucket(Math.max(1, ...sequences.map(({ tokens }) => tokens.length)));
      const longest = Math.max(1, ...sequences.map((sequence) => sequence.action.length));
      const action = role === 'critic' ? 1 : actionBucket(longest);
      const long = source === 'features' ? context > shortContext || action > shortAction : action > 10;
      const key = `${sizeName(screen)} ${shots.length} ${sequences.length} ${long ? 'long' : 'short'}`;
      const group = groups.get(key);
      const places = placesOf([datum]);
      groups.set(key, {
        screen,
        screenshots: shots.length,
        sequences: sequences.length,
        context: Math.max(group?.context ?? 0, context),
        action: Math.max(group?.action ?? 0, action),
        places: Math.max(group?.places ?? 0, places),
        data: [...(group?.data ?? []), index],
      });
    }
    return [...groups.values()];
  }

  async #batch(batch: {
    data: readonly NativeDatum[];
    places: readonly number[];
    shape: GraphShape;
    source: ImageSource;
    loss: NativeLoss | undefined;
    norms: Normalisation;
    out: NativeOutputs;
  }): Promise<number> {
    const { model, parameters, graphs, encoder } = this.#options;
    const { data, places, shape, source, loss, norms, out } = batch;
    const { n, sequences, context, action, screen, screenshots } = shape;
    const vocabulary = vocabularyOf(screen);
    const chosen = places.map((place) => data[place]!);
    const shots = chosen.map((datum) => lastOf(datum.screenshots, screenshots));
    const rows = Array.from(
      { length: n * sequences },
      (_, i) => chosen[Math.floor(i / sequences)]?.sequences[i % sequences],
    );
    const name = [source, sizeName(screen), screenshots, n, sequences, context, action, shape.places];
    const key = `learn ${name.join(' ')} ${loss ? JSON.stringify(withoutWeight(loss)) : 'forward'}`;
    const feeds: Record<string, Float32Array | Int32Array | Uint8Array> = {
      ...layout(vocabulary, rows, context, action),
      ...(source === 'pixels' ? { pixels: pixelsOf(shots, n) } : { features: await encoder.stacked(shots, n) }),
    };
    if (model.architecture.role === 'policy') Object.assign(feeds, actionInputs(vocabulary, rows, action));
    if (loss) Object.assign(feeds, lossInputs({ vocabulary, rows, shape, loss, norms, chosen }));
    const result = await graphs.use(
      key,
      () => learningGraph(model, shape, source, loss),
      (graph) => (loss ? this.#accumulate(graph, feeds) : graph.run(feeds, parameters)),
    );
    collect({ places, chosen, shape, result, out });
    return loss ? ((result.loss as Float32Array)[0] ?? NaN) : 0;
  }

  async #accumulate(graph: Executable, feeds: Readonly<Record<string, Feed>>): Promise<Record<string, Output>> {
    const { gradient } = this;
    const [store, scratch] = [this.#store, this.#scratch];
    const into = Object.fromEntries(graph.parameters.map(({ name }) => [`grad.${name}`, store.view(name, scratch)]));
    const result = await graph.run(feeds, this.#options.parameters, into);
    for (const { name } of graph.parameters) accumulate(store.view(name, gradient), store.view(name, scratch));
    return result;
  }
}

function collect(batch: {
  places: readonly number[];
  chosen: readonly NativeDatum[];
  shape: GraphShape;
  result: Record<string, ArrayLike<number>>;
  out: NativeOutputs;
}): void {
  const { places, chosen, shape, result, out } = batch;
  for (const [i, datum] of chosen.entries()) {
    const place = places[i] ?? 0;
    for (const [s, sequence] of datum.sequences.entries()) {
      const row = i * shape.sequences + s;
      if (result.values) out.values[place]![s] = result.values[row] ?? 0;
      if (!result.logprobs) continue;
      const from = row * shape.action;
      const take = (values: ArrayLike<number> | undefined): number[] =>
        sequence.action.map((_, t) => values?.[from + t] ?? 0);
      out.logprobs[place]![s] = take(result.logprobs);
      out.entropies[place]![s] = take(result.entropies);
    }
  }
}

function finite(loss: number, name: string): number {
  if (Number.isFinite(loss)) return loss;
  throw new GyreError('numeric', `the loss ${name} is ${loss}`, {
    field: 'learningRate',
    fix: 'resume from the last checkpoint with a smaller learning rate',
  });
}

/** Sums over the whole request: the split into batches changes nothing. */
interface Normalisation {
  tokens: number;
  glyphs: number;
}

function normalisation(
  data: readonly NativeDatum[],
  { loss, reduction = 'mean' }: Omit<LearnerRun, 'source'>,
): Normalisation {
  const weight = loss?.name === 'cross_entropy' ? (loss.weight ?? 1) : 1;
  if (reduction === 'sum') return { tokens: 1 / weight, glyphs: 1 / weight };
  let tokens = 0;
  let glyphs = 0;
  for (const datum of data) {
    for (const sequence of datum.sequences) {
      if (loss?.name === 'ppo_critic') tokens += sequence.weights?.[0] ?? 1;
      else for (let t = 0; t < sequence.action.length; t++) tokens += sequence.weights?.[t] ?? 1;
    }
    for (const share of datum.glyphs?.weights ?? []) glyphs += share;
  }
  return { tokens: Math.max(tokens, 1e-6) / weight, glyphs: Math.max(glyphs, 1e-6) / weight };
}

/** One graph serves all weights: the normalisation includes them. */
function withoutWeight(loss: NativeLoss): NativeLoss {
  if (loss.name !== 'cross_entropy') return loss;
  const { weight: _, ...rest } = loss;
  return rest;
}

const sizeName = ({ width, height }: Size): string => `${width}x${height}`;

function newest({ screenshots }: NativeDatum): Screenshot {
  const [last] = lastOf(screenshots, 1);
  return last!;
}

function pixelsOf(rows: readonly (readonly Screenshot[])[], n: number): Uint8Array {
  const screenshots = rows[0]?.length ?? 0;
  const bytes = rows[0]?.[0]?.pixels.length ?? 0;
  const pixels = new Uint8Array(n * screenshots * bytes);
  for (const [i, row] of rows.entries()) {
    for (const [j, shot] of row.entries()) pixels.set(shot.pixels, (i * screenshots + j) * bytes);
  }
  return pixels;
}

function placesOf(data: readonly NativeDatum[]): number {
  const largest = Math.max(1, ...data.map(({ glyphs }) => glyphs?.cells.length ?? 0));
  return 64 * Math.ceil(largest / 64);
}

function glyphInputs(
  chosen: readonly NativeDatum[],
  options: { n: number; places: number; cells: number; screenshots: number; scale: number },
): { glyphCells: Int32Array; glyphClasses: Int32Array; glyphWeights: Float32Array } {
  const { n, places, cells, screenshots, scale } = options;
  const glyphCells = new Int32Array(n * places);
  const glyphClasses = new Int32Array(n * places * glyphHeads);
  const glyphWeights = new Float32Array(n * places * glyphHeads);
  for (const [i, { glyphs }] of chosen.entries()) {
    const first = ((i + 1) * screenshots - 1) * cells;
    for (const [k, cell] of glyphs?.cells.entries() ?? []) glyphCells[i * places + k] = first + cell;
    glyphClasses.set(glyphs?.classes ?? [], i * places * glyphHeads);
    for (const [k, weight] of glyphs?.weights.entries() ?? []) {
      glyphWeights[i * places * glyphHeads + k] = weight * scale;
    }
  }
  return { glyphCells, glyphClasses, glyphWeights };
}

function actionInputs(
  vocabulary: Vocabulary,
  rows: readonly (NativeSequence | undefined)[],
  action: number,
): { classes: Int32Array; actions: Int32Array } {
  const classes = new Int32Array(rows.length * action);
  const actions = new Int32Array(rows.length * action);
  classes.fill(tokenClasses.indexOf('function'));
  actions.fill(vocabulary.ranges('function')[0]?.first ?? 0);
  for (const [index, row] of rows.entries()) {
    const commands = allowsCommands(vocabulary, row?.tokens ?? []);
    for (const [t, token] of row?.action.slice(0, action).entries() ?? []) {
      const tokenClass = vocabulary.next(row?.action.slice(0, t) ?? [], commands);
      if (!tokenClass || !vocabulary.allows(tokenClass, token)) {
        throw new GyreError('bad_input', `token ${token} is not allowed at position ${t} of an action`, {
          field: 'action',
        });
      }
      classes[index * action + t] = tokenClasses.indexOf(tokenClass);
      actions[index * action + t] = token;
    }
  }
  return { classes, actions };
}

function lossInputs(batch: {
  vocabulary: Vocabulary;
  rows: readonly (NativeSequence | undefined)[];
  shape: GraphShape;
  loss: NativeLoss;
  norms: Normalisation;
  chosen: readonly NativeDatum[];
}): Record<string, Float32Array | Int32Array> {
  const { vocabulary, rows, shape, loss, norms, chosen } = batch;
  const { action } = shape;
  if (loss.name === 'ppo_critic') {
    const feed = (value: (row: NativeSequence) => number): Float32Array =>
      Float32Array.from(rows, (row) => (row ? value(row) : 0));
    return {
      returns: feed((row) => row.return ?? 0),
      oldValues: feed((row) => row.value ?? 0),
      weights: feed((row) => (row.weights?.[0] ?? 1) / norms.tokens),
    };
  }
  if (loss.name === 'ppo') {
    const feed = (value: (row: NativeSequence, t: number) => number): Float32Array =>
      Float32Array.from({ length: rows.length * action }, (_, i) => {
        const row = rows[Math.floor(i / action)];
        return row && i % action < row.action.length ? value(row, i % action) : 0;
      });
    return {
      advantages: feed((row, t) => row.advantages?.[t] ?? 0),
      oldLogprobs: feed((row, t) => row.logprobs?.[t] ?? 0),
      weights: feed((row, t) => (row.weights?.[t] ?? 1) / norms.tokens),
    };
  }
  const { size } = vocabulary;
  const targets = new Float32Array(rows.length * action * size);
  for (const [index, row] of rows.entries()) {
    for (const [t, token] of row?.action.entries() ?? []) {
      const weight = (row?.weights?.[t] ?? 1) / norms.tokens;
      const equals = row?.equals?.[t]?.length ? row.equals[t] : [token];
      for (const equal of equals) targets[(index * action + t) * size + equal] = weight / equals.length;
    }
  }
  const scale = (loss.name === 'cross_entropy' ? (loss.glyphWeight ?? 0) : 0) / norms.glyphs;
  const { cells } = gridOf(shape.screen);
  const { n, places, screenshots } = shape;
  return { targets, ...glyphInputs(chosen, { n, places, cells, screenshots, scale }) };
}
