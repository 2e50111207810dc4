import { type Graph, type ParameterSpec, type Tensor, ops } from '@gyre/engine';
import { z } from 'zod';
import { beside, blocked, dense, denseParameters, neighbourhood, norm, normParameters } from './layers.js';
import { slotWidth, stripHeight } from './lineStrip.js';

const width = z.int().positive();

/** Widths of the recogniser's layers. */
export const RecogniserShape = z.strictObject({
  fine: width.default(32).describe('channels at half the resolution'),
  coarse: width.default(64).describe('channels at a quarter of the resolution'),
  column: width.default(192).describe('numbers per column of 4 px'),
  blocks: z.int().nonnegative().default(4).describe('layers that mix columns, each with farther ones'),
  slot: width.default(128).describe('numbers per slot, from which its character is classified'),
});
export type RecogniserShape = z.infer<typeof RecogniserShape>;

const rows = stripHeight / 4;
const slotsPerColumn = 4 / slotWidth;

export function recogniserParameters(shape: RecogniserShape, characters: number): ParameterSpec[] {
  const { fine, coarse, column, blocks, slot } = shape;
  return [
    ...denseParameters('fine', 9 * 4, fine),
    ...denseParameters('coarse', 3 * 4 * fine, coarse),
    ...denseParameters('column', 3 * rows * coarse, column, 1),
    ...Array.from({ length: blocks }, (_, i) => [
      ...normParameters(`block${i}.norm`, column),
      ...denseParameters(`block${i}.in`, 3 * column, column),
      ...denseParameters(`block${i}.out`, column, column, 0.5),
    ]).flat(),
    ...normParameters('norm', column),
    ...denseParameters('slot', column, slotsPerColumn * slot),
    ...denseParameters('centre', slot, 1, 1),
    ...denseParameters('character', slot, characters, 1),
  ];
}

export interface Slots {
  /** Logits of holding a character's centre, `[strips, slots of a strip]`. */
  readonly centres: Tensor;
  /** `[slots of all strips, width]`. */
  readonly features: Tensor;
}

/** Maps ink, uint8 `[strips, stripHeight, px]`, to slots of `slotWidth` px. */
export function slotsOf(graph: Graph, shape: RecogniserShape, ink: Tensor): Slots {
  const { add, cast, mul, relu, reshape } = ops;
  const [strips = 0, , length = 0] = ink.shape;
  const pixels = reshape(mul(cast(ink, 'float32'), 1 / 255), [strips, stripHeight, length, 1]);
  const half = relu(dense(graph, 'fine', neighbourhood(blocked(pixels)), shape.fine));
  // Neighbours above and below meet in the columns: joining them here would cost a third of the network's time.
  const quarter = relu(dense(graph, 'coarse', beside(blocked(half), 2), shape.coarse));
  const upright = reshape(ops.transpose(quarter, [0, 2, 1, 3]), [strips, length / 4, rows * shape.coarse]);
  let x = dense(graph, 'column', beside(upright, 1), shape.column);
  for (let i = 0; i < shape.blocks; i++) {
    // Whether a letter is a capital shows in others of the line.
    const seen = beside(norm(graph, `block${i}.norm`, x), 1, 1, 1 + i);
    const y = relu(dense(graph, `block${i}.in`, seen, shape.column));
    x = add(x, dense(graph, `block${i}.out`, y, shape.column));
  }
  const wide = relu(dense(graph, 'slot', norm(graph, 'norm', x), slotsPerColumn * shape.slot));
  const features = reshape(wide, [(strips * length) / slotWidth, shape.slot]);
  return { centres: reshape(dense(graph, 'centre', features, 1), [strips, length / slotWidth]), features };
}

/** Returns logits `[places, characters]` of the slots that `places`, int32, number. */
export function characterLogits(graph: Graph, features: Tensor, places: Tensor, characters: number): Tensor {
  return dense(graph, 'character', ops.gather(features, places), characters);
}
