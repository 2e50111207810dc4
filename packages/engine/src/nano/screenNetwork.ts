import type { Tensor } from '../tensor/graph.js';
import {
  add,
  cast,
  concat,
  div,
  gather,
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
  sqrt,
  square,
  sub,
  transpose,
} from '../tensor/ops.js';
import { glyphHeads, letterHeads } from './architecture.js';
import { type Grid, type Windows, cell, placeFeatures, placeWidth, windowsOf } from './grid.js';
import type { Weights } from './weights.js';

export interface Stem {
  /** `[n, cells of the windows, 2 halves * 1.5 stem]`. */
  halves: Tensor;
  /** `[n, cells of the windows, width]`. */
  shapes: Tensor;
  /** `[n, cells of the windows, 3 * blocks]`. */
  tints: Tensor;
}

/** A word of seven letters from either end. */
export const lineReach = 13;
/** A shape, or a board tile with its walls. */
export const columnReach = 5;
export const lineChannels = 48;
export const blocksPerCell = 8;
export const glyphWidth = 64;

/** Encodes one token per cell. Windowed attention makes cost proportional to area. */
export class ScreenNetwork {
  readonly #grid: Grid;

  readonly #windows: Windows;
  protected readonly columns: number;
  protected readonly rows: number;

  constructor(
    protected readonly weights: Weights,
    grid: Grid,
  ) {
    this.#grid = grid;

    this.#windows = windowsOf(grid);
    this.columns = this.#windows.columns * this.#windows.across;
    this.rows = this.#windows.rows * this.#windows.down;
  }

  /** `pixels` are uint8 `[n, height, width, 3]`. */
  stem(pixels: Tensor): Stem {
    const { blocks, tints } = this.#blocks(pixels);
    const { weights, columns, rows } = this;
    const halves = this.halves(blocks);
    const [n = 0] = halves.shape;
    const merged = reshape(weights.project('image.merge.out', halves), [n, rows * columns, weights.architecture.width]);
    return { halves, shapes: weights.norm('image.merge', merged), tints };
  }

