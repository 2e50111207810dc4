import type { Graph, Tensor } from '../graph.js';
import {
  add,
  cast,
  concat,
  div,
  gather,
  layerNorm,
  linear,
  matmul,
  maximum,
  mean,
  mul,
  neg,
  pad,
  relu,
  reshape,
  slice,
  softmax,
  split,
  sqrt,
  square,
  sub,
  transpose,
} from '../ops.js';
import type { ParameterSpec } from '../parameters.js';
import { type Architecture, cellsOf, glyphClasses, glyphHeads, longestAction, longestContext } from './architecture.js';
import { rememberedTurns, slots } from './context.js';
import { Vocabulary } from './vocabulary.js';

/** Keys and values `[batch, heads, length, width / heads]` that later tokens attend to. */
export interface Memory {
  key: Tensor;
  value: Tensor;
}

/** What the cells of screenshots show by themselves. */
export interface Stem {
  /** Normalised, `[n, cells, width]`. */
  shapes: Tensor;
  /** Of the blocks of each cell, `[n, cells, 3 * blocks]`. */
  tints: Tensor;
}

/**
 * Added to the score of what must not be seen: below what float32 resolves in a softmax, and far above where the products of
 * such a weight with small gradients become denormal, on which processors are many times slower.
 */
export const blocked = -30;

/** Inputs of the decoder, all int32 `[batch, sequences, time]` but `blocked`, float32 `[batch, 1, sequences, 1, time]`: 0, or `blocked` for padding. */
export interface DecoderInput {
  tokens: Tensor;
  slots: Tensor;
  roles: Tensor;
  positions: Tensor;
  blocked: Tensor;
}

/** Cells of a line that a cell sees at once, itself in the middle: a word of seven letters from either end. */
const lineReach = 13;
/** Cells of a column, itself in the middle: a shape, or a tile of a board with its walls. */
const columnReach = 5;
const lineChannels = 48;
/** Blocks of 4x4 px in a cell of 8x16. */
const blocksPerCell = 8;

/**
 * The native policy as a graph. A screenshot becomes one token per cell (`encode`); instruction, past and action are causal
 * tokens that look at them (`decode`); the next token is a function, key or character, or a cell of the screen (`logits`).
 * Several sequences can share one screenshot, which is encoded once: the screenshot is what costs.
 */
export class Model {
  readonly vocabulary: Vocabulary;
  readonly cells: number;
  /** Every parameter with its shape and how it starts. Names that begin with `image.` are the encoder's. */
  readonly parameters: readonly ParameterSpec[];
  private readonly size: number;
  private readonly shapes: ReadonlyMap<string, readonly number[]>;

  constructor(readonly architecture: Architecture) {
    this.vocabulary = new Vocabulary(cellsOf(architecture.screen));
    this.cells = this.vocabulary.cells.columns * this.vocabulary.cells.rows;
    this.size = architecture.width / architecture.heads;
    this.parameters = this.specify();
    this.shapes = new Map(this.parameters.map(({ name, shape }) => [name, shape]));
  }

