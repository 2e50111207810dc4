import { Graph, type Tensor } from '../graph.js';
import { gradients } from '../gradients.js';
import {
  add,
  clip,
  div,
  exp,
  gather,
  logSoftmax,
  maximum,
  minimum,
  mul,
  neg,
  pick,
  reshape,
  slice,
  square,
  sub,
  sum,
} from '../ops.js';
import type { Loss } from './engine.js';
import type { DecoderInput, Memory, Model } from './model.js';
import { tokenClasses } from './vocabulary.js';

/** Added to the logits of what the action grammar does not allow, which nothing keeps small. */
const forbidden = -64;

/** Static sizes of a graph: batch, sequences per screenshot, context and action tokens. */
export interface GraphShape {
  n: number;
  sequences: number;
  context: number;
  action: number;
}

/** Where the encoder's part comes from: computed from pixels, or kept from before. */
export type ImageSource = 'pixels' | 'features';

type Outputs = Record<string, Tensor>;

/** Pixels to one token per cell. */
export function encodeGraph(model: Model, n: number): Outputs {
  const g = new Graph();
  const { width, height } = model.architecture.screen;
  return { features: model.encode(g, model.stem(g, g.input('pixels', [n, height, width, 3], 'uint8'))) };
}

/** Context up to `<act>`: logits of the first token of the action, and everything that the next tokens look at. */
export function prefillGraph(model: Model, n: number, context: number): Outputs {
  const g = new Graph();
  const images = featuresInput(g, model, n);
  const memory = model.imageMemory(g, images);
  const { hidden, memory: own } = model.decode(g, decoderInput(g, n, 1, context + 1), memory, 1);
  return { logits: model.logits(g, hidden, images), ...named('image', memory), ...named('own', own) };
}

/** One token more, after `length` tokens of which some do not count. */
export function stepGraph(model: Model, n: number, length: number): Outputs {
  const g = new Graph();
  const { heads, width, decoderLayers, screenshots } = model.architecture;
  const size = width / heads;
  const images = featuresInput(g, model, n);
  const memoryInput = (name: string, layers: number, shape: number[]): Memory[] =>
    Array.from({ length: layers }, (_, l) => ({
      key: g.input(`${name}.${l}.key`, shape),
      value: g.input(`${name}.${l}.value`, shape),
    }));
  const image = memoryInput('image', decoderLayers, [n, heads, screenshots * model.cells, size]);
  const past = memoryInput('past', decoderLayers + 1, [n, heads, 1, length, size]);
  const pastBlocked = g.input('pastBlocked', [n, 1, 1, 1, length]);
  const { hidden, memory } = model.decode(g, decoderInput(g, n, 1, 1), image, 1, {
    memory: past,
    blocked: pastBlocked,
  });
  return { logits: model.logits(g, hidden, images), ...named('own', memory) };
}

/** Log-probabilities and entropies of given actions, or values; with a loss, its gradients too (`grad.NAME`). */
export function learningGraph(model: Model, shape: GraphShape, source: ImageSource, loss?: Loss): Outputs {
  const g = new Graph();
  const { n, sequences, context, action } = shape;
  const { width: w, height: h } = model.architecture.screen;
  const { screenshots, width } = model.architecture;
  const stem = source === 'pixels' ? model.stem(g, g.input('pixels', [n * screenshots, h, w, 3], 'uint8')) : undefined;
  const features = stem && model.encode(g, stem);
  const images = features ? reshape(features, [n, screenshots, model.cells, width]) : featuresInput(g, model, n);
  const input = decoderInput(g, n, sequences, context + action);
  const { hidden } = model.decode(g, input, model.imageMemory(g, images), action);
  if (model.architecture.role === 'critic') {
    const values = slice(model.values(g, hidden), 2, 0, 1);
    if (!loss) return { values };
    return withGradients(model, g, { values }, valueLoss(g, values, shape, loss));
  }
  const allowed = gather(grammarTable(g, model), g.input('classes', [n, sequences, action], 'int32'));
  const logp = logSoftmax(add(model.logits(g, hidden, images), allowed));
  const entropies = neg(sum(mul(exp(logp), logp), [3]));
  const logprobs = pick(logp, g.input('actions', [n, sequences, action], 'int32'));
  const outputs = { logprobs, entropies };
  if (!loss) return outputs;
  if (loss.name === 'ppo') return withGradients(model, g, outputs, clippedSurrogate(g, logprobs, loss));
  // The targets carry weight and normalisation: a token's row sums to its share of the mean.
  let total = neg(sum(mul(logp, g.input('targets', [n, sequences, action, model.vocabulary.size]))));
  if (stem && features && loss.name === 'cross_entropy' && loss.glyphWeight) {
    total = add(total, readingLoss(g, model.glyphs(g, stem, features)));
  }
  return withGradients(model, g, outputs, total);
}

