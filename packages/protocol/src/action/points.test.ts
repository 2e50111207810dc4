import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GyreError,
  type Point,
  type Size,
  type TurnFormatName,
  type View,
  fromInput,
  fromPicture,
  fromPixels,
  resizeLimits,
  smartResize,
  toInput,
  toPicture,
  toPixels,
  turnFormat,
  turnFormatNames,
  viewOf,
} from '../index.js';
import { fuzz } from '../fuzz.test.fixture.js';

const point = fc.record({
  x: fc.double({ min: 0, max: 1, noNaN: true }),
  y: fc.double({ min: 0, max: 1, noNaN: true }),
});
const corner = fc.constantFrom<Point>({ x: 0, y: 0 }, { x: 1, y: 1 }, { x: 1, y: 0 }, { x: 0.5, y: 1 });

/** One pixel to 8K, with odd sizes and the resize's limits. */
const { maxPixels, minPixels } = resizeLimits['ui-tars-1.5'];
const side = fc.integer({ min: 1, max: 8192 });
const atLimit = fc
  .tuple(fc.constantFrom(minPixels, maxPixels), side, fc.integer({ min: -30, max: 30 }))
  .map(([area, width, more]): Size => ({ width, height: Math.max(1, Math.round(area / width) + more) }));
const size = fc
  .oneof(
    fc.record({ width: side, height: side }),
    fc.record({ width: fc.integer({ min: 1, max: 1000 }), height: fc.integer({ min: 1, max: 1000 }) }),
    atLimit,
    fc.constantFrom(
      ...[
        { width: 7680, height: 4320 },
        { width: 3840, height: 2160 },
        { width: 1920, height: 1080 },
        { width: 1366, height: 768 },
      ],
      ...[
        { width: 1, height: 1 },
        { width: 1080, height: 2400 },
      ],
    ),
  )
  .filter(({ width, height }) => Math.max(width, height) <= 200 * Math.min(width, height));

const pixelRatio = fc.oneof(fc.constantFrom(1, 1.25, 1.5, 2, 3), fc.double({ min: 0.5, max: 4, noNaN: true }));
const place = fc.integer({ min: -16_384, max: 16_384 });
const view = fc
  .record(
    {
      screen: size,
      picture: size,
      fit: fc.constantFrom('letterbox' as const, 'stretch' as const),
      pixelRatio,
      origin: fc.record({ left: place, top: place }),
    },
    { requiredKeys: ['screen'] },
  )
  .map(({ screen, ...options }) => viewOf(screen, options));

/** Acts as a model, the reader and the mouse. */
function sent(target: Point, name: TurnFormatName, view: View): Point {
  const format = turnFormat(name, view.picture);
  const read = format.parse(format.print({ actions: [{ type: 'click', point: toPicture(target, view) }] }));
  if (!read.ok) throw new Error(read.error.message);
  const [action] = read.actions;
  if (action?.type !== 'click') throw new Error(`it was read as ${action?.type}`);
  const meant = fromPicture(action.point, view);
  if (meant === undefined) throw new Error('it was read as a point of the padding');
  return fromInput(toInput(meant, view), view);
}

function step(name: TurnFormatName, { screen, picture, screenArea }: View): { x: number; y: number } {
  const units =
    name === 'ui-tars-1.5' || name === 'opencua'
      ? smartResize(picture, resizeLimits[name])
      : { width: 1000, height: 1000 };
  return {
    x: (picture.width / units.width) * (screen.width / screenArea.width),
    y: (picture.height / units.height) * (screen.height / screenArea.height),
  };
}

describe.each(turnFormatNames)('a point that is sent through %s', (name) => {
  it('and any screen comes back within half a pixel, or half a step of the format where its steps are longer', () => {
    fc.assert(
      fc.property(fc.oneof(point, corner), view, (target, view) => {
        const back = sent(target, name, view);
        const { x, y } = step(name, view);
        expect(Math.abs(back.x - target.x) * view.screen.width).toBeLessThanOrEqual(Math.max(1, x) / 2 + 1e-6);
        expect(Math.abs(back.y - target.y) * view.screen.height).toBeLessThanOrEqual(Math.max(1, y) / 2 + 1e-6);
      }),
      fuzz(500),
    );
  });

  it('hits the very pixel that is meant, where the steps of the format are shorter than a pixel', () => {
    const pixel = fc.record({ across: fc.nat(8191), down: fc.nat(8191) });
    fc.assert(
      fc.property(
        fc.record({ width: fc.integer({ min: 1, max: 999 }), height: fc.integer({ min: 1, max: 999 }) }),
        pixel,
        pixelRatio,
        (screen, { across, down }, pixelRatio) => {
          fc.pre(Math.max(screen.width, screen.height) <= 200 * Math.min(screen.width, screen.height));
          const view = viewOf(screen, { pixelRatio, origin: { left: -1920, top: 300 } });
          const { x, y } = step(name, view);
          fc.pre(x < 1 && y < 1);
          const meant = { xPx: across % screen.width, yPx: down % screen.height };
          expect(toPixels(sent(fromPixels(meant, screen), name, view), screen)).toEqual(meant);
        },
      ),
      fuzz(300),
    );
  });
});

it('the bound is tight: a point on a 4K screen is half a step off', () => {
  const view = viewOf({ width: 3840, height: 2160 });
  // Between grid points, 3.84 px apart.
  const back = sent({ x: 0.5004999, y: 0.5 }, 't5', view);
  expect((0.5004999 - back.x) * 3840).toBeCloseTo(1.92, 2);
});

describe('a view', () => {
  const monitor = viewOf(
    { width: 3840, height: 2160 },
    { picture: { width: 1280, height: 1280 }, pixelRatio: 2, origin: { left: -1920, top: 120 } },
  );

  it('has the screen in the middle of the picture, and on its monitor', () => {
    expect(monitor.screenArea).toEqual({ left: 0, top: 280, width: 1280, height: 720 });
    expect(toInput({ x: 0.5, y: 0.5 }, monitor)).toEqual({ xInput: -960, yInput: 660 });
    expect(fromPicture({ x: 0.25, y: 0.5 }, monitor)).toEqual({ x: 0.25, y: 0.5 });
  });

  it('knows no point of the screen in the padding', () => {
    expect(fromPicture({ x: 0.5, y: 0.1 }, monitor)).toBeUndefined();
    expect(fromPicture({ x: 0.5, y: 279.5 / 1280 }, monitor)).toEqual({ x: 0.5, y: 0 });
  });

  it('keeps the mouse off the next monitor', () => {
    const { xInput, yInput } = toInput({ x: 1, y: 1 }, monitor);
    expect([Math.floor(xInput), Math.floor(yInput)]).toEqual([-1, 1199]);
    expect(() => fromInput({ xInput: 1, yInput: 200 }, monitor)).toThrow(GyreError);
  });

  it.each([0, -1, NaN, Infinity])('is refused for a pixel ratio of %s', (pixelRatio) => {
    expect(() => viewOf({ width: 2, height: 2 }, { pixelRatio })).toThrow(/pixel ratio/);
  });
});