  /**
   * Cuts 4x4 px blocks of 16 contrast and 3 colour values, `[n, rows * 4, columns * 2, 19]`, and colours by cell, `[n,
   * cells of the windows, 3 * blocks]`.
   */
  #blocks(pixels: Tensor): { blocks: Tensor; tints: Tensor } {
    const { columns, rows } = this;
    const [n = 0] = pixels.shape;
    const [h, w] = [rows * (cell.height / 4), columns * (cell.width / 4)];
    const colours = mul(this.#covered(cast(pixels, 'float32')), 1 / 255);
    const contrast = reshape(this.#contrast(mean(colours, [3])), [n, h, 4, w, 4]);
    const shapes = reshape(transpose(contrast, [0, 1, 3, 2, 4]), [n, h, w, 16]);
    const tints = this.#tints(mean(reshape(colours, [n, h, 4, w, 4, 3]), [2, 4]));
    const inCells = transpose(reshape(tints, [n, rows, 4, columns, 6]), [0, 1, 3, 2, 4]);
    return {
      blocks: concat([shapes, tints], 3),
      tints: reshape(inCells, [n, rows * columns, 3 * blocksPerCell]),
    };
  }

  /**
   * Returns `[n, cells of the windows, 2 * 1.5 stem]`. Weights are shared every 4 px and pooled down the cell, so that
   * a letter is learned once.
   */
  protected halves(blocks: Tensor): Tensor {
    const { weights, columns, rows } = this;
    const { stem } = weights.architecture;
    const [n = 0, , w = 0] = blocks.shape;
    const right = shift(blocks, 2, 1);
    const patches = relu(
      weights.project('image.stem.patch', concat([blocks, right, shift(blocks, 1, 1), shift(right, 1, 1)], 3)),
    );
    const across = relu(weights.project('image.stem.across', around(patches, 2, 2, 1)));
    const down = relu(weights.project('image.stem.down', around(across, 1, 3, 2)));
    const wide = 1.5 * stem;
    const looks = reshape(down, [n, rows, 4, w, wide]);
    const look = (i: number): Tensor => slice(looks, 2, i, i + 1);
    const best = maximum(maximum(look(0), look(1)), maximum(look(2), look(3)));
    return reshape(best, [n, rows * columns, letterHeads * wide]);
  }

  encode({ shapes, tints }: Stem): Tensor {
    const { weights } = this;
    const grid = this.#grid;
    const { width: d, imageLayers } = weights.architecture;
    const [n = 0] = shapes.shape;
    // Colours are added after the norm: learned letters make the convolutions ten times as large, and a common norm
    // would drown colours.
    const seen = add(shapes, weights.project('image.tint', tints));
    let x = this.#line(add(seen, this.#placesInWindows()));
    if (imageLayers > 0) {
      x = this.#cut(x);
      for (let l = 0; l < imageLayers; l++) x = this.#attend(`image.${l}`, x);
      x = this.#joined(x);
    }
    const whole = reshape(weights.norm('image', x), [n, this.rows, this.columns, d]);
    const visible = reshape(slice(slice(whole, 1, 0, grid.rows), 2, 0, grid.columns), [n, grid.cells, d]);
    const places = weights.graph.constant(placeFeatures(grid), [grid.cells, placeWidth]);
    return add(visible, weights.project('image.place', places));
  }

  /** Returns `[places, 2, classes]`. `cells`, int32 `[places]`, are numbered across screenshots. */
  letters({ halves }: Stem, cells: Tensor): Tensor {
    const [n = 0, , d = 0] = halves.shape;
    const cellHalves = slice(
      slice(reshape(halves, [n, this.rows, this.columns, d]), 1, 0, this.#grid.rows),
      2,
      0,
      this.#grid.columns,
    );
    const each = reshape(rowsOf(cellHalves, cells), [cells.shape[0] ?? 0, letterHeads, d / letterHeads]);
    return this.weights.project('image.letter', each);
  }

  /**
   * Returns `[places, heads, classes]`. A cell's own characters come from the stem alone, so that it learns letters
   * first.
   */
  glyphs(stem: Stem, image: Tensor, cells: Tensor): Tensor {
    const { weights } = this;
    const [places = 0] = cells.shape;
    const words = weights.project('image.word', rowsOf(image, cells));
    const each = reshape(words, [places, glyphHeads - letterHeads, glyphWidth]);
    return concat([this.letters(stem, cells), weights.project('image.character', each)], 1);
  }

  #covered(pixels: Tensor): Tensor {
    const [, height = 0, width = 0] = pixels.shape;
    const below = this.rows * cell.height - height;
    const beside = this.columns * cell.width - width;
    const higher = below > 0 ? pad(pixels, 1, 0, below) : pixels;
    return beside > 0 ? pad(higher, 2, 0, beside) : higher;
  }

  /**
   * Returns the absolute deviation of brightness `[n, height, width]` from the neighbourhood's mean, in standard
   * deviations, so that text looks the same in every theme (Jarrett et al. 2009).
   */
  #contrast(brightness: Tensor): Tensor {
    const { columns, rows } = this;
    const [n = 0, height = 0, width = 0] = brightness.shape;
    const inCells = reshape(brightness, [n, rows, height / rows, columns, width / columns]);
    const around = (x: Tensor): Tensor => reshape(smooth(mean(x, [2, 4])), [n, rows, 1, columns, 1]);
    const difference = sub(inCells, around(inCells));
    const deviation = sqrt(add(around(square(difference)), 1e-3));
    return reshape(div(maximum(difference, neg(difference)), deviation), [n, height, width]);
  }

