import type { Tensor } from './graph.js';
import { shapeError, show, sizeOf } from './shape.js';
import { windows } from './convolution.js';
import { add, maximum } from './elementwise.js';
import { needsFloat } from './broadcast.js';
import { scatterElements } from './indexing.js';
import { pad, slice } from './layout.js';
import { reshape } from './reshape.js';

export interface PoolOptions {
  kernel: number;
  /** Default: the kernel. */
  stride?: number;
  /** At most half the kernel. Default 0. */
  padding?: number;
}

function sizesOf(op: string, x: Tensor, { kernel, stride = kernel, padding = 0 }: PoolOptions) {
  needsFloat(op, x);
  const [batch, channels, height, width] = x.shape as [number, number, number, number];
  if (x.shape.length !== 4)
    throw shapeError(op, `${show(x.shape)} does not have 4 axes`, 'reshape x to [batch, channels, height, width]');
  if (2 * padding > kernel) {
    throw shapeError(op, `a padding of ${padding} is more than half a kernel of ${kernel}`, 'reduce the padding');
  }
  const rows = windows(op, height, kernel, { stride, padding, dilation: 1 });
  const columns = windows(op, width, kernel, { stride, padding, dilation: 1 });
  return { batch, channels, rows, columns, stride, padding };
}

/**
 * Pools x [batch, channels, height, width]; lengths as for `conv2d`. Padding never wins. The first of equal pixels gets
 * the gradient.
 */
export function maxPool2d(x: Tensor, options: PoolOptions): Tensor {
  const { batch, channels, rows, columns, stride, padding } = sizesOf('MaxPool', x, options);
  if (x.graph.backend === 'webgpu') return largestOfViews(x, [rows, columns], { ...options, stride, padding });
  const shape = [batch, channels, rows, columns];
  const outputs = [{ shape, dtype: 'float32' } as const, { shape, dtype: 'int64' } as const];
  return x.graph.nodes('MaxPool', [x], outputs, {
    attributes: {
      kernel_shape: [options.kernel, options.kernel],
      strides: [stride, stride],
      pads: [padding, padding, padding, padding],
    },
    // Flat indices of the maxima.
    rule: ([g], [, indices]) => [
      () => {
        const flat = [sizeOf(x.shape)];
        return reshape(scatterElements(reshape(g!, [-1]), reshape(indices!, [-1]), flat, 0), x.shape);
      },
    ],
  })[0]!;
}

/** Avoids indices, which the WebGPU kernel (ORT 1.30) lacks: one view of the image per pixel of a window. */
function largestOfViews(
  x: Tensor,
  [rows, columns]: readonly [number, number],
  { kernel, stride, padding }: Required<PoolOptions>,
): Tensor {
  const padded = pad(pad(x, 2, padding, padding), 3, padding, padding);
  const [, , height, width] = padded.shape as [number, number, number, number];
  const isInside = (at: number, length: number) => at >= padding && at < length - padding;
  const border = Float32Array.from({ length: height * width }, (_, i) =>
    isInside(Math.floor(i / width), height) && isInside(i % width, width) ? 0 : -3e38,
  );
  const image = padding === 0 ? x : add(padded, x.graph.constant(border, [height, width]));
  const views = Array.from({ length: kernel * kernel }, (_, i) =>
    every(every(image, 2, Math.floor(i / kernel), rows, stride), 3, i % kernel, columns, stride),
  );
  return views.reduce((a, b) => maximum(a, b));
}

function every(x: Tensor, axis: number, start: number, count: number, step: number): Tensor {
  const cut = slice(x, axis, start, start + (count - 1) * step + 1);
  if (step === 1) return cut;
  const blocks = reshape(pad(cut, axis, 0, step - 1), x.shape.toSpliced(axis, 1, count, step));
  return reshape(slice(blocks, axis + 1, 0, 1), x.shape.with(axis, count));
}
