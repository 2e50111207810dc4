import type { Size } from '@gyre/protocol';
import { type TokenClass, tokenClasses } from '../nano/grammar.js';
import { marginalLoss, ppoLoss, valueLoss } from '../nano/losses.js';
import type { NativeLoss } from '../nano/nativeEngine.js';
import { textSize, Vocabulary } from '../nano/vocabulary.js';
import { Weights } from '../nano/weights.js';
import type { ParameterSpec } from '../runtime/parameters.js';
import { gradients } from '../tensor/gradients.js';
import { Graph, type Tensor } from '../tensor/graph.js';
import { add, concat, exp, gather, logSoftmax, mul, neg, pick, slice, sum } from '../tensor/ops.js';
import type { SceneArchitecture } from './architecture.js';
import type { SceneLengths } from './sceneFeeds.js';
import { type DecoderTokens, type EncodedScene, type References, SceneNetwork } from './sceneNetwork.js';
import { sceneParameters } from './sceneParameters.js';

/** Probability e^-64 is nothing in float32. */
const forbidden = -64;

export interface SceneShape {
  readonly n: number;
  readonly size: Size;
  readonly lengths: SceneLengths;
  /** Decoder steps. */
  readonly steps: number;
}

type Outputs = Record<string, Tensor>;

/** Builds the graphs of a policy with a reader. */
export class SceneModel {
  readonly parameters: readonly ParameterSpec[];
  readonly #shapes: ReadonlyMap<string, readonly number[]>;

  constructor(readonly architecture: SceneArchitecture) {
    this.parameters = sceneParameters(architecture);
    this.#shapes = new Map(this.parameters.map(({ name, shape }) => [name, shape]));
  }

  /** Encodes scenes and decodes the first step. */
  begin(shape: SceneShape): Outputs {
    const { network, graph } = this.#on(shape);
    const scene = network.encode(shape.n, 'policy');
    const hidden = network.decode(scene, decoderTokens(graph, shape), network.blocked(shape.n));
    return {
      logits: network.logits(hidden, scene),
      decision: scene.decision,
      keys: scene.keys,
      bias: scene.bias,
      ...Object.fromEntries(
        scene.memory.flatMap(({ key, value }, l) => [
          [`memory.${l}.key`, key],
          [`memory.${l}.value`, value],
        ]),
      ),
    };
  }

  /** Decodes all steps of turns whose scenes are encoded. */
  proceed(shape: SceneShape): Outputs {
    const { network, graph } = this.#on(shape);
    const { n } = shape;
    const { width: d, heads, decoderLayers } = this.architecture;
    const seen = [n, heads, network.tokens + network.wideCells, d / heads];
    const scene: EncodedScene & References = {
      decision: graph.input('decision', [n, d]),
      keys: graph.input('keys', [n, network.references, d]),
      bias: graph.input('bias', [n, 1, network.references]),
      memory: Array.from({ length: decoderLayers }, (_, l) => ({
        key: graph.input(`memory.${l}.key`, seen),
        value: graph.input(`memory.${l}.value`, seen),
      })),
    };
    const hidden = network.decode(scene, decoderTokens(graph, shape), network.blocked(n));
    return { logits: network.logits(hidden, scene) };
  }

  /** With a loss, adds gradients (`grad.NAME`). */
  learn(shape: SceneShape, loss?: NativeLoss): Outputs {
    const { network, graph } = this.#on(shape);
    const { n, steps } = shape;
    const feed = (name: string, count = steps): Tensor => graph.input(name, [n, count]);
    if (this.architecture.role === 'critic') {
      const hidden = network.decode(network.encode(n), decoderTokens(graph, shape), network.blocked(n));
      const values = slice(network.values(hidden), 1, 0, 1);
      if (loss?.name !== 'ppo_critic') return { values };
      const decisions = {
        values,
        returns: feed('returns', 1),
        oldValues: feed('oldValues', 1),
        weights: feed('weights', 1),
      };
      return this.#withGradients(graph, { values }, valueLoss(decisions, loss));
    }
    const scene = network.encode(n, 'policy');
    const hidden = network.decode(scene, decoderTokens(graph, shape), network.blocked(n));
    const raw = network.logits(hidden, scene);
    const absent = graph.input('absent', [2 * n, network.references]);
    const absences = concat([graph.constant(new Float32Array(2 * n * textSize), [2 * n, textSize]), absent], 1);
    const known = gather(absences, graph.input('absences', [n, steps], 'int32'));
    const allowed = gather(this.#grammar(graph, network, shape), graph.input('classes', [n, steps], 'int32'));
    const logp = logSoftmax(add(add(raw, allowed), known));
    const entropies = neg(sum(mul(exp(logp), logp), [2]));
    const logprobs = pick(logp, graph.input('actions', [n, steps], 'int32'));
    const outputs = { logprobs, entropies };
    if (!loss) return outputs;
    const weights = feed('weights');
    if (loss.name === 'ppo') {
      const tokens = { ...outputs, advantages: feed('advantages'), oldLogprobs: feed('oldLogprobs'), weights };
      return this.#withGradients(graph, outputs, ppoLoss(tokens, loss));
    }
    const accepted = graph.input('accepted', [n, steps, textSize + network.references]);
    return this.#withGradients(graph, outputs, marginalLoss({ logprobs: logp, accepted, weights }));
  }

  #on({ size, lengths }: SceneShape): { graph: Graph; network: SceneNetwork } {
    const { architecture } = this;
    const graph = new Graph();
    const weights = new Weights(graph, architecture, this.#shapes);
    return { graph, network: new SceneNetwork(weights, { architecture, lengths, size }) };
  }

  #withGradients(graph: Graph, outputs: Outputs, loss: Tensor): Outputs {
    const used = this.parameters.filter(({ name }) => graph.hasParameter(name));
    const parameters = used.map(({ name, shape }) => graph.parameter(name, shape));
    const extended: Outputs = { ...outputs, loss };
    for (const [index, gradient] of gradients(loss, parameters).entries()) {
      extended[`grad.${used[index]!.name}`] = gradient;
    }
    return extended;
  }

  /** Returns `[classes, text tokens + references]`: 0 for what a class allows. */
  #grammar(graph: Graph, network: SceneNetwork, { lengths }: SceneShape): Tensor {
    const vocabulary = new Vocabulary(network.grid);
    const width = textSize + network.references;
    const cells = textSize + network.grid.cells;
    const targets = cells + lengths.instruction + lengths.screen;
    const rows = new Float32Array(tokenClasses.length * width).fill(forbidden);
    for (const [row, tokenClass] of tokenClasses.entries()) {
      const allow = (from: number, to: number) => rows.fill(0, row * width + from, row * width + to);
      for (const { first, last } of vocabulary.ranges(tokenClass)) allow(first, last + 1);
      if (tokenClass === 'point' || tokenClass === 'optionalPoint') allow(targets, width);
      if (copying.has(tokenClass)) allow(cells, targets);
    }
    return graph.constant(rows, [tokenClasses.length, width]);
  }
}

const copying: ReadonlySet<TokenClass> = new Set(['textStart', 'proseStart', 'keysStart']);

function decoderTokens(graph: Graph, { n, steps }: SceneShape): DecoderTokens {
  const integers = (name: string): Tensor => graph.input(name, [n, steps], 'int32');
  return {
    tokens: integers('tokens'),
    referred: integers('referred'),
    refers: graph.input('refers', [n, steps]),
    positions: integers('positions'),
  };
}