  private specify(): ParameterSpec[] {
    const { width: d, stem, imageLayers, decoderLayers, screenshots, role } = this.architecture;
    const { columns, rows } = this.vocabulary.cells;
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
    matrix('image.stem.across', 4 * stem, 1.5 * stem, 1.4);
    matrix('image.stem.down', 9 * stem, 192, 1.4);
    matrix('image.merge.out', 192, d);
    norm('image.merge.norm');
    matrix('image.tint', 3 * blocksPerCell, d);
    // 0.5, not the customary 0.02: with small position embeddings nothing is learnt for hundreds of steps.
    table('image.row', rows, 0.5);
    table('image.column', columns, 0.5);
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
    matrix('image.letter', d, glyphClasses);
    matrix('image.word', d, (glyphHeads - 1) * glyphClasses);
    table('token', this.vocabulary.textSize, 0.5);
    table('slot', slots, 0.5);
    table('role', this.vocabulary.textSize + rememberedTurns + 1, 0.5);
    table('position', longestContext + longestAction, 0.1);
    table('pointer.row', rows, 0.5);
    table('pointer.column', columns, 0.5);
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
      matrix('logits', d, this.vocabulary.textSize, 0.5);
      matrix('pointer.q', d, d);
      matrix('pointer.k', d, d);
    }
    return specs;
  }

  /** What cells show by themselves, of RGB screenshots, uint8 `[n, height, width, 3]`: convolutions alone. */
  stem(g: Graph, pixels: Tensor): Stem {
    const { stem, width: d } = this.architecture;
    const [n = 0, height = 0, width = 0] = pixels.shape;
    const [h, w] = [height / 4, width / 4];
    const colours = mul(cast(pixels, 'float32'), 1 / 255);
    const contrast = reshape(this.contrast(mean(colours, [3])), [n, h, 4, w, 4]);
    const shapes = reshape(transpose(contrast, [0, 1, 3, 2, 4]), [n, h, w, 16]);
    const tints = this.tints(g, mean(reshape(colours, [n, h, 4, w, 4, 3]), [2, 4]));
    const blocks = concat([shapes, tints], 3);
    // Windows of 8x8 px every 4 px, each four blocks side by side.
    const right = shift(blocks, 2, 1);
    const windows = concat([blocks, right, shift(blocks, 1, 1), shift(right, 1, 1)], 3);
    const patches = relu(this.project(g, 'image.stem.patch', windows));
    // Two columns of patches become one, with a patch more on either side; then four rows, with one more above and below.
    const { columns, rows } = this.vocabulary.cells;
    const pairs = reshape(patches, [n, h, columns, 2 * stem]);
    const across = relu(this.project(g, 'image.stem.across', withEdges(pairs, 2, stem)));
    const wide = 1.5 * stem;
    const stacked = reshape(transpose(reshape(across, [n, rows, 4, columns, wide]), [0, 1, 3, 2, 4]), [
      n,
      rows,
      columns,
      4 * wide,
    ]);
    const down = relu(this.project(g, 'image.stem.down', withEdges(stacked, 1, wide)));
    const merged = this.project(g, 'image.merge.out', down);
    return {
      shapes: this.norm(g, 'image.merge', reshape(merged, [n, this.cells, d])),
      tints: reshape(transpose(reshape(tints, [n, rows, 4, columns, 6]), [0, 1, 3, 2, 4]), [
        n,
        this.cells,
        3 * blocksPerCell,
      ]),
    };
  }

  /** What the stem made of screenshots to tokens `[n, cells, width]` that know their place, their line and the whole screen. */
  encode(g: Graph, { shapes, tints }: Stem): Tensor {
    const { width: d, imageLayers } = this.architecture;
    const [n = 0] = shapes.shape;
    // Colours come in after the norm: learning letters makes the convolutions' outputs ten times as large, and colours
    // normalised together with them were lost.
    const seen = add(shapes, this.project(g, 'image.tint', tints));
    let x = this.line(g, add(seen, this.grid(g, 'image')));
    for (let l = 0; l < imageLayers; l++) {
      const name = `image.${l}`;
      const y = this.norm(g, name, x);
      const [q, k, v] = (['q', 'k', 'v'] as const).map((part) =>
        transpose(this.heads(this.project(g, `${name}.${part}`, y)), [0, 2, 1, 3]),
      ) as [Tensor, Tensor, Tensor];
      const weights = softmax(matmul(q, k, { transposeB: true, scale: 1 / Math.sqrt(this.size) }));
      const mixed = reshape(transpose(matmul(weights, v), [0, 2, 1, 3]), [n, this.cells, d]);
      x = this.feedForward(g, name, add(x, this.project(g, `${name}.o`, mixed)));
    }
    return this.norm(g, 'image', x);
  }

  /**
   * How far a pixel's brightness is from that of its surroundings (a cell and its neighbours), in standard deviations, without
   * sign: text looks the same in every theme. Brightness `[n, height, width]`; after local contrast normalisation (Jarrett et al. 2009).
   */
  private contrast(brightness: Tensor): Tensor {
    const { columns, rows } = this.vocabulary.cells;
    const [n = 0, height = 0, width = 0] = brightness.shape;
    const inCells = reshape(brightness, [n, rows, height / rows, columns, width / columns]);
    const around = (x: Tensor): Tensor => reshape(smooth(mean(x, [2, 4])), [n, rows, 1, columns, 1]);
    const difference = sub(inCells, around(inCells));
    const deviation = sqrt(add(around(square(difference)), 1e-3));
    return reshape(div(maximum(difference, neg(difference)), deviation), [n, height, width]);
  }

  /** Colours `[..., 3]` as red against green, blue against both, and darkness: grey is 0 in the first two, white in all. */
  private tints(g: Graph, colours: Tensor): Tensor {
    const opponents = g.constant([2, -1, -1, -2, -1, -1, 0, 2, -1], [3, 3]);
    return add(matmul(colours, opponents), g.constant([0, 0, 3], [3]));
  }

  /**
   * Every cell sees its line of text, and what is right above and below it: what attention would have to learn place by
   * place, a convolution does for all places at once.
   */
  private line(g: Graph, x: Tensor): Tensor {
    const { columns, rows } = this.vocabulary.cells;
    const [n = 0] = x.shape;
    const seen = relu(this.project(g, 'image.line.in', this.norm(g, 'image.line', x)));
    const grid = reshape(seen, [n, rows, columns, lineChannels]);
    const along = (axis: 1 | 2, length: number, reach: number): Tensor[] => {
      const half = (reach - 1) / 2;
      const padded = pad(grid, axis, half, half);
      return Array.from({ length: reach }, (_, i) => slice(padded, axis, i, i + length));
    };
    const above = along(1, rows, columnReach).filter((_, i) => i !== (columnReach - 1) / 2);
    const windows = concat([...along(2, columns, lineReach), ...above], 3);
    const inputs = windows.shape[3] ?? 0;
    const mixed = this.project(g, 'image.line.out', reshape(windows, [n, this.cells, inputs]));
    return this.feedForward(g, 'image.line', add(x, mixed));
  }

  /**
   * Reading logits `[n, cells, heads, classes]`: head 0, the letter at a cell's centre, from the stem alone, which thereby
   * learns to see letters before anything else works; the letters of the cell's word from the whole encoder.
   */
  glyphs(g: Graph, stem: Stem, image: Tensor): Tensor {
    const [n = 0] = image.shape;
    const words = reshape(this.project(g, 'image.word', image), [n, this.cells, glyphHeads - 1, glyphClasses]);
    return concat([this.letters(g, stem), words], 2);
  }

  /** Logits `[n, cells, 1, classes]` of the letter at each cell's centre. */
  letters(g: Graph, { shapes }: Stem): Tensor {
    const [n = 0] = shapes.shape;
    return reshape(this.project(g, 'image.letter', shapes), [n, this.cells, 1, glyphClasses]);
  }

  /** Keys and values of the screenshots `[n, screenshots, cells, width]` for each decoder layer. */
  imageMemory(g: Graph, images: Tensor): Memory[] {
    const { screenshots, width: d, decoderLayers } = this.architecture;
    const [n = 0] = images.shape;
    const aged = screenshots > 1 ? add(images, reshape(this.parameter(g, 'age'), [screenshots, 1, d])) : images;
    const all = reshape(aged, [n, screenshots * this.cells, d]);
    return Array.from({ length: decoderLayers }, (_, l) => ({
      key: transpose(this.heads(this.project(g, `decoder.${l + 1}.imageK`, all)), [0, 2, 1, 3]),
      value: transpose(this.heads(this.project(g, `decoder.${l + 1}.imageV`, all)), [0, 2, 1, 3]),
    }));
  }

  /**
   * Causal tokens over the screenshots. In the first layer all tokens read each other; in the later ones only the last
   * `keep` (the decision) go on, and look at the screenshots and at what the first layer made of the text.
   * Returns those `[batch, sequences, keep, width]`, and each layer's own keys and values `[batch, heads, sequences, time, size]`.
   * `past` holds keys and values of earlier tokens, its `blocked` `[batch, 1, 1, 1, length]` says which of them count.
   */
  decode(
    g: Graph,
    input: DecoderInput,
    images: readonly Memory[],
    keep: number,
    past?: { memory: readonly Memory[]; blocked: Tensor },
  ): { hidden: Tensor; memory: Memory[] } {
    const { decoderLayers } = this.architecture;
    const [, , t = 0] = input.tokens.shape;
    const text = add(
      add(this.embed(g, input.tokens), gather(this.parameter(g, 'slot'), input.slots)),
      add(gather(this.parameter(g, 'role'), input.roles), gather(this.parameter(g, 'position'), input.positions)),
    );
    const causal = g.constant(
      Array.from({ length: t * t }, (_, i) => (i % t <= Math.floor(i / t) ? 0 : blocked)),
      [t, t],
    );
    const seen = add(causal, input.blocked);
    const before = (l: number): { memory: Memory; blocked: Tensor } | undefined => {
      const memory = past?.memory[l];
      return past && memory && { memory, blocked: past.blocked };
    };
    const first = this.layer(g, 'decoder.0', text, text, seen, undefined, before(0));
    const memory = [first.own];
    const context = keep < t ? slice(first.x, 2, 0, t - keep) : undefined;
    let decision = context ? slice(first.x, 2, t - keep, t) : first.x;
    const seenByDecision = context ? slice(seen, 3, t - keep, t) : seen;
    for (let l = 1; l <= decoderLayers; l++) {
      const all = context ? concat([context, decision], 2) : decision;
      const { x, own } = this.layer(g, `decoder.${l}`, decision, all, seenByDecision, images[l - 1], before(l));
      memory.push(own);
      decision = x;
    }
    return { hidden: this.norm(g, 'decoder', decision), memory };
  }

  /** One layer: `x` `[batch, sequences, rows, width]` asks the tokens `all`, the screenshots and the past; then a feed-forward part. */
  private layer(
    g: Graph,
    name: string,
    x: Tensor,
    all: Tensor,
    mask: Tensor,
    image?: Memory,
    past?: { memory: Memory; blocked: Tensor },
  ): { x: Tensor; own: Memory } {
    const { width: d, heads } = this.architecture;
    const [n = 0, s = 0, rows = 0] = x.shape;
    const y = this.norm(g, name, all);
    const asking = all === x ? y : slice(y, 2, (all.shape[2] ?? 0) - rows, all.shape[2] ?? 0);
    const headed = (part: string, from: Tensor): Tensor =>
      transpose(this.heads(this.project(g, `${name}.${part}`, from)), [0, 3, 1, 2, 4]);
    const q = mul(headed('q', asking), 1 / Math.sqrt(this.size));
    const own: Memory = { key: headed('k', y), value: headed('v', y) };
    const sources: { scores: Tensor; mix: (weights: Tensor) => Tensor }[] = [
      {
        scores: add(matmul(q, own.key, { transposeB: true }), mask),
        mix: (weights) => matmul(weights, own.value),
      },
    ];
    if (image) {
      // The sequences of one screenshot ask it together.
      const cells = image.key.shape[2] ?? 0;
      const flat = reshape(q, [n, heads, s * rows, this.size]);
      sources.push({
        scores: reshape(matmul(flat, image.key, { transposeB: true }), [n, heads, s, rows, cells]),
        mix: (weights) =>
          reshape(matmul(reshape(weights, [n, heads, s * rows, cells]), image.value), [n, heads, s, rows, this.size]),
      });
    }
    if (past) {
      const { key, value } = past.memory;
      sources.push({
        scores: add(matmul(q, key, { transposeB: true }), past.blocked),
        mix: (weights) => matmul(weights, value),
      });
    }
    const weights = softmax(
      concat(
        sources.map(({ scores }) => scores),
        4,
      ),
    );
    const parts = split(
      weights,
      4,
      sources.map(({ scores }) => scores.shape[4] ?? 0),
    );
    const mixed = sources.map(({ mix }, i) => mix(parts[i] ?? weights)).reduce(add);
    const joined = reshape(transpose(mixed, [0, 2, 3, 1, 4]), [n, s, rows, d]);
    return { x: this.feedForward(g, name, add(x, this.project(g, `${name}.o`, joined))), own };
  }

  /** Logits `[batch, sequences, time, vocabulary]` over text tokens and the cells of the newest screenshot. */
  logits(g: Graph, hidden: Tensor, images: Tensor): Tensor {
    const { screenshots, width: d } = this.architecture;
    const [n = 0, s = 0, t = 0] = hidden.shape;
    const newest = reshape(slice(images, 1, screenshots - 1, screenshots), [n, this.cells, d]);
    const q = mul(reshape(this.project(g, 'pointer.q', hidden), [n, s * t, d]), 1 / Math.sqrt(d));
    const pointer = matmul(q, this.project(g, 'pointer.k', newest), { transposeB: true });
    return concat([this.project(g, 'logits', hidden), reshape(pointer, [n, s, t, this.cells])], 3);
  }

  /** Values `[batch, sequences, time]`. */
  values(g: Graph, hidden: Tensor): Tensor {
    const [n = 0, s = 0, t = 0] = hidden.shape;
    return reshape(this.project(g, 'value', hidden), [n, s, t]);
  }

  /** Embeddings of tokens; a cell's is that of its row and column. */
  private embed(g: Graph, tokens: Tensor): Tensor {
    const { width: d } = this.architecture;
    const cells = reshape(this.grid(g, 'pointer'), [this.cells, d]);
    const table = concat([this.parameter(g, 'token'), cells], 0);
    return gather(table, tokens);
  }

  /** Row plus column embeddings, `[cells, width]`. */
  private grid(g: Graph, name: string): Tensor {
    const { width: d } = this.architecture;
    const { columns, rows } = this.vocabulary.cells;
    const both = add(
      reshape(this.parameter(g, `${name}.row`), [rows, 1, d]),
      reshape(this.parameter(g, `${name}.column`), [1, columns, d]),
    );
    return reshape(both, [this.cells, d]);
  }

  private project(g: Graph, name: string, x: Tensor): Tensor {
    return linear(x, this.parameter(g, `${name}.w`), this.parameter(g, `${name}.b`));
  }

  private norm(g: Graph, name: string, x: Tensor): Tensor {
    return layerNorm(x, this.parameter(g, `${name}.norm.g`), this.parameter(g, `${name}.norm.b`));
  }

  private feedForward(g: Graph, name: string, x: Tensor): Tensor {
    const y = this.norm(g, `${name}.ff`, x);
    return add(x, this.project(g, `${name}.down`, relu(this.project(g, `${name}.up`, y))));
  }

  /** `[..., width]` to `[..., heads, size]`. */
  private heads(x: Tensor): Tensor {
    return reshape(x, [...x.shape.slice(0, -1), this.architecture.heads, this.size]);
  }

  private parameter(g: Graph, name: string): Tensor {
    return g.parameter(name, this.shapes.get(name) ?? []);
  }
}