  /** Returns red-green, blue-yellow and darkness: grey is 0 in the first two, white in all. */
  #tints(colours: Tensor): Tensor {
    const { graph } = this.weights;
    const opponents = graph.constant([2, -1, -1, -2, -1, -1, 0, 2, -1], [3, 3]);
    return add(matmul(colours, opponents), graph.constant([0, 0, 3], [3]));
  }

  /** Attention would have to learn every position separately. */
  #line(x: Tensor): Tensor {
    const { weights, columns, rows } = this;
    const [n = 0] = x.shape;
    const seen = relu(weights.project('image.line.in', weights.norm('image.line', x)));
    const grid = reshape(seen, [n, rows, columns, lineChannels]);
    const along = (axis: 1 | 2, length: number, reach: number): Tensor[] => {
      const half = (reach - 1) / 2;
      const padded = pad(grid, axis, half, half);
      return Array.from({ length: reach }, (_, i) => slice(padded, axis, i, i + length));
    };
    const above = along(1, rows, columnReach).filter((_, i) => i !== (columnReach - 1) / 2);
    const around = concat([...along(2, columns, lineReach), ...above], 3);
    const mixed = weights.project(
      'image.line.out',
      reshape(around, [n, rows * columns, (lineReach + columnReach - 1) * lineChannels]),
    );
    return weights.feedForward('image.line', add(x, mixed));
  }

  /** `x` is `[windows, cells, width]`. */
  #attend(name: string, x: Tensor): Tensor {
    const { weights } = this;
    const { width, heads } = weights.architecture;
    const y = weights.norm(name, x);
    const [q, k, v] = (['q', 'k', 'v'] as const).map((part) =>
      transpose(weights.heads(weights.project(`${name}.${part}`, y)), [0, 2, 1, 3]),
    ) as [Tensor, Tensor, Tensor];
    const attention = softmax(matmul(q, k, { transposeB: true, scale: 1 / Math.sqrt(width / heads) }));
    const mixed = reshape(transpose(matmul(attention, v), [0, 2, 1, 3]), x.shape);
    return weights.feedForward(name, add(x, weights.project(`${name}.o`, mixed)));
  }

  /** Returns `[cells of the windows, width]`. */
  #placesInWindows(): Tensor {
    const { weights } = this;
    const windows = this.#windows;
    const d = weights.architecture.width;
    const repeated = (table: string, length: number, times: number): Tensor => {
      const once = slice(weights.get(table), 0, 0, length);
      return times > 1 ? concat(new Array<Tensor>(times).fill(once), 0) : once;
    };
    const rows = repeated('image.row', windows.rows, windows.down);
    const columns = repeated('image.column', windows.columns, windows.across);
    const both = add(reshape(rows, [this.rows, 1, d]), reshape(columns, [1, this.columns, d]));
    return reshape(both, [this.rows * this.columns, d]);
  }

  /** Cuts `[n, cells, width]` into `[n * windows, cells of a window, width]`. */
  #cut(x: Tensor): Tensor {
    const { down, rows, across, columns } = this.#windows;
    const [n = 0, , d = 0] = x.shape;
    if (down * across === 1) return x;
    const split = transpose(reshape(x, [n, down, rows, across, columns, d]), [0, 1, 3, 2, 4, 5]);
    return reshape(split, [n * down * across, rows * columns, d]);
  }

  #joined(x: Tensor): Tensor {
    const { down, rows, across, columns } = this.#windows;
    const [count = 0, , d = 0] = x.shape;
    if (down * across === 1) return x;
    const n = count / (down * across);
    const split = transpose(reshape(x, [n, down, across, rows, columns, d]), [0, 1, 3, 2, 4, 5]);
    return reshape(split, [n, this.rows * this.columns, d]);
  }
}

function rowsOf(x: Tensor, numbers: Tensor): Tensor {
  const d = x.shape.at(-1) ?? 0;
  return gather(reshape(x, [-1, d]), numbers);
}

function smooth(x: Tensor): Tensor {
  const three = (y: Tensor, axis: number): Tensor => add(y, add(shift(y, axis, 1), shift(y, axis, -1)));
  const [, rows = 0, columns = 0] = x.shape;
  const ones = x.graph.constant(new Array<number>(rows * columns).fill(1), [1, rows, columns]);
  const total = (y: Tensor): Tensor => three(three(y, 1), 2);
  return div(total(x), total(ones));
}

function around(x: Tensor, axis: number, before: number, after: number): Tensor {
  const length = x.shape[axis] ?? 0;
  const padded = pad(x, axis, before, after);
  const shifted = Array.from({ length: before + 1 + after }, (_, i) => slice(padded, axis, i, i + length));
  return concat(shifted, x.shape.length - 1);
}

/** Shifts in zeros: 1 takes the next place, -1 the previous. */
function shift(x: Tensor, axis: number, by: 1 | -1): Tensor {
  const length = x.shape[axis] ?? 0;
  if (length === 1) return mul(x, 0);
  return by === 1 ? pad(slice(x, axis, 1, length), axis, 0, 1) : pad(slice(x, axis, 0, length - 1), axis, 1, 0);
}
