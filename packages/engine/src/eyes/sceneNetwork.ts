import type { Size } from '@gyre/protocol';
import { type Grid, gridOf, placeFeatures, placeWidth } from '../nano/grid.js';
import type { Weights } from '../nano/weights.js';
import type { Tensor } from '../tensor/graph.js';
import {
  add,
  cast,
  concat,
  expand,
  gather,
  matmul,
  mul,
  pad,
  relu,
  reshape,
  slice,
  softmax,
  split,
  transpose,
} from '../tensor/ops.js';
import type { SceneArchitecture } from './architecture.js';
import { bestMatches, likeness, relationPlanes } from './relations.js';
import { blocked as masked, type SceneLengths, tokensIn } from './sceneFeeds.js';
import { boxWidth, cropWidth, traitWidth } from './sceneWidths.js';
import { quantityNames } from './quantities.js';
import { seesCells } from './sceneParameters.js';
import { reducedSize, reductionOf, sceneGrid } from './screenGrid.js';
import { stem } from './stem.js';
import { stringWidth } from './strings.js';

const referenceParts = ['cell', 'copy', 'target'] as const;

/** Keys and values `[n, heads, length, width / heads]`. */
export interface Memory {
  readonly key: Tensor;
  readonly value: Tensor;
}

/** A scene that the decoder attends to. */
export interface EncodedScene {
  /** `[n, width]`. */
  readonly decision: Tensor;
  /** By decoder layer, over tokens and then the wide cells. */
  readonly memory: readonly Memory[];
}

/** Parts of a scene that a policy's decoder points at. */
export interface References {
  /** `[n, cells + copies + targets, width]`: queries of `cell`, `copy` and `target` meet their own part. */
  readonly keys: Tensor;
  /** `[n, 1, cells + copies + targets]`. */
  readonly bias: Tensor;
}

/** int32 `[n, steps]`: rows of the table of tokens and of keys; `refers`, float32, is 1 where the latter applies. */
export interface DecoderTokens {
  readonly tokens: Tensor;
  readonly referred: Tensor;
  readonly refers: Tensor;
  readonly positions: Tensor;
}

/** Encodes a screen as tokens with a text or shape and a box, and decodes turns that point at them and copy from them. */
export class SceneNetwork {
  readonly #weights: Weights<SceneArchitecture>;
  readonly #architecture: SceneArchitecture;
  readonly #lengths: SceneLengths;
  readonly #size: Size;
  readonly grid: Grid;

  constructor(
    weights: Weights<SceneArchitecture>,
    { architecture, lengths, size }: { architecture: SceneArchitecture; lengths: SceneLengths; size: Size },
  ) {
    this.#weights = weights;
    this.#architecture = architecture;
    this.#lengths = lengths;
    this.#size = size;
    this.grid = sceneGrid(size);
  }

  /** Number of things that a turn can refer to: cells, then copies, then targets. */
  get references(): number {
    const { instruction, screen } = this.#lengths;
    return this.grid.cells + instruction + 2 * screen;
  }

