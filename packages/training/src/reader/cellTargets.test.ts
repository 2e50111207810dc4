import { cellLines } from '@gyre/reader';
import { expect, test } from 'vitest';
import { cellTargets } from './cellTargets.js';

test('draws targets from which the lines can be found again', () => {
  const lines = [
    { left: 8, right: 61, top: 10, bottom: 24 },
    { left: 72, right: 90, top: 10, bottom: 24 },
    { left: 9, right: 40, top: 25, bottom: 37 },
    { left: 4, right: 120, top: 44, bottom: 84 },
  ];
  const size = { rows: 24, columns: 32 };
  const { cores, edges, weights } = cellTargets(lines, size);
  const boxes = cellLines({ ...size, cores: cores.map((core) => core - 0.5), edges });
  expect(boxes).toHaveLength(lines.length);
  for (const { left, right, top, bottom } of lines) {
    const box = boxes.find(({ x, y }) => Math.abs(y - top) < 0.01 && Math.abs(x - left) < 8)!;
    expect(box.y + box.height).toBeCloseTo(bottom);
    expect(Math.abs(box.x + box.width - right)).toBeLessThan(8);
  }
  expect(weights.some((weight) => weight === 0)).toBe(true);
  expect(cores.every((core, cell) => core === 0 || weights[cell]! >= 1)).toBe(true);
  // A long line has as much weight as its cells, a short one more.
  const weightOf = (line: (typeof lines)[number]) => {
    const alone = cellTargets([line], size);
    return alone.weights.reduce((sum, weight, cell) => sum + weight * alone.cores[cell]!, 0);
  };
  expect(weightOf(lines[0]!)).toBeGreaterThan(16);
  expect(weightOf(lines[1]!)).toBeCloseTo(16);
});
