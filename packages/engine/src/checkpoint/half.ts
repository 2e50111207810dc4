/** Types of stored numbers, which are float32 in memory. */
export type StoredType = 'F32' | HalfType;
/** IEEE 754 binary16: 11 digits, 6e-8 to 65504. bfloat16: 8 digits, and the range of float32. */
export type HalfType = 'F16' | 'BF16';

export const bytesOf: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, BF16: 2 };

/** Magnitudes that round to infinity: half-way beyond the largest number. */
export const overflowsAt: Readonly<Record<StoredType, number>> = {
  F32: Infinity,
  F16: 65_520,
  BF16: 2 ** 128 - 2 ** 119,
};

/**
 * Rounds finite float32 to half precision, to the nearest and half-way to even: exact numbers come back exactly. Numbers from `overflowsAt`
 * on become infinite.
 */
export function toHalf(type: HalfType, from: Float32Array): Uint16Array {
  const bits = new Uint32Array(from.buffer, from.byteOffset, from.length);
  const to = new Uint16Array(from.length);
  if (type === 'BF16') {
    for (let i = 0; i < to.length; i++) to[i] = roundedShift(bits[i]!, 16);
    return to;
  }
  for (let i = 0; i < to.length; i++) {
    const sign = (bits[i]! >>> 16) & 0x8000;
    const magnitude = bits[i]! & 0x7fff_ffff;
    if (magnitude >= leastNormal) to[i] = sign | Math.min(infinite, roundedShift(magnitude, 13) - rebias);
    // Subnormal numbers are multiples of 2^-24. Adding 2^52 leaves a float64 no fraction: it rounds.
    else to[i] = sign | (Math.abs(from[i]!) * 2 ** 24 + 2 ** 52 - 2 ** 52);
  }
  return to;
}

/** Converts half precision to float32, exactly. `to` is as long as `from`. */
export function fromHalf(type: HalfType, from: Uint16Array, to: Float32Array): void {
  const bits = new Uint32Array(to.buffer, to.byteOffset, to.length);
  if (type === 'BF16') {
    for (let i = 0; i < to.length; i++) bits[i] = from[i]! << 16;
    return;
  }
  for (let i = 0; i < to.length; i++) {
    const half = from[i]!;
    const sign = (half & 0x8000) << 16;
    const magnitude = half & 0x7fff;
    if (magnitude >= infinite) bits[i] = sign | 0x7f80_0000 | ((magnitude & 0x3ff) << 13);
    else if (magnitude >= 0x400) bits[i] = sign | ((magnitude + rebias) << 13);
    else to[i] = (sign ? -1 : 1) * magnitude * 2 ** -24;
  }
}

/** 2^-14 as float32 bits, the smallest normal binary16. */
const leastNormal = 0x3880_0000;
const infinite = 0x7c00;
/** Difference of the exponents' biases, at the place of a binary16's exponent. */
const rebias = (127 - 15) << 10;

/** Returns bits / 2^digits, rounded to the nearest and half-way to even. */
function roundedShift(bits: number, digits: number): number {
  const half = 2 ** (digits - 1) - 1;
  // Unsigned: the sign may be the first of 32 bits.
  return (bits + half + ((bits >>> digits) & 1)) >>> digits;
}
