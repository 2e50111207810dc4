import type { Graph, Tensor } from '../tensor/graph.js';
import { gradients } from '../tensor/gradients.js';
import { add, exp, gather, logSoftmax, mul, neg, pick, reshape, slice, sum } from '../tensor/ops.js';
import { GyreError, type Size } from '@gyre/protocol';
import { glyphHeads } from './architecture.js';
import type { DecoderInput, Memory } from './decoderNetwork.js';
import type { NativeLoss } from './nativeEngine.js';
import { crossEntropyLoss, ppoLoss, readingLoss, valueLoss } from './losses.js';
import type { Model, Network } from './model.js';
import { tokenClasses } from './grammar.js';

const forbidden = -64;

export interface GraphShape {
  screen: Size;
  screenshots: number;
  n: number;
  sequences: number;
  context: number;
  action: number;
  /** Cells read per screenshot. */
  places: number;
}

export type ImageSource = 'pixels' | 'features';

type Outputs = Record<string, Tensor>;

export function encodeGraph(model: Model, n: number, screen: Size): Outputs {
  const net = model.on(screen);
  return { features: net.screen.encode(net.screen.stem(pixelsInput(net, n))) };
}

export function prefillGraph(
  model: Model,
  shape: Pick<GraphShape, 'n' | 'screen' | 'screenshots' | 'context'>,
): Outputs {
  const net = model.on(shape.screen);
  const images = featuresInput(net, shape.n, shape.screenshots);
  const memory = net.decoder.imageMemory(images);
  const { hidden, memory: tokenMemory } = net.decoder.decode(
    decoderInput(net, shape.n, 1, shape.context + 1),
    memory,
    1,
  );
  const pointer = net.decoder.pointerKeys(images);
  return {
    logits: net.decoder.logits(hidden, pointer),
    pointer,
    ...named('image', memory),
    ...named('own', tokenMemory),
  };
}

export function stepGraph(
  model: Model,
  { n, screen, screenshots, length }: Pick<GraphShape, 'n' | 'screen' | 'screenshots'> & { length: number },
): Outputs {
  const net = model.on(screen);
  const { graph: g, grid } = net;
  const { heads, width, decoderLayers } = model.architecture;
  const size = width / heads;
  const pointer = g.input('pointer', [n, grid.cells, width]);
  const memoryInput = (name: string, layers: number, shape: number[]): Memory[] =>
    Array.from({ length: layers }, (_, l) => ({
      key: g.input(`${name}.${l}.key`, shape),
      value: g.input(`${name}.${l}.value`, shape),
    }));
  const image = memoryInput('image', decoderLayers, [n, heads, screenshots * grid.cells, size]);
  const past = memoryInput('past', decoderLayers + 1, [n, heads, 1, length, size]);
  const pastBlocked = g.input('pastBlocked', [n, 1, 1, 1, length]);
  const { hidden, memory } = net.decoder.decode(decoderInput(net, n, 1, 1), image, 1, {
    memory: past,
    blocked: pastBlocked,
  });
  return { logits: net.decoder.logits(hidden, pointer), ...named('own', memory) };
}

/** With a loss, adds gradients (`grad.NAME`). */
export function learningGraph(model: Model, shape: GraphShape, source: ImageSource, loss?: NativeLoss): Outputs {
  const net = model.on(shape.screen);
  const { graph: g, grid } = net;
  const { n, sequences, context, action, screenshots } = shape;
  const stem = source === 'pixels' ? net.screen.stem(pixelsInput(net, n * screenshots)) : undefined;
  const features = stem && net.screen.encode(stem);
  const images = features
    ? reshape(features, [n, screenshots, grid.cells, model.architecture.width])
    : featuresInput(net, n, screenshots);
  const input = decoderInput(net, n, sequences, context + action);
  const { hidden } = net.decoder.decode(input, net.decoder.imageMemory(images), action);
  if (model.architecture.role === 'critic') {
    const values = slice(net.decoder.values(hidden), 2, 0, 1);
    if (!loss) return { values };
    if (loss.name !== 'ppo_critic') throw new GyreError('bug', `a critic cannot be trained with the loss ${loss.name}`);
    const feed = (name: string) => g.input(name, [n, sequences, 1]);
    const decisions = { values, returns: feed('returns'), oldValues: feed('oldValues'), weights: feed('weights') };
    return withGradients(model, g, { values }, valueLoss(decisions, loss));
  }
  const allowed = gather(grammarTable(net), g.input('classes', [n, sequences, action], 'int32'));
  const logp = logSoftmax(add(net.decoder.logits(hidden, net.decoder.pointerKeys(images)), allowed));
  const entropies = neg(sum(mul(exp(logp), logp), [3]));
  const logprobs = pick(logp, g.input('actions', [n, sequences, action], 'int32'));
  const outputs = { logprobs, entropies };
  if (!loss) return outputs;
  if (loss.name === 'ppo') {
    const feed = (name: string) => g.input(name, [n, sequences, action]);
    const tokens = {
      ...outputs,
      advantages: feed('advantages'),
      oldLogprobs: feed('oldLogprobs'),
      weights: feed('weights'),
    };
    return withGradients(model, g, outputs, ppoLoss(tokens, loss));
  }
  const targets = g.input('targets', [n, sequences, action, net.vocabulary.size]);
  let total = crossEntropyLoss({ logprobs: logp, targets });
  if (stem && features && loss.name === 'cross_entropy' && loss.glyphWeight) {
    const cells = glyphCells(g, n * shape.places);
    total = add(total, readingLossOf(g, net.screen.glyphs(stem, features, cells)));
  }
  return withGradients(model, g, outputs, total);
}