/** Mean over a place of a grid `[n, rows, columns]` and its neighbours; at the edge, over those that there are. */
function smooth(x: Tensor): Tensor {
  const three = (y: Tensor, axis: number): Tensor => add(y, add(shift(y, axis, 1), shift(y, axis, -1)));
  const [, rows = 0, columns = 0] = x.shape;
  const ones = x.graph.constant(new Array<number>(rows * columns).fill(1), [1, rows, columns]);
  const total = (y: Tensor): Tensor => three(three(y, 1), 2);
  return div(total(x), total(ones));
}

/** Blocks `[..., block]` along an axis, each with the last `edge` channels of the block before and the first of the one after. */
function withEdges(blocks: Tensor, axis: number, edge: number): Tensor {
  const channels = blocks.shape.length - 1;
  const block = blocks.shape[channels] ?? 0;
  const before = shift(slice(blocks, channels, block - edge, block), axis, -1);
  const after = shift(slice(blocks, channels, 0, edge), axis, 1);
  return concat([before, blocks, after], channels);
}

/** Moves a grid by one place along an axis and fills with zeros: `by` 1 takes the next place, -1 the one before. */
function shift(x: Tensor, axis: number, by: 1 | -1): Tensor {
  const length = x.shape[axis] ?? 0;
  return by === 1 ? pad(slice(x, axis, 1, length), axis, 0, 1) : pad(slice(x, axis, 0, length - 1), axis, 1, 0);
}