/** The loss of the stem's letters, with its gradients: a fraction of the cost of the whole. */
export function lettersGraph(model: Model, n: number): Outputs {
  const g = new Graph();
  const { width, height } = model.architecture.screen;
  const stem = model.stem(g, g.input('pixels', [n, height, width, 3], 'uint8'));
  return withGradients(model, g, {}, readingLoss(g, model.letters(g, stem)));
}

/** What the reading heads make of screenshots: `[n, cells, heads, classes]` logits. */
export function glyphGraph(model: Model, n: number): Outputs {
  const g = new Graph();
  const { width, height } = model.architecture.screen;
  const stem = model.stem(g, g.input('pixels', [n, height, width, 3], 'uint8'));
  return { glyphs: model.glyphs(g, stem, model.encode(g, stem)) };
}

/** -sum of weighted log-probabilities of the right classes. The weights hold the normalisation. */
function readingLoss(g: Graph, logits: Tensor): Tensor {
  const [n = 0, cells = 0, heads = 0] = logits.shape;
  const right = pick(logSoftmax(logits), g.input('glyphClasses', [n, cells, heads], 'int32'));
  return neg(sum(mul(right, g.input('glyphWeights', [n, cells, heads]))));
}

/** -min(r A, clip(r) A), summed with weights that already hold the normalisation. */
function clippedSurrogate(g: Graph, logprobs: Tensor, loss: Loss & { name: 'ppo' }): Tensor {
  const shape = logprobs.shape;
  const advantages = g.input('advantages', shape);
  const ratio = exp(sub(logprobs, g.input('oldLogprobs', shape)));
  const clipped = clip(ratio, 1 - loss.clipLow, 1 + loss.clipHigh);
  const surrogate = minimum(mul(ratio, advantages), mul(clipped, advantages));
  return neg(sum(mul(surrogate, g.input('weights', shape))));
}

function valueLoss(g: Graph, values: Tensor, shape: GraphShape, loss: Loss): Tensor {
  const flat = [shape.n, shape.sequences, 1];
  const returns = g.input('returns', flat);
  const old = g.input('oldValues', flat);
  const limit = loss.name === 'ppo_critic' ? loss.valueClip : Infinity;
  const error = square(sub(values, returns));
  const clipped = Number.isFinite(limit)
    ? maximum(error, square(sub(add(old, clip(sub(values, old), -limit, limit)), returns)))
    : add(error, mul(old, 0));
  return div(sum(mul(clipped, g.input('weights', flat))), 2);
}

function withGradients(model: Model, g: Graph, outputs: Outputs, loss: Tensor): Outputs {
  const used = model.parameters.filter(({ name }) => g.hasParameter(name));
  const parameters = used.map(({ name, shape }) => g.parameter(name, shape));
  const all: Outputs = { ...outputs, loss };
  for (const [index, gradient] of gradients(loss, parameters).entries()) {
    all[`grad.${used[index]?.name}`] = gradient;
  }
  return all;
}

/** Rows of 0 and `forbidden` over the vocabulary, one for each class of the action grammar. */
function grammarTable(g: Graph, model: Model): Tensor {
  const { vocabulary } = model;
  const rows = new Float32Array(tokenClasses.length * vocabulary.size).fill(forbidden);
  for (const [row, tokenClass] of tokenClasses.entries()) {
    const { first, last } = vocabulary.range(tokenClass);
    rows.fill(0, row * vocabulary.size + first, row * vocabulary.size + last + 1);
    if (tokenClass === 'character') rows[row * vocabulary.size + vocabulary.end] = 0;
  }
  return g.constant(rows, [tokenClasses.length, vocabulary.size]);
}

function featuresInput(g: Graph, model: Model, n: number): Tensor {
  return g.input('features', [n, model.architecture.screenshots, model.cells, model.architecture.width]);
}

function decoderInput(g: Graph, n: number, sequences: number, time: number): DecoderInput {
  const shape = [n, sequences, time];
  return {
    tokens: g.input('tokens', shape, 'int32'),
    slots: g.input('slots', shape, 'int32'),
    roles: g.input('roles', shape, 'int32'),
    positions: g.input('positions', shape, 'int32'),
    blocked: g.input('blocked', [n, 1, sequences, 1, time]),
  };
}

function named(prefix: string, memory: readonly Memory[]): Outputs {
  return Object.fromEntries(
    memory.flatMap(({ key, value }, l) => [
      [`${prefix}.${l}.key`, key],
      [`${prefix}.${l}.value`, value],
    ]),
  );
}
