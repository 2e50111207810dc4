import { GyreError, type Size } from '@gyre/protocol';
import type { Executable, Feed, Output } from '../runtime/executable.js';
import { accumulate } from '../optim/gradient.js';
import type { ParameterStore } from '../runtime/parameters.js';
import { ResidentParameters } from '../runtime/residentParameters.js';
import { glyphHeads, letterHeads } from './architecture.js';
import { actionBucket, batches, contextBucket, grouped, sizesFor } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import { allowsCommands } from './context.js';
import { type Encoder, lastOf } from './encoder.js';
import type { Datum, Forward, ForwardBackward, Loss, Screenshot, Sequence } from './engine.js';
import { type GraphShape, type ImageSource, learningGraph, readingGraph } from './graphs.js';
import { gridOf } from './grid.js';
import { layout } from './layout.js';
import type { Model } from './model.js';
import { tokenClasses } from './grammar.js';
import { type Vocabulary, vocabularyOf } from './vocabulary.js';

const batchSizes: Readonly<Record<ImageSource, readonly number[]>> = { pixels: [1, 2, 4, 8], features: [1, 4, 8, 32] };

/** Sequences up to this long are short: a click or a key, and a few turns of past. */
const shortContext = 24;
const shortAction = 3;

/** Data whose graphs have the same shape, by their place in the request. */
type Group = Omit<GraphShape, 'n'> & { readonly data: number[] };

/** Runs losses and their gradients over data of any shape, by buckets, into one flat gradient that accumulates. */
export class Learner {
  readonly gradient: Float32Array;
  private readonly scratch: Float32Array;
  /** The layout of the gradient. */
  private readonly store: ParameterStore;

  constructor(
    private readonly model: Model,
    private readonly parameters: ParameterStore | ResidentParameters,
    private readonly graphs: CompiledGraphs,
    private readonly encoder: Encoder,
  ) {
    this.store = parameters instanceof ResidentParameters ? parameters.store : parameters;
    this.gradient = new Float32Array(this.store.size);
    this.scratch = new Float32Array(this.store.size);
  }

  async run(data: readonly Datum[], source: ImageSource, loss?: Loss): Promise<ForwardBackward> {
    const out: ForwardBackward & { loss: number } = {
      loss: 0,
      logprobs: data.map(({ sequences }) => sequences.map(() => [])),
      entropies: data.map(({ sequences }) => sequences.map(() => [])),
      values: data.map(({ sequences }) => sequences.map(() => 0)),
    };
    const norms = normalisation(data, loss);
    for (const group of this.groups(data, source)) {
      const cells = gridOf(group.screen).cells * group.screenshots;
      for (const { from, rows, size } of batches(group.data.length, sizesFor(cells, batchSizes[source]))) {
        const places = group.data.slice(from, from + rows);
        out.loss += await this.batch(data, places, { ...group, n: size }, source, loss, norms, out);
      }
    }
    if (loss) finite(out.loss, loss.name);
    return out;
  }

  /** What is read on the newest screenshots alone: letters, or all. Data without glyph targets count for nothing. */
  async reading(data: readonly Datum[], what: 'letters' | 'reading'): Promise<ForwardBackward> {
    const heads = what === 'letters' ? letterHeads : glyphHeads;
    let total = 0;
    let loss = 0;
    for (const { glyphs } of data) {
      for (const [k, weight] of glyphs?.weights.entries() ?? []) if (k % glyphHeads < heads) total += weight;
    }
    for (const same of grouped(data, (datum) => sizeName(newest(datum).size)).values()) {
      const screen = newest(same[0]!).size;
      const { cells } = gridOf(screen);
      for (const { from, rows, size } of batches(same.length, sizesFor(cells, batchSizes.pixels))) {
        const chosen = same.slice(from, from + rows);
        const places = placesOf(chosen);
        const { glyphCells, glyphClasses, glyphWeights } = glyphInputs(chosen, size, places, cells, 1, 1 / total || 0);
        const first = (all: Float32Array | Int32Array) => all.filter((_, k) => k % glyphHeads < heads);
        const feeds = {
          pixels: pixelsOf(
            chosen.map((datum) => [newest(datum)]),
            size,
          ),
          glyphCells,
          glyphClasses: first(glyphClasses) as Int32Array,
          glyphWeights: first(glyphWeights) as Float32Array,
        };
        const made = await this.graphs.use(
          `${what} ${size} ${sizeName(screen)} ${places}`,
          () => readingGraph(this.model, { n: size, screen, places }, what),
          (graph) => this.accumulate(graph, feeds),
        );
        loss += made.loss?.[0] ?? NaN;
      }
    }
    return { loss: finite(loss, what), logprobs: [], entropies: [], values: [] };
  }

