import type { Tensor } from './graph.js';
import { checkShape, shapeError, show, type Shape } from './shape.js';
import { needsFloat } from './broadcast.js';
import { slice, transpose } from './layout.js';

export interface ConvOptions {
  stride?: number;
  padding?: number;
  dilation?: number;
}

/**
 * Cross-correlates x [batch, in, height, width] with w [out, in, kernelHeight, kernelWidth] to [batch, out, height',
 * width'], where length' = floor((length + 2 padding - dilation (kernel - 1) - 1) / stride) + 1.
 */
export function conv2d(x: Tensor, w: Tensor, options: ConvOptions = {}): Tensor {
  const { stride = 1, padding = 0, dilation = 1 } = options;
  needsFloat('Conv', x);
  needsFloat('Conv', w);
  const [batch, channels, height, width] = x.shape as [number, number, number, number];
  const [out, into, kernelHeight, kernelWidth] = w.shape as [number, number, number, number];
  if (x.shape.length !== 4 || w.shape.length !== 4 || channels !== into) {
    throw shapeError(
      'Conv',
      `${show(x.shape)} does not match weights ${show(w.shape)}`,
      'x is [batch, in, height, width], w [out, in, kernel, kernel]',
    );
  }
  const rows = windows('Conv', height, kernelHeight, { stride, padding, dilation });
  const columns = windows('Conv', width, kernelWidth, { stride, padding, dilation });
  return x.graph.node('Conv', [x, w], [batch, out, rows, columns], 'float32', {
    attributes: attributesOf({ stride, padding, dilation }),
    rule: ([g]) => [
      () => imageGradient(g!, w, x.shape, { stride, padding, dilation }),
      () => weightGradient(x, g!, w.shape, { stride, padding, dilation }),
    ],
  });
}

export function windows(
  op: string,
  length: number,
  kernel: number,
  { stride, padding, dilation }: Required<ConvOptions>,
): number {
  checkShape(op, [kernel, stride, dilation, padding + 1]);
  const last = length + 2 * padding - dilation * (kernel - 1) - 1;
  if (last < 0) {
    throw shapeError(
      op,
      `a kernel of ${kernel} with dilation ${dilation} is larger than ${length} pixels with a padding of ${padding}`,
    );
  }
  return Math.floor(last / stride) + 1;
}

function attributesOf({ stride, padding, dilation }: Required<ConvOptions>) {
  return {
    strides: [stride, stride],
    pads: [padding, padding, padding, padding],
    dilations: [dilation, dilation],
  };
}

/** Linear in g and in w. */
function imageGradient(g: Tensor, w: Tensor, shape: Shape, options: Required<ConvOptions>): Tensor {
  const { stride, padding, dilation } = options;
  // Pixels that no window reaches.
  const rest = (axis: 2 | 3) =>
    shape[axis]! + 2 * padding - dilation * (w.shape[axis]! - 1) - 1 - (g.shape[axis]! - 1) * stride;
  return g.graph.node('ConvTranspose', [g, w], shape, 'float32', {
    attributes: { ...attributesOf(options), output_padding: [rest(2), rest(3)] },
    rule: ([h]) => [() => conv2d(h!, w, options), () => weightGradient(h!, g, w.shape, options)],
  });
}

/** Slides g over x as a kernel dilated by `stride`. */
function weightGradient(
  x: Tensor,
  g: Tensor,
  [, , kernelHeight, kernelWidth]: Shape,
  { stride, padding, dilation }: Required<ConvOptions>,
): Tensor {
  const swap = [1, 0, 2, 3];
  const full = conv2d(transpose(x, swap), transpose(g, swap), { stride: dilation, padding, dilation: stride });
  return transpose(slice(slice(full, 2, 0, kernelHeight!), 3, 0, kernelWidth!), swap);
}
