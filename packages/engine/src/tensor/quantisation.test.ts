import { describe, expect, it } from 'vitest';
import { blockLength, int4Blocks, int8Columns, largestInt8 } from './quantisation.js';
import { Random } from '../random.js';

const random = new Random(1);
const [inner, columns] = [70, 3];
const matrix = Float32Array.from({ length: inner * columns }, (_, i) => 10 ** (i % columns) * random.normal());

describe('weights of 8 bits', () => {
  it('are within half a step of what they stand for, a step being a 64th of the column’s largest', () => {
    const { values, scales } = int8Columns(matrix, columns);
    for (const [i, value] of matrix.entries()) {
      const scale = scales[i % columns]!;
      expect(Math.abs(value - scale * values[i]!)).toBeLessThan(0.5001 * scale);
    }
    for (let column = 0; column < columns; column++) {
      const columnValues = values.filter((_, i) => i % columns === column);
      expect(Math.max(...columnValues.map(Math.abs))).toBe(largestInt8);
    }
  });

  it('fit, two of them with activations of 8 bits, into 16', () => {
    expect(2 * 255 * largestInt8).toBeLessThan(2 ** 15);
  });

  it('are 0 in a column of zeros', () => {
    const { values, scales } = int8Columns(Float32Array.of(0, 1, 0, -2), 2);
    expect([...values, scales[0]]).toEqual([0, 32, 0, -64, 0]);
  });
});

describe('weights of 4 bits', () => {
  const numberAt = ({ packed, scales, blocks }: ReturnType<typeof int4Blocks>, row: number, column: number) => {
    const block = column * blocks + Math.floor(row / blockLength);
    const place = block * blockLength + (row % blockLength);
    return (((packed[place >> 1]! >> (4 * (place & 1))) & 15) - 8) * scales[block]!;
  };

  it('are within a step of what they stand for, a step being an 8th of the block’s largest', () => {
    const quantised = int4Blocks(matrix, columns);
    expect(quantised.blocks).toBe(3);
    for (const [i, value] of matrix.entries()) {
      const [row, column] = [Math.floor(i / columns), i % columns];
      const from = row - (row % blockLength);
      const rows = Array.from(
        { length: Math.min(blockLength, inner - from) },
        (_, k) => matrix[(from + k) * columns + column]!,
      );
      const bound = Math.max(...rows.map(Math.abs)) / 4;
      expect(Math.abs(value - numberAt(quantised, row, column))).toBeLessThan(bound + 1e-6);
    }
  });

  it('keep what has 16 steps exactly', () => {
    const steps = Float32Array.from({ length: blockLength }, (_, i) => 0.5 * ((i % 16) - 8));
    const quantised = int4Blocks(steps, 1);
    expect(Array.from(steps, (_, row) => numberAt(quantised, row, 0))).toEqual([...steps]);
  });
});
