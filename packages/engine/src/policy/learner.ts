import { GyreError } from '@gyre/protocol';
import type { Executable, Feed, Output } from '../executable.js';
import type { ParameterStore } from '../parameters.js';
import { actionBucket, batches, contextBucket } from './bucket.js';
import type { CompiledGraphs } from './compiled.js';
import { type Encoder, fill } from './encoder.js';
import type { Datum, Forward, ForwardBackward, Loss, Sequence } from './engine.js';
import { type GraphShape, type ImageSource, learningGraph, lettersGraph } from './graphs.js';
import { layout } from './layout.js';
import type { Model } from './model.js';
import { tokenClasses } from './vocabulary.js';
import { glyphHeads } from './architecture.js';

const batchSizes: Readonly<Record<ImageSource, readonly number[]>> = { pixels: [1, 2, 4, 8], features: [8, 32] };

/** Sequences up to this long are short: a click or a key, and a few turns of past. */
const shortContext = 24;
const shortAction = 2;

/** Data whose graphs have the same shape. */
interface Group {
  context: number;
  action: number;
  sequences: number;
  /** Places of the data in the request. */
  data: number[];
}

/** Runs losses and their gradients over data of any shape, by buckets, into one flat gradient that accumulates. */
export class Learner {
  readonly gradient: Float32Array;
  private readonly scratch: Float32Array;

  constructor(
    private readonly model: Model,
    private readonly parameters: ParameterStore,
    private readonly graphs: CompiledGraphs,
    private readonly encoder: Encoder,
  ) {
    this.gradient = new Float32Array(parameters.size);
    this.scratch = new Float32Array(parameters.size);
  }

  async run(data: readonly Datum[], source: ImageSource, loss?: Loss): Promise<ForwardBackward> {
    const out: ForwardBackward & { loss: number } = {
      loss: 0,
      logprobs: data.map(({ sequences }) => sequences.map(() => [])),
      entropies: data.map(({ sequences }) => sequences.map(() => [])),
      values: data.map(({ sequences }) => sequences.map(() => 0)),
    };
    const norms = normalisation(this.model, data, loss);
    for (const group of this.groups(data, source)) {
      for (const { from, rows, size } of batches(group.data.length, batchSizes[source])) {
        const places = group.data.slice(from, from + rows);
        out.loss += await this.batch(data, places, { ...group, n: size }, source, loss, norms, out);
      }
    }
    if (loss) finite(out.loss, loss.name);
    return out;
  }

  /** The stem's letters alone. Data without glyph targets count for nothing. */
  async letters(data: readonly Datum[]): Promise<ForwardBackward> {
    const { cells } = this.model;
    let total = 0;
    let loss = 0;
    for (const { glyphs } of data) for (let k = 0; k < cells; k++) total += glyphs?.weights[k * glyphHeads] ?? 0;
    for (const { from, rows, size } of batches(data.length, batchSizes.pixels)) {
      const chosen = data.slice(from, from + rows);
      const glyphClasses = new Int32Array(size * this.model.architecture.screenshots * cells);
      const glyphWeights = new Float32Array(glyphClasses.length);
      for (const [i, { glyphs }] of chosen.entries()) {
        const at = ((i + 1) * this.model.architecture.screenshots - 1) * cells;
        for (let k = 0; k < cells; k++) {
          glyphClasses[at + k] = glyphs?.classes[k * glyphHeads] ?? 0;
          glyphWeights[at + k] = (glyphs?.weights[k * glyphHeads] ?? 0) / Math.max(total, 1e-6);
        }
      }
      const images = size * this.model.architecture.screenshots;
      const graph = await this.graphs.get(`letters ${images}`, () => lettersGraph(this.model, images));
      const feeds = { pixels: this.pixels(chosen, size), glyphClasses, glyphWeights };
      loss += (await this.accumulate(graph, feeds)).loss?.[0] ?? NaN;
    }
    return { loss: finite(loss, 'letters'), logprobs: [], entropies: [], values: [] };
  }

  /**
   * Data by the shape of their graph. A screenshot costs so much more than a token that shorter sequences are padded to the
   * longest, so that batches are full; with a frozen encoder, where the difference is smaller, short and long ones stay apart.
   */
  private groups(data: readonly Datum[], source: ImageSource): Group[] {
    const groups = new Map<string, Group>();
    const critic = this.model.architecture.role === 'critic';
    for (const [index, { sequences }] of data.entries()) {
      const context = contextBucket(Math.max(1, ...sequences.map(({ tokens }) => tokens.length)));
      const action = critic ? 1 : actionBucket(Math.max(1, ...sequences.map((sequence) => sequence.action.length)));
      const long = source === 'features' && (context > shortContext || action > shortAction);
      const key = `${sequences.length} ${long}`;
      const group = groups.get(key) ?? { context, action, sequences: sequences.length, data: [] };
      group.context = Math.max(group.context, context);
      group.action = Math.max(group.action, action);
      group.data.push(index);
      groups.set(key, group);
    }
    return [...groups.values()];
  }