  /**
   * Data by the shape of their graph. A screenshot costs so much more than a token that a little shorter sequences are padded
   * to the longest, so that batches are full; with a frozen encoder, where the difference is smaller, fewer are.
   */
  private groups(data: readonly Datum[], source: ImageSource): Group[] {
    const groups = new Map<string, Group>();
    const critic = this.model.architecture.role === 'critic';
    for (const [index, datum] of data.entries()) {
      const { sequences } = datum;
      const shots = lastOf(datum.screenshots, this.model.architecture.screenshots);
      const screen = newest(datum).size;
      const context = contextBucket(Math.max(1, ...sequences.map(({ tokens }) => tokens.length)));
      const action = critic ? 1 : actionBucket(Math.max(1, ...sequences.map((sequence) => sequence.action.length)));
      const long = source === 'features' ? context > shortContext || action > shortAction : action > 10;
      const key = `${sizeName(screen)} ${shots.length} ${sequences.length} ${long}`;
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

  private async batch(
    data: readonly Datum[],
    at: readonly number[],
    shape: GraphShape,
    source: ImageSource,
    loss: Loss | undefined,
    norms: Normalisation,
    out: Forward,
  ): Promise<number> {
    const { model, parameters } = this;
    const { n, sequences, context, action, places, screen, screenshots } = shape;
    const vocabulary = vocabularyOf(screen);
    const chosen = at.map((place) => data[place]!);
    const shots = chosen.map((datum) => lastOf(datum.screenshots, screenshots));
    const rows = Array.from(
      { length: n * sequences },
      (_, i) => chosen[Math.floor(i / sequences)]?.sequences[i % sequences],
    );
    const name = [source, sizeName(screen), screenshots, n, sequences, context, action, places];
    const key = `learn ${name.join(' ')} ${loss ? JSON.stringify(withoutWeight(loss)) : 'forward'}`;
    const feeds: Record<string, Float32Array | Int32Array | Uint8Array> = {
      ...layout(vocabulary, rows, context, action),
      ...(source === 'pixels' ? { pixels: pixelsOf(shots, n) } : { features: await this.encoder.stacked(shots, n) }),
    };
    if (model.architecture.role === 'policy') {
      const { classes, actions } = actionInputs(vocabulary, rows, action);
      feeds.classes = classes;
      feeds.actions = actions;
    }
    if (loss) Object.assign(feeds, lossInputs(vocabulary, rows, shape, loss, norms, chosen));
    const result = await this.graphs.use(
      key,
      () => learningGraph(model, shape, source, loss),
      (graph) => (loss ? this.accumulate(graph, feeds) : graph.run(feeds, parameters)),
    );
    this.collect(at, chosen, shape, result, out);
    return loss ? ((result.loss as Float32Array)[0] ?? NaN) : 0;
  }

  /** Runs a graph with gradients and adds them to those that are there. */
  private async accumulate(graph: Executable, feeds: Readonly<Record<string, Feed>>): Promise<Record<string, Output>> {
    const { parameters, store, scratch, gradient } = this;
    const into = Object.fromEntries(graph.parameters.map(({ name }) => [`grad.${name}`, store.view(name, scratch)]));
    const result = await graph.run(feeds, parameters, into);
    for (const { name } of graph.parameters) accumulate(store.view(name, gradient), store.view(name, scratch));
    return result;
  }

  private collect(
    places: readonly number[],
    chosen: readonly Datum[],
    shape: GraphShape,
    result: Record<string, ArrayLike<number>>,
    out: Forward,
  ): void {
    for (const [i, datum] of chosen.entries()) {
      const place = places[i] ?? 0;
      for (const [s, sequence] of datum.sequences.entries()) {
        const row = i * shape.sequences + s;
        if (result.values) out.values[place]![s] = result.values[row] ?? 0;
        if (!result.logprobs) continue;
        const from = row * shape.action;
        const take = (all: ArrayLike<number> | undefined): number[] =>
          sequence.action.map((_, t) => all?.[from + t] ?? 0);
        out.logprobs[place]![s] = take(result.logprobs);
        out.entropies[place]![s] = take(result.entropies);
      }
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

/** What a mean divides by, over the whole request, so that the split into batches changes nothing. */
interface Normalisation {
  tokens: number;
  glyphs: number;
}

function normalisation(data: readonly Datum[], loss: Loss | undefined): Normalisation {
  let tokens = 0;
  let glyphs = 0;
  for (const datum of data) {
    for (const sequence of datum.sequences) {
      if (loss?.name === 'ppo_critic') tokens += sequence.weights?.[0] ?? 1;
      else for (let t = 0; t < sequence.action.length; t++) tokens += sequence.weights?.[t] ?? 1;
    }
    for (const weight of datum.glyphs?.weights ?? []) glyphs += weight;
  }
  const weight = loss?.name === 'cross_entropy' ? (loss.weight ?? 1) : 1;
  return { tokens: Math.max(tokens, 1e-6) / weight, glyphs: Math.max(glyphs, 1e-6) / weight };
}

/** The weight is in the normalisation, which is fed: a graph serves any. */
function withoutWeight(loss: Loss): Loss {
  if (loss.name !== 'cross_entropy') return loss;
  const { weight: _, ...rest } = loss;
  return rest;
}

const sizeName = ({ width, height }: Size): string => `${width}x${height}`;

/** The screenshot that a datum's decisions point at. */
function newest({ screenshots }: Datum): Screenshot {
  const [last] = lastOf(screenshots, 1);
  return last!;
}

/** Bytes of the screenshots of each row, `[n, screenshots, height, width, 3]`. */
function pixelsOf(rows: readonly (readonly Screenshot[])[], n: number): Uint8Array {
  const screenshots = rows[0]?.length ?? 0;
  const bytes = rows[0]?.[0]?.pixels.length ?? 0;
  const pixels = new Uint8Array(n * screenshots * bytes);
  for (const [i, row] of rows.entries()) {
    for (const [j, shot] of row.entries()) pixels.set(shot.pixels, (i * screenshots + j) * bytes);
  }
  return pixels;
}

/** Cells read on each screenshot of a batch, rounded up so that few graphs are made. */
function placesOf(data: readonly Datum[]): number {
  const most = Math.max(1, ...data.map(({ glyphs }) => glyphs?.cells.length ?? 0));
  return 64 * Math.ceil(most / 64);
}

/** Reading targets as they are fed, with cells numbered among those of all screenshots. */
function glyphInputs(
  chosen: readonly Datum[],
  n: number,
  places: number,
  cells: number,
  screenshots: number,
  scale: number,
): { glyphCells: Int32Array; glyphClasses: Int32Array; glyphWeights: Float32Array } {
  const glyphCells = new Int32Array(n * places);
  const glyphClasses = new Int32Array(n * places * glyphHeads);
  const glyphWeights = new Float32Array(n * places * glyphHeads);
  for (const [i, { glyphs }] of chosen.entries()) {
    const newestAt = ((i + 1) * screenshots - 1) * cells;
    for (const [k, at] of glyphs?.cells.entries() ?? []) glyphCells[i * places + k] = newestAt + at;
    glyphClasses.set(glyphs?.classes ?? [], i * places * glyphHeads);
    for (const [k, weight] of glyphs?.weights.entries() ?? []) {
      glyphWeights[i * places * glyphHeads + k] = weight * scale;
    }
  }
  return { glyphCells, glyphClasses, glyphWeights };
}

function actionInputs(
  vocabulary: Vocabulary,
  rows: readonly (Sequence | undefined)[],
  action: number,
): { classes: Int32Array; actions: Int32Array } {
  const classes = new Int32Array(rows.length * action);
  const actions = new Int32Array(rows.length * action);
  // Padding is a function token of weight 0.
  classes.fill(tokenClasses.indexOf('function'));
  actions.fill(vocabulary.ranges('function')[0]?.first ?? 0);
  for (const [index, row] of rows.entries()) {
    const commands = allowsCommands(vocabulary, row?.tokens ?? []);
    for (const [t, token] of row?.action.slice(0, action).entries() ?? []) {
      const tokenClass = vocabulary.next(row?.action.slice(0, t) ?? [], commands);
      if (!tokenClass || !vocabulary.allows(tokenClass, token)) {
        throw new GyreError('bad_input', `token ${token} cannot stand at place ${t} of an action`, { field: 'action' });
      }
      classes[index * action + t] = tokenClasses.indexOf(tokenClass);
      actions[index * action + t] = token;
    }
  }
  return { classes, actions };
}

function lossInputs(
  vocabulary: Vocabulary,
  rows: readonly (Sequence | undefined)[],
  shape: GraphShape,
  loss: Loss,
  norms: Normalisation,
  chosen: readonly Datum[],
): Record<string, Float32Array | Int32Array> {
  const { action } = shape;
  if (loss.name === 'ppo_critic') {
    const feed = (of: (row: Sequence) => number): Float32Array => Float32Array.from(rows, (row) => (row ? of(row) : 0));
    return {
      returns: feed((row) => row.return ?? 0),
      oldValues: feed((row) => row.value ?? 0),
      weights: feed((row) => (row.weights?.[0] ?? 1) / norms.tokens),
    };
  }
  if (loss.name === 'ppo') {
    const feed = (of: (row: Sequence, t: number) => number): Float32Array =>
      Float32Array.from({ length: rows.length * action }, (_, i) => {
        const row = rows[Math.floor(i / action)];
        return row && i % action < row.action.length ? of(row, i % action) : 0;
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
  return { targets, ...glyphInputs(chosen, shape.n, shape.places, cells, shape.screenshots, scale) };
}
