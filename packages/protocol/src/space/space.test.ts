import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GyreError, fitWithin, fromPixels, fromThousand, toPixels, toThousand } from '../index.js';
import { fuzz } from '../fuzz.test.fixture.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: share, y: share });
const size = fc.record({ width: fc.integer({ min: 1, max: 8192 }), height: fc.integer({ min: 1, max: 8192 }) });
// Half a pixel, plus floating-point rounding.
const half = 0.5 + 1e-9;

describe('pixels', () => {
  it('hold the point and come back within half a pixel', () => {
    fc.assert(
      fc.property(point, size, (point, size) => {
        const pixel = toPixels(point, size);
        expect(Number.isInteger(pixel.xPx) && pixel.xPx >= 0 && pixel.xPx < size.width).toBe(true);
        expect(Number.isInteger(pixel.yPx) && pixel.yPx >= 0 && pixel.yPx < size.height).toBe(true);
        const back = fromPixels(pixel, size);
        expect(Math.abs(back.x - point.x) * size.width).toBeLessThanOrEqual(half);
        expect(Math.abs(back.y - point.y) * size.height).toBeLessThanOrEqual(half);
      }),
      fuzz(100),
    );
  });

  it('are the same pixels after a trip through points', () => {
    fc.assert(
      fc.property(point, size, (point, size) => {
        const pixel = toPixels(point, size);
        expect(toPixels(fromPixels(pixel, size), size)).toEqual(pixel);
      }),
      fuzz(100),
    );
  });

  it('put the far edges on the last pixel', () => {
    expect(toPixels({ x: 1, y: 1 }, { width: 640, height: 480 })).toEqual({ xPx: 639, yPx: 479 });
    expect(toPixels({ x: 0, y: 0 }, { width: 640, height: 480 })).toEqual({ xPx: 0, yPx: 0 });
  });

  it.each([640, -1, 1.5, Number.NaN])('refuse a column of %s', (xPx) => {
    expect(() => fromPixels({ xPx, yPx: 0 }, { width: 640, height: 480 })).toThrow(GyreError);
  });
});

describe('a picture made to fit', () => {
  it('is within the bounds and keeps its shape, and its pixels are points of the whole', () => {
    const bounds = { longest: 1568, pixels: 1_150_000 };
    fc.assert(
      fc.property(point, size, (point, size) => {
        const fitted = fitWithin(size, bounds);
        expect(Math.max(fitted.width, fitted.height)).toBeLessThanOrEqual(bounds.longest);
        expect(fitted.width * fitted.height).toBeLessThanOrEqual(bounds.pixels);
        const back = fromPixels(toPixels(point, fitted), fitted);
        expect(Math.abs(back.x - point.x) * fitted.width).toBeLessThanOrEqual(half);
        expect(Math.abs(back.y - point.y) * fitted.height).toBeLessThanOrEqual(half);
      }),
      fuzz(100),
    );
    expect(fitWithin({ width: 1920, height: 1080 }, bounds)).toEqual({ width: 1429, height: 804 });
    expect(fitWithin({ width: 320, height: 240 }, bounds)).toEqual({ width: 320, height: 240 });
  });
});

describe('thousandths', () => {
  it('come back within half of 1/1000', () => {
    fc.assert(
      fc.property(point, (point) => {
        const back = fromThousand(toThousand(point));
        expect(Math.abs(back.x - point.x)).toBeLessThanOrEqual(0.0005 + 1e-12);
        expect(Math.abs(back.y - point.y)).toBeLessThanOrEqual(0.0005 + 1e-12);
      }),
      fuzz(100),
    );
  });

  it('are the same after a trip through points', () => {
    for (let i = 0; i <= 1000; i++) {
      expect(toThousand(fromThousand({ x1000: i, y1000: 1000 - i }))).toEqual({ x1000: i, y1000: 1000 - i });
    }
  });

  it.each([1001, -1, 0.5])('refuse %s', (x1000) => {
    expect(() => fromThousand({ x1000, y1000: 0 })).toThrow(/0..1000|x1000/);
  });
});
