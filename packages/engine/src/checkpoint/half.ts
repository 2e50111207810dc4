export type StoredType = 'F32' | HalfType;
/** IEEE binary16 (11 significant bits) or bfloat16 (8 bits, float32's range). */
export type HalfType = 'F16' | 'BF16';

export const bytesOf: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, BF16: 2 };

/** Magnitudes that round to infinity. */
export const overflowsAt: Readonly<Record<StoredType, number>> = {
  F32: Infinity,
  F16: 65_520,
  BF16: 2 ** 128 - 2 ** 119,
};

/** Rounds to nearest, ties to even; values from `overflowsAt` on become infinite. */
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
    if (magnitude >= minNormal) to[i] = sign | Math.min(infinite, roundedShift(magnitude, 13) - rebias);
    // Adding 2^52 rounds the float64 to an integer multiple of 2^-24, the subnormal step.
    else to[i] = sign | (Math.abs(from[i]!) * 2 ** 24 + 2 ** 52 - 2 ** 52);
  }
  return to;
}

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

/** 2^-14, the smallest normal binary16, as float32 bits. */
const minNormal = 0x3880_0000;
const infinite = 0x7c00;
const rebias = (127 - 15) << 10;

function roundedShift(bits: number, digits: number): number {
  const half = 2 ** (digits - 1) - 1;
  // Unsigned shift: bit 31 may be set.
  return (bits + half + ((bits >>> digits) & 1)) >>> digits;
}
