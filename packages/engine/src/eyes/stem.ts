import type { Tensor } from '../tensor/graph.js';
import { add, cast, concat, mul, pad, relu, reshape, slice, transpose } from '../tensor/ops.js';
import type { SceneArchitecture } from './architecture.js';
import type { Weights } from '../nano/weights.js';

/** Blocks of 4 x 4 px. */
export const patchWidth = 4 * 4 * 3;

/**
 * Encodes pixels, uint8 `[n, height, width, 3]`, at strides of 8 and 16 px: `near` is `[n, height / 8, width / 8,
 * stem]`, `wide` `[n, height / 16, width / 16, width]`. Blocks and matrix products are faster here than convolutions.
 */
export function stem(weights: Weights<SceneArchitecture>, pixels: Tensor): { near: Tensor; wide: Tensor } {
  const [n = 0, height = 0, width = 0] = pixels.shape;
  const centred = add(mul(cast(pixels, 'float32'), 1 / 127.5), -1);
  const blocks = transpose(reshape(centred, [n, height / 4, 4, width / 4, 12]), [0, 1, 3, 2, 4]);
  const strokes = relu(weights.project('image.patch', reshape(blocks, [n, height / 4, width / 4, patchWidth])));
  const near = relu(weights.project('image.merge', paired(strokes)));
  const coarse = relu(weights.project('image.down', paired(near)));
  let wide = add(coarse, weights.project('image.wide', around(coarse)));
  for (let l = 0; l < weights.architecture.cellLayers; l++) {
    const seen = relu(weights.project(`image.${l}.in`, around(weights.norm(`image.${l}`, wide))));
    wide = add(wide, weights.project(`image.${l}.out`, seen));
  }
  return { near, wide: weights.norm('image', wide) };
}

/** Joins blocks of 2 x 2: `[n, h, w, c]` to `[n, h / 2, w / 2, 4 c]`. */
function paired(x: Tensor): Tensor {
  const [n = 0, height = 0, width = 0, channels = 0] = x.shape;
  const split = reshape(x, [n, height / 2, 2, width / 2, 2 * channels]);
  return reshape(transpose(split, [0, 1, 3, 2, 4]), [n, height / 2, width / 2, 4 * channels]);
}

function around(x: Tensor): Tensor {
  return concat([x, shifted(x, 1, 1), shifted(x, 1, -1), shifted(x, 2, 1), shifted(x, 2, -1)], 3);
}

/** Shifts in zeros: 1 takes the next place, -1 the previous. */
function shifted(x: Tensor, axis: number, by: 1 | -1): Tensor {
  const length = x.shape[axis] ?? 0;
  if (length === 1) return mul(x, 0);
  return by === 1 ? pad(slice(x, axis, 1, length), axis, 0, 1) : pad(slice(x, axis, 0, length - 1), axis, 1, 0);
}
