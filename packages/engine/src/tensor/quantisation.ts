/** Processors without VNNI add pairs of products in 16 bits, which larger values overflow. */
export const largestInt8 = 64;

/** Column j of [inner, columns] is about `scales[j] * values[, j]`. */
export interface Int8Columns {
  /** `[inner, columns]`, -64..64. */
  readonly values: Int8Array;
  /** `[columns]`. */
  readonly scales: Float32Array;
}

export function int8Columns(matrix: Float32Array, columns: number): Int8Columns {
  const scales = new Float32Array(columns);
  for (let i = 0; i < matrix.length; i++) {
    scales[i % columns] = Math.max(scales[i % columns]!, Math.abs(matrix[i]!) / largestInt8);
  }
  const values = Int8Array.from(matrix, (value, i) => Math.round(value / (scales[i % columns]! || 1)));
  return { values, scales };
}

/** Numbers that share a scale. */
export const blockLength = 32;

/** For `com.microsoft.MatMulNBits`. */
export interface Int4Blocks {
  /** `[columns, blocks, blockLength / 2]`: two numbers a byte, low bits first; 8 means 0. */
  readonly packed: Uint8Array;
  /** `[columns * blocks]`. */
  readonly scales: Float32Array;
  readonly blocks: number;
}

export function int4Blocks(matrix: Float32Array, columns: number): Int4Blocks {
  const inner = matrix.length / columns;
  const blocks = Math.ceil(inner / blockLength);
  const packed = new Uint8Array((columns * blocks * blockLength) / 2);
  const scales = new Float32Array(columns * blocks);
  const block = new Float32Array(blockLength);
  for (let place = 0; place < scales.length; place++) {
    const [column, from] = [Math.floor(place / blocks), (place % blocks) * blockLength];
    for (let i = 0; i < blockLength; i++) block[i] = from + i < inner ? matrix[(from + i) * columns + column]! : 0;
    const scale = int4Scale(block);
    scales[place] = scale;
    for (let i = 0; i < blockLength; i++) {
      packed[(place * blockLength + i) >> 1]! |= (int4(block[i]!, scale) + 8) << (4 * (i & 1));
    }
  }
  return { packed, scales, blocks };
}

function int4(value: number, scale: number): number {
  return scale === 0 ? 0 : Math.max(-8, Math.min(7, Math.round(value / scale)));
}

/**
 * Minimises the squared error over scales that map the largest magnitude to -8 (possibly negative) or clip it to
 * resolve the others better.
 */
function int4Scale(block: Float32Array): number {
  let largest = 0;
  for (const value of block) if (Math.abs(value) > Math.abs(largest)) largest = value;
  let [best, minError] = [0, Infinity];
  for (const share of scaleShares) {
    const scale = Math.fround((share * largest) / -8);
    let error = 0;
    for (const value of block) error += (value - scale * int4(value, scale)) ** 2;
    if (error < minError) [best, minError] = [scale, error];
  }
  return best;
}

const scaleShares = [1, 0.95, 0.9, 0.85, 0.8, 0.75];