  private async batch(
    data: readonly Datum[],
    places: readonly number[],
    shape: GraphShape,
    source: ImageSource,
    loss: Loss | undefined,
    norms: Normalisation,
    out: Forward,
  ): Promise<number> {
    const { model, parameters } = this;
    const { n, sequences, context, action } = shape;
    const chosen = places.map((place) => data[place] as Datum);
    const rows = Array.from(
      { length: n * sequences },
      (_, i) => chosen[Math.floor(i / sequences)]?.sequences[i % sequences],
    );
    const key = `learn ${source} ${n} ${sequences} ${context} ${action} ${loss ? JSON.stringify(loss) : 'forward'}`;
    const graph = await this.graphs.get(key, () => learningGraph(model, shape, source, loss));
    const feeds: Record<string, Float32Array | Int32Array | Uint8Array> = {
      ...layout(model.vocabulary, rows, context, action),
      ...(source === 'pixels'
        ? { pixels: this.pixels(chosen, n) }
        : {
            features: await this.encoder.stacked(
              chosen.map(({ screenshots }) => screenshots),
              n,
            ),
          }),
    };
    if (model.architecture.role === 'policy') {
      const { classes, actions } = actionInputs(model, rows, action);
      feeds.classes = classes;
      feeds.actions = actions;
    }
    if (loss) Object.assign(feeds, lossInputs(model, rows, shape, loss, norms, chosen));
    const wanted = new Set(graph.inputs.map(({ name }) => name));
    for (const name of Object.keys(feeds)) if (!wanted.has(name)) delete feeds[name];
    const result = loss ? await this.accumulate(graph, feeds) : await graph.run(feeds, parameters);
    this.collect(places, chosen, shape, result, out);
    return loss ? ((result.loss as Float32Array)[0] ?? NaN) : 0;
  }

  /** Runs a graph with gradients and adds them to those that are there. */
  private async accumulate(graph: Executable, feeds: Readonly<Record<string, Feed>>): Promise<Record<string, Output>> {
    const { parameters, scratch, gradient } = this;
    const into = Object.fromEntries(
      graph.parameters.map(({ name }) => [`grad.${name}`, parameters.view(name, scratch)]),
    );
    const result = await graph.run(feeds, parameters, into);
    for (const view of Object.values(into)) {
      const at = view.byteOffset / 4;
      for (let i = 0; i < view.length; i++) gradient[at + i] = (gradient[at + i] ?? 0) + (view[i] ?? 0);
    }
    return result;
  }

  private pixels(chosen: readonly Datum[], n: number): Uint8Array {
    const { screen, screenshots } = this.model.architecture;
    const bytes = screen.width * screen.height * 3;
    const pixels = new Uint8Array(n * screenshots * bytes);
    for (const [i, datum] of chosen.entries()) {
      for (const [j, shot] of fill(datum.screenshots, screenshots).entries()) {
        pixels.set(shot.pixels, (i * screenshots + j) * bytes);
      }
    }
    return pixels;
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
        if (result.values) (out.values[place] as number[])[s] = result.values[row] ?? 0;
        if (!result.logprobs) continue;
        const from = row * shape.action;
        const take = (all: ArrayLike<number> | undefined): number[] =>
          sequence.action.map((_, t) => all?.[from + t] ?? 0);
        (out.logprobs[place] as number[][])[s] = take(result.logprobs);
        (out.entropies[place] as number[][])[s] = take(result.entropies);
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

function normalisation(model: Model, data: readonly Datum[], loss: Loss | undefined): Normalisation {
  let tokens = 0;
  let glyphs = 0;
  for (const datum of data) {
    for (const sequence of datum.sequences) {
      if (loss?.name === 'ppo_critic') tokens += sequence.weights?.[0] ?? 1;
      else for (let t = 0; t < sequence.action.length; t++) tokens += sequence.weights?.[t] ?? 1;
    }
    for (const weight of datum.glyphs?.weights ?? []) glyphs += weight;
  }
  return { tokens: Math.max(tokens, 1e-6), glyphs: Math.max(glyphs, 1e-6) };
}

function actionInputs(
  model: Model,
  rows: readonly (Sequence | undefined)[],
  action: number,
): { classes: Int32Array; actions: Int32Array } {
  const classes = new Int32Array(rows.length * action);
  const actions = new Int32Array(rows.length * action);
  for (const [index, row] of rows.entries()) {
    for (let t = 0; t < action; t++) {
      const token = row?.action[t];
      const tokenClass = row && token !== undefined ? model.vocabulary.next(row.action.slice(0, t)) : undefined;
      const at = index * action + t;
      // Padding is a function token of weight 0.
      classes[at] = tokenClasses.indexOf(tokenClass ?? 'function');
      actions[at] = token ?? model.vocabulary.range('function').first;
      if (token !== undefined && !(tokenClass && model.vocabulary.allows(tokenClass, token))) {
        throw new GyreError('bad_input', `token ${token} cannot stand at place ${t} of an action`, { field: 'action' });
      }
    }
  }
  return { classes, actions };
}

function lossInputs(
  model: Model,
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
  const glyphWeight = loss.name === 'cross_entropy' ? (loss.glyphWeight ?? 0) : 0;
  const { size } = model.vocabulary;
  const targets = new Float32Array(rows.length * action * size);
  for (const [index, row] of rows.entries()) {
    for (const [t, token] of row?.action.entries() ?? []) {
      const weight = (row?.weights?.[t] ?? 1) / norms.tokens;
      const equals = t === (row?.action.length ?? 0) - 1 && row?.equals?.length ? row.equals : [token];
      for (const equal of equals) targets[(index * action + t) * size + equal] = weight / equals.length;
    }
  }
  const perShot = model.cells * glyphHeads;
  const classes = new Int32Array(shape.n * model.architecture.screenshots * perShot);
  const weights = new Float32Array(classes.length);
  for (const [i, { glyphs }] of chosen.entries()) {
    if (!glyphs) continue;
    const at = ((i + 1) * model.architecture.screenshots - 1) * perShot;
    classes.set(glyphs.classes, at);
    for (let k = 0; k < perShot; k++) weights[at + k] = ((glyphs.weights[k] ?? 0) / norms.glyphs) * glyphWeight;
  }
  return { targets, glyphClasses: classes, glyphWeights: weights };
}
