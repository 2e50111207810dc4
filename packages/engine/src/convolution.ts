import type { Tensor } from './graph.js';
import { shapeError, show } from './shape.js';
import { needsFloat } from './elementwise.js';
import { slice, transpose } from './layout.js';

export interface ConvOptions {
  /** Pixels from one window to the next. Default 1. */
  stride?: number;
  /** Zeros added on every side. Default 0. */
  padding?: number;
}

/** Cross-correlation: x [batch, in, height, width], w [out, in, kernel, kernel] -> [batch, out, height', width']. */
export function conv2d(x: Tensor, w: Tensor, { stride = 1, padding = 0 }: ConvOptions = {}): Tensor {
  needsFloat('Conv', x);
  const [batch, channels, height, width] = x.shape as [number, number, number, number];
  const [out, into, kernelHeight, kernelWidth] = w.shape as [number, number, number, number];
  const steps = (length: number, kernel: number) => Math.floor((length + 2 * padding - kernel) / stride) + 1;
  if (x.shape.length !== 4 || w.shape.length !== 4 || channels !== into) {
    throw shapeError(
      'Conv',
      `${show(x.shape)} does not fit weights ${show(w.shape)}`,
      'x is [batch, in, height, width], w [out, in, kernel, kernel]',
    );
  }
  const rows = steps(height, kernelHeight);
  const columns = steps(width, kernelWidth);
  if (rows < 1 || columns < 1) throw shapeError('Conv', `weights ${show(w.shape)} are larger than ${show(x.shape)}`);
  const pads = [padding, padding, padding, padding];
  // Pixels at the far edge that no window reaches.
  const restRows = height + 2 * padding - kernelHeight - (rows - 1) * stride;
  const restColumns = width + 2 * padding - kernelWidth - (columns - 1) * stride;
  const swap = [1, 0, 2, 3];
  const { graph } = x;
  return graph.node('Conv', [x, w], [batch, out, rows, columns], 'float32', {
    attributes: { strides: [stride, stride], pads },
    rule: ([g]) => [
      () =>
        graph.node('ConvTranspose', [g!, w], x.shape, 'float32', {
          attributes: { strides: [stride, stride], pads, output_padding: [restRows, restColumns] },
        }),
      () => {
        // The gradient slides over x as a kernel whose pixels lie `stride` apart.
        const shape = [channels, out, kernelHeight + restRows, kernelWidth + restColumns];
        const attributes = { dilations: [stride, stride], pads };
        const full = graph.node('Conv', [transpose(x, swap), transpose(g!, swap)], shape, 'float32', { attributes });
        return transpose(slice(slice(full, 2, 0, kernelHeight), 3, 0, kernelWidth), swap);
      },
    ],
  });
}
