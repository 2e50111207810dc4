import type { Screen } from '../reader.js';

/** Source pixels and weights of each output position along one axis. */
interface Taps {
  readonly count: number;
  readonly indices: Int32Array;
  readonly weights: Float32Array;
}

/**
 * Resizes as OpenCV does (pixel centres, borders repeated, no smoothing), since the models were trained with it.
 * Returns `[height, width, 3]`, unrounded.
 */
export function resize({ pixels, size }: Screen, width: number, height: number, kernel: Kernel): Float32Array {
  const columns = taps(size.width, width, kernel);
  const rows = taps(size.height, height, kernel);
  const narrowed = new Float32Array(size.height * width * 3);
  for (let y = 0, out = 0; y < size.height; y++) {
    const start = y * size.width;
    for (let x = 0; x < width; x++, out += 3) {
      for (let tap = x * columns.count, end = tap + columns.count; tap < end; tap++) {
        const source = (start + columns.indices[tap]!) * 3;
        const weight = columns.weights[tap]!;
        narrowed[out] = narrowed[out]! + weight * pixels[source]!;
        narrowed[out + 1] = narrowed[out + 1]! + weight * pixels[source + 1]!;
        narrowed[out + 2] = narrowed[out + 2]! + weight * pixels[source + 2]!;
      }
    }
  }
  const stride = width * 3;
  const resized = new Float32Array(height * stride);
  for (let y = 0; y < height; y++) {
    const out = y * stride;
    for (let tap = y * rows.count, end = tap + rows.count; tap < end; tap++) {
      const source = rows.indices[tap]! * stride;
      const weight = rows.weights[tap]!;
      for (let i = 0; i < stride; i++) resized[out + i] = resized[out + i]! + weight * narrowed[source + i]!;
    }
  }
  return resized;
}

type Kernel = (distance: number) => number;

/** Weighs two pixels along each axis. */
export const linear: Kernel = (distance) => Math.max(0, 1 - Math.abs(distance));

/** Weighs four pixels along each axis; OpenCV's INTER_CUBIC (a = -0.75). */
export const cubic: Kernel = (distance) => {
  const x = Math.abs(distance);
  const a = -0.75;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
};

function taps(from: number, to: number, kernel: Kernel): Taps {
  const count = kernel === linear ? 2 : 4;
  const indices = new Int32Array(to * count);
  const weights = new Float32Array(to * count);
  for (let position = 0; position < to; position++) {
    const source = ((position + 0.5) * from) / to - 0.5;
    const first = Math.floor(source) - (count / 2 - 1);
    for (let tap = 0; tap < count; tap++) {
      const index = first + tap;
      indices[position * count + tap] = Math.min(Math.max(index, 0), from - 1);
      weights[position * count + tap] = kernel(source - index);
    }
  }
  return { count, indices, weights };
}