export function readingGraph(
  model: Model,
  { n, screen, places }: Pick<GraphShape, 'n' | 'screen' | 'places'>,
  heads: 'letters' | 'reading',
): Outputs {
  const net = model.on(screen);
  const stem = net.screen.stem(pixelsInput(net, n));
  const cells = glyphCells(net.graph, n * places);
  const logits =
    heads === 'letters' ? net.screen.letters(stem, cells) : net.screen.glyphs(stem, net.screen.encode(stem), cells);
  return withGradients(model, net.graph, {}, readingLossOf(net.graph, logits));
}

export function glyphGraph(model: Model, n: number, screen: Size): Outputs {
  const net = model.on(screen);
  const stem = net.screen.stem(pixelsInput(net, n));
  const cells = Int32Array.from({ length: n * net.grid.cells }, (_, i) => i);
  return { glyphs: net.screen.glyphs(stem, net.screen.encode(stem), net.graph.constant(cells, [cells.length])) };
}

function glyphCells(g: Graph, places: number): Tensor {
  return g.input('glyphCells', [places], 'int32');
}

function readingLossOf(g: Graph, logits: Tensor): Tensor {
  const [places = 0, heads = glyphHeads] = logits.shape;
  return readingLoss({
    logits,
    classes: g.input('glyphClasses', [places, heads], 'int32'),
    weights: g.input('glyphWeights', [places, heads]),
  });
}

function withGradients(model: Model, g: Graph, outputs: Outputs, loss: Tensor): Outputs {
  const used = model.parameters.filter(({ name }) => g.hasParameter(name));
  const parameters = used.map(({ name, shape }) => g.parameter(name, shape));
  const extended: Outputs = { ...outputs, loss };
  for (const [index, gradient] of gradients(loss, parameters).entries()) {
    extended[`grad.${used[index]!.name}`] = gradient;
  }
  return extended;
}

function grammarTable({ graph, vocabulary }: Network): Tensor {
  const rows = new Float32Array(tokenClasses.length * vocabulary.size).fill(forbidden);
  for (const [row, tokenClass] of tokenClasses.entries()) {
    const base = row * vocabulary.size;
    for (const { first, last } of vocabulary.ranges(tokenClass)) rows.fill(0, base + first, base + last + 1);
  }
  return graph.constant(rows, [tokenClasses.length, vocabulary.size]);
}

function pixelsInput({ graph, grid }: Network, n: number): Tensor {
  return graph.input('pixels', [n, grid.size.height, grid.size.width, 3], 'uint8');
}

function featuresInput({ graph, grid, architecture }: Network, n: number, screenshots: number): Tensor {
  return graph.input('features', [n, screenshots, grid.cells, architecture.width]);
}

function decoderInput({ graph }: Network, n: number, sequences: number, time: number): DecoderInput {
  const shape = [n, sequences, time];
  return {
    tokens: graph.input('tokens', shape, 'int32'),
    slots: graph.input('slots', shape, 'int32'),
    roles: graph.input('roles', shape, 'int32'),
    ages: graph.input('ages', shape, 'int32'),
    positions: graph.input('positions', shape, 'int32'),
    blocked: graph.input('blocked', [n, 1, sequences, 1, time]),
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
