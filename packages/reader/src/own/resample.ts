/** For each target place, the first source place and the weights of the following ones. */
interface Taps {
  readonly first: Int32Array;
  readonly weights: Float32Array;
  readonly width: number;
}

/** Part of a picture, in its px; may be fractional. */
export interface Span {
  readonly from: number;
  readonly length: number;
}

/** Resamples rows and columns of a one-channel picture with a triangle filter, wider when it shrinks. */
export function resample(
  source: Float32Array,
  size: { readonly width: number; readonly height: number },
  spans: { readonly across: Span; readonly down: Span },
  target: { readonly width: number; readonly height: number },
): Float32Array {
  const across = tapsOf(size.width, spans.across, target.width);
  const down = tapsOf(size.height, spans.down, target.height);
  const narrow = new Float32Array(size.height * target.width);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < target.width; x++) {
      const start = y * size.width + across.first[x]!;
      let sum = 0;
      for (let tap = 0; tap < across.width; tap++)
        sum += across.weights[x * across.width + tap]! * source[start + tap]!;
      narrow[y * target.width + x] = sum;
    }
  }
  const result = new Float32Array(target.width * target.height);
  for (let y = 0; y < target.height; y++) {
    for (let tap = 0; tap < down.width; tap++) {
      const weight = down.weights[y * down.width + tap]!;
      if (weight === 0) continue;
      const start = (down.first[y]! + tap) * target.width;
      for (let x = 0; x < target.width; x++) result[y * target.width + x]! += weight * narrow[start + x]!;
    }
  }
  return result;
}

/** Repeats the edges: a tap beyond them counts for the edge. */
function tapsOf(length: number, { from, length: span }: Span, count: number): Taps {
  const step = span / count;
  const radius = Math.max(1, step);
  const width = Math.min(length, Math.ceil(2 * radius) + 1);
  const first = new Int32Array(count);
  const weights = new Float32Array(count * width);
  for (let i = 0; i < count; i++) {
    const centre = from + (i + 0.5) * step - 0.5;
    const start = Math.min(Math.max(Math.ceil(centre - radius), 0), length - width);
    first[i] = start;
    let total = 0;
    for (let place = Math.ceil(centre - radius); place <= Math.floor(centre + radius); place++) {
      const weight = 1 - Math.abs(place - centre) / radius;
      if (weight <= 0) continue;
      const tap = Math.min(Math.max(place, 0), length - 1) - start;
      weights[i * width + Math.min(Math.max(tap, 0), width - 1)]! += weight;
      total += weight;
    }
    for (let tap = 0; tap < width; tap++) weights[i * width + tap]! /= total;
  }
  return { first, weights, width };
}