  get wideCells(): number {
    const { width, height } = reducedSize(this.#size);
    return (width / 16) * (height / 16);
  }

  get tokens(): number {
    return tokensIn(this.#lengths);
  }

  /** Input `[n, tokens]`: 0 for tokens, negative for padding. */
  blocked(n: number): Tensor {
    return this.#weights.graph.input('blocked', [n, this.tokens]);
  }

  encode(n: number): EncodedScene;
  encode(n: number, role: 'policy'): EncodedScene & References;
  encode(n: number, role?: 'policy'): EncodedScene & Partial<References> {
    const weights = this.#weights;
    const { graph } = weights;
    const { tokens } = this;
    const input = (name: string, shape: number[], type?: 'int32' | 'uint8'): Tensor => graph.input(name, shape, type);
    const { width: pixelWidth, height: pixelHeight } = reducedSize(this.#size);
    const { near, wide } = stem(weights, input('pixels', [n, pixelHeight, pixelWidth, 3], 'uint8'));
    const strings = input('strings', [n, tokens, stringWidth]);
    const alike = likeness(strings);
    const placed = input('placed', [n, tokens]);
    const text = weights.norm(
      'string',
      add(matmul(strings, weights.get('string.w')), gather(weights.get('word'), input('words', [n, tokens], 'int32'))),
    );
    const position = mul(
      weights.project('box', input('boxFeatures', [n, tokens, boxWidth])),
      reshape(placed, [n, tokens, 1]),
    );
    const looks = [
      text,
      gather(weights.get('kind'), input('kinds', [n, tokens], 'int32')),
      gather(weights.get('order'), input('orders', [n, tokens], 'int32')),
      gather(weights.get('function'), input('functions', [n, tokens], 'int32')),
      weights.project('traits', input('traits', [n, tokens, traitWidth])),
      weights.project('match', bestMatches(alike, input('quoted', [n, 2, tokens]))),
      position,
    ].reduce(add);
    let x = this.#withPixels(looks, near, n);
    const planes = relationPlanes(alike, {
      values: input('values', [n, tokens, quantityNames.length]),
      known: input('known', [n, tokens, quantityNames.length]),
      places: input('places', [n, tokens]),
      boxes: input('boxes', [n, tokens, 4]),
      placed,
    });
    const { layers, heads } = this.#architecture;
    const biases = reshape(matmul(weights.get('bias.w'), planes), [n, layers * heads, tokens, tokens]);
    const blocked = reshape(this.blocked(n), [n, 1, 1, tokens]);
    const cells = this.#wideCells(wide, n);
    // The gradient of a split is one concatenation; those of slices would be padded and added.
    for (const [l, given] of split(biases, 1, new Array<number>(layers).fill(heads)).entries()) {
      x = this.#encoderLayer(`encoder.${l}`, x, seesCells(l) ? cells : undefined, add(given, blocked));
    }
    const encoded = weights.norm('encoder', x);
    return {
      decision: reshape(slice(encoded, 1, 0, 1), [n, this.#architecture.width]),
      memory: this.#memory(encoded, cells),
      ...(role === 'policy' && this.#references(encoded, near, cells, n)),
    };
  }

  /** Decodes the steps of one turn causally. Returns `[n, steps, width]`. Without keys, no step refers to anything. */
  decode(
    scene: EncodedScene & Partial<References>,
    { tokens, referred, refers, positions }: DecoderTokens,
    blocked: Tensor,
  ): Tensor {
    const weights = this.#weights;
    const { width: d, decoderLayers } = this.#architecture;
    const [n = 0, steps = 0] = tokens.shape;
    const isReference = reshape(refers, [n, steps, 1]);
    const spelt = mul(gather(weights.get('token'), tokens), add(mul(isReference, -1), 1));
    const placed = gather(weights.get('position'), positions);
    let x = [spelt, placed, expand(reshape(scene.decision, [n, 1, d]), [n, steps, d])].reduce(add);
    if (scene.keys) {
      const named = weights.project('referred', gather(reshape(scene.keys, [-1, d]), referred));
      x = add(x, mul(named, isReference));
    }
    const causal = weights.graph.constant(
      Array.from({ length: steps * steps }, (_, i) => (i % steps <= Math.floor(i / steps) ? 0 : masked)),
      [steps, steps],
    );
    const cells = (scene.memory[0]?.key.shape[2] ?? 0) - (blocked.shape[1] ?? 0);
    const unseen = pad(reshape(blocked, [n, 1, 1, blocked.shape[1] ?? 0]), 3, 0, cells);
    for (let l = 0; l < decoderLayers; l++) {
      const name = `decoder.${l}`;
      const y = weights.norm(name, x);
      const q = this.#headed(`${name}.q`, y);
      const spoken: Memory = { key: this.#headed(`${name}.k`, y), value: this.#headed(`${name}.v`, y) };
      const seen = scene.memory[l]!;
      x = this.#attended(name, x, q, [
        { ...spoken, bias: causal },
        { ...seen, bias: unseen },
      ]);
    }
    return weights.norm('decoder', x);
  }

  /** Returns `[n, steps, text tokens + references]`. */
  logits(hidden: Tensor, { keys, bias }: References): Tensor {
    const weights = this.#weights;
    const { width: d } = this.#architecture;
    const { instruction, screen } = this.#lengths;
    const counts = [this.grid.cells, instruction + screen, screen];
    const parts = split(keys, 1, counts).map((part, i) => {
      const q = mul(weights.project(`${referenceParts[i]}.q`, hidden), 1 / Math.sqrt(d));
      return matmul(q, part, { transposeB: true });
    });
    return concat([weights.project('logits', hidden), add(concat(parts, 2), bias)], 2);
  }

  /** Returns `[n, steps]`. */
  values(hidden: Tensor): Tensor {
    const [n = 0, steps = 0] = hidden.shape;
    return reshape(this.#weights.project('value', hidden), [n, steps]);
  }

  /** Adds the pixels of each token on the screen: its box reduced, and the stem at its middle. */
  #withPixels(x: Tensor, near: Tensor, n: number): Tensor {
    const weights = this.#weights;
    const { instruction, screen } = this.#lengths;
    const [, tokens = 0] = x.shape;
    const crops = weights.graph.input('crops', [n, screen, cropWidth], 'uint8');
    const centred = add(mul(cast(crops, 'float32'), 1 / 127.5), -1);
    const shape = weights.project('crop.out', relu(weights.project('crop.in', centred)));
    const flat = reshape(near, [-1, near.shape.at(-1) ?? 0]);
    const look = weights.project('look', gather(flat, weights.graph.input('looks', [n, screen], 'int32')));
    const from = 1 + instruction;
    return concat(
      [
        slice(x, 1, 0, from),
        add(slice(x, 1, from, from + screen), add(shape, look)),
        slice(x, 1, from + screen, tokens),
      ],
      1,
    );
  }

  /** Returns `[n, wide cells, width]` with their places. */
  #wideCells(wide: Tensor, n: number): Tensor {
    const side = 16 * reductionOf(this.#size);
    const [, rows = 0, columns = 0] = wide.shape;
    const grid = gridOf(this.#size, { width: side, height: side });
    const places = placeFeatures({ ...grid, rows, columns, cells: rows * columns });
    const { graph } = this.#weights;
    const place = this.#weights.project('image.place', graph.constant(places, [rows * columns, placeWidth]));
    return add(reshape(wide, [n, rows * columns, this.#architecture.width]), place);
  }

  #memory(encoded: Tensor, cells: Tensor): Memory[] {
    const seen = concat([encoded, cells], 1);
    return Array.from({ length: this.#architecture.decoderLayers }, (_, l) => ({
      key: this.#headed(`decoder.${l}.sceneK`, seen),
      value: this.#headed(`decoder.${l}.sceneV`, seen),
    }));
  }

  #references(encoded: Tensor, near: Tensor, cells: Tensor, n: number): References {
    const weights = this.#weights;
    const { instruction, screen } = this.#lengths;
    const named = slice(encoded, 1, 1, 1 + instruction + screen);
    const onScreen = slice(encoded, 1, 1 + instruction, 1 + instruction + screen);
    const keys = concat(
      [this.#cellKeys(near, cells, n), weights.project('copy.k', named), weights.project('target.k', onScreen)],
      1,
    );
    const counts = [this.grid.cells, instruction + screen, screen];
    const biases = split(keys, 1, counts).map((part, i) => weights.project(`${referenceParts[i]}.bias`, part));
    return { keys, bias: reshape(concat(biases, 1), [n, 1, this.references]) };
  }

  /** Returns `[n, cells of the grid, width]`: what a cell shows, and the wide cell around it. */
  #cellKeys(near: Tensor, cells: Tensor, n: number): Tensor {
    const weights = this.#weights;
    const { width: d } = this.#architecture;
    const [, rows = 0, columns = 0] = near.shape;
    const { grid } = this;
    const wide = reshape(weights.project('cell.wide.k', cells), [n, rows / 2, 1, columns / 2, 1, d]);
    const spread = reshape(expand(wide, [n, rows / 2, 2, columns / 2, 2, d]), [n, rows, columns, d]);
    const seen = add(spread, weights.project('cell.near.k', near));
    const visible = slice(slice(seen, 1, 0, grid.rows), 2, 0, grid.columns);
    const places = weights.graph.constant(placeFeatures(grid), [grid.cells, placeWidth]);
    return add(reshape(visible, [n, grid.cells, d]), weights.project('cell.place.k', places));
  }

  /** Cells are looked at, but do not look: a third of the cost of attention among all. */
  #encoderLayer(name: string, x: Tensor, cells: Tensor | undefined, bias: Tensor): Tensor {
    const y = this.#weights.norm(name, x);
    const q = this.#headed(`${name}.q`, y);
    return this.#attended(name, x, q, [
      { key: this.#headed(`${name}.k`, y), value: this.#headed(`${name}.v`, y), bias },
      ...(cells ? [{ key: this.#headed(`${name}.imageK`, cells), value: this.#headed(`${name}.imageV`, cells) }] : []),
    ]);
  }

  #headed(name: string, x: Tensor): Tensor {
    return transpose(this.#weights.heads(this.#weights.project(name, x)), [0, 2, 1, 3]);
  }

  #attended(name: string, x: Tensor, q: Tensor, sources: readonly (Memory & { readonly bias?: Tensor })[]): Tensor {
    const weights = this.#weights;
    const { width, heads } = this.#architecture;
    const scale = 1 / Math.sqrt(width / heads);
    const scores = sources.map(({ key, bias }) => {
      const score = matmul(q, key, { transposeB: true, scale });
      return bias ? add(score, bias) : score;
    });
    const attention = softmax(scores.length > 1 ? concat(scores, 3) : scores[0]!);
    const parts =
      scores.length === 1
        ? [attention]
        : split(
            attention,
            3,
            scores.map(({ shape }) => shape[3] ?? 0),
          );
    const mixed = sources.map(({ value }, i) => matmul(parts[i] ?? attention, value)).reduce(add);
    const joined = reshape(transpose(mixed, [0, 2, 1, 3]), x.shape);
    return weights.feedForward(name, add(x, weights.project(`${name}.o`, joined)));
  }
}
