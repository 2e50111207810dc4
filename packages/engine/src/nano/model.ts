import type { Size } from '@gyre/protocol';
import { type Backend, Graph } from '../tensor/graph.js';
import type { ParameterSpec } from '../runtime/parameters.js';
import { type Architecture, glyphHeads, letterHeads, longestAction, longestContext } from './architecture.js';
import { historyTurns, slots } from './context.js';
import { DecoderNetwork } from './decoderNetwork.js';
import { glyphClasses } from './glyphs.js';
import { type Grid, largestWindow, placeWidth } from './grid.js';
import { ScreenNetwork, blocksPerCell, columnReach, glyphWidth, lineChannels, lineReach } from './screenNetwork.js';
import { type Vocabulary, textSize, vocabularyOf } from './vocabulary.js';
import { Weights } from './weights.js';

export interface Network {
  readonly graph: Graph;
  readonly architecture: Architecture;
  readonly grid: Grid;
  readonly vocabulary: Vocabulary;
  readonly screen: ScreenNetwork;
  readonly decoder: DecoderNetwork;
}

export interface Blueprint {
  readonly screen: new (weights: Weights, grid: Grid) => ScreenNetwork;
  readonly decoder: new (weights: Weights, grid: Grid) => DecoderNetwork;
  readonly parameters: (architecture: Architecture) => readonly ParameterSpec[];
}

export const nativeBlueprint: Blueprint = { screen: ScreenNetwork, decoder: DecoderNetwork, parameters: specify };

export class Model {
  readonly #standard: boolean;
  readonly #blueprint: Blueprint;

  /** Encoder parameters start with `image.`. */
  readonly parameters: readonly ParameterSpec[];
  readonly #shapes: ReadonlyMap<string, readonly number[]>;

  constructor(
    readonly architecture: Architecture,
    readonly backend: Backend = 'cpu',
    /** Uses only ONNX's own operators. */
    standard = false,
    blueprint = nativeBlueprint,
  ) {
    this.#standard = standard;
    this.#blueprint = blueprint;

    this.parameters = blueprint.parameters(architecture);
    this.#shapes = new Map(this.parameters.map(({ name, shape }) => [name, shape]));
  }

  on(size: Size): Network {
    const { architecture, backend } = this;
    const blueprint = this.#blueprint;
    const graph = new Graph({ backend, standard: this.#standard });
    const weights = new Weights(graph, architecture, this.#shapes);
    const vocabulary = vocabularyOf(size);
    const { grid } = vocabulary;
    return {
      graph,
      architecture,
      grid,
      vocabulary,
      screen: new blueprint.screen(weights, grid),
      decoder: new blueprint.decoder(weights, grid),
    };
  }
}

function specify(architecture: Architecture): ParameterSpec[] {
  const { width: d, stem, imageLayers, decoderLayers, screenshots, role } = architecture;
  const specs: ParameterSpec[] = [];
  const matrix = (name: string, from: number, to: number, scale = 1): void => {
    specs.push({ name: `${name}.w`, shape: [from, to], init: { normal: scale / Math.sqrt(from) } });
    specs.push({ name: `${name}.b`, shape: [to], init: 'zeros' });
  };
  const norm = (name: string): void => {
    specs.push({ name: `${name}.g`, shape: [d], init: 'ones' }, { name: `${name}.b`, shape: [d], init: 'zeros' });
  };
  const table = (name: string, n: number, std: number): void => {
    specs.push({ name, shape: [n, d], init: { normal: std } });
  };
  const feedForward = (name: string, inner: number): void => {
    norm(`${name}.ff.norm`);
    matrix(`${name}.up`, d, inner);
    matrix(`${name}.down`, inner, d, 0.5);
  };
  matrix('image.stem.patch', 76, stem, 1.4);
  matrix('image.stem.across', 4 * stem, stem, 1.4);
  matrix('image.stem.down', 6 * stem, 1.5 * stem, 1.4);
  matrix('image.merge.out', letterHeads * 1.5 * stem, d);
  norm('image.merge.norm');
  matrix('image.tint', 3 * blocksPerCell, d);
  // With the usual 0.02, position embeddings stall learning for hundreds of steps.
  table('image.row', largestWindow.rows, 0.5);
  table('image.column', largestWindow.columns, 0.5);
  norm('image.line.norm');
  matrix('image.line.in', d, lineChannels, 1.4);
  matrix('image.line.out', (lineReach + columnReach - 1) * lineChannels, d, 0.5);
  feedForward('image.line', 2 * d);
  for (let l = 0; l < imageLayers; l++) {
    norm(`image.${l}.norm`);
    for (const part of ['q', 'k', 'v']) matrix(`image.${l}.${part}`, d, d);
    matrix(`image.${l}.o`, d, d, 0.5);
    feedForward(`image.${l}`, 2 * d);
  }
  norm('image.norm');
  matrix('image.place', placeWidth, d, 0.5);
  matrix('image.letter', 1.5 * stem, glyphClasses);
  matrix('image.word', d, (glyphHeads - letterHeads) * glyphWidth);
  matrix('image.character', glyphWidth, glyphClasses);
  table('token', textSize, 0.5);
  table('slot', slots, 0.5);
  table('turn', historyTurns + 1, 0.5);
  table('position', longestContext + longestAction, 0.1);
  matrix('role', d, d);
  matrix('pointer.place', placeWidth, d, 0.7);
  if (screenshots > 1) table('age', screenshots, 0.1);
  for (let l = 0; l <= decoderLayers; l++) {
    norm(`decoder.${l}.norm`);
    for (const part of ['q', 'k', 'v']) matrix(`decoder.${l}.${part}`, d, d);
    if (l > 0) for (const part of ['imageK', 'imageV']) matrix(`decoder.${l}.${part}`, d, d);
    matrix(`decoder.${l}.o`, d, d, 0.5);
    feedForward(`decoder.${l}`, 4 * d);
  }
  norm('decoder.norm');
  if (role === 'critic') {
    matrix('value', d, 1, 0.1);
  } else {
    matrix('logits', d, textSize, 0.5);
    matrix('pointer.q', d, d);
    matrix('pointer.k', d, d);
  }
  return specs;
}
