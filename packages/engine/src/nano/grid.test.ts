import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridOf, middleOf, offsets, placeOf, pointOf, windowsOf } from './grid.js';

const side = fc.integer({ min: 1, max: 2000 });
const sizes = fc.record({ width: side, height: side });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('a grid', () => {
  it('finds the place of every point to 1 x 2 px, on screens of any size', () => {
    fc.assert(
      fc.property(sizes, share, share, (size, x, y) => {
        const grid = gridOf(size);
        const place = placeOf(grid, { x, y });
        expect(place.cell).toBeLessThan(grid.cells);
        expect(place.offset).toBeLessThan(offsets);
        const middle = middleOf(grid, place);
        expect(Math.abs(middle.x - x * size.width)).toBeLessThanOrEqual(1.001);
        expect(Math.abs(middle.y - y * size.height)).toBeLessThanOrEqual(2.001);
        const point = pointOf(grid, place);
        expect(point.x).toBeLessThan(1);
        expect(point.y).toBeLessThan(1);
        expect(placeOf(grid, point).cell).toBe(place.cell);
      }),
    );
  });

  it('is covered by windows of bounded size with little to spare', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const grid = gridOf(size);
        const { across, down, columns, rows } = windowsOf(grid);
        expect(columns).toBeLessThanOrEqual(24);
        expect(rows).toBeLessThanOrEqual(12);
        for (const [total, each, times] of [
          [grid.columns, columns, across],
          [grid.rows, rows, down],
        ] as const) {
          expect(each * times).toBeGreaterThanOrEqual(total);
          expect(each * times - total).toBeLessThan(times);
        }
      }),
    );
  });

  it('is refused for invalid screen sizes', () => {
    for (const width of [0, 1.5, 5000, NaN]) {
      expect(() => gridOf({ width, height: 100 })).toThrow(expect.objectContaining({ code: 'bad_input' }));
    }
  });
});
