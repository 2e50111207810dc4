import { GyreError } from '../error.js';
import type { Point, Size } from '../action/point.js';

/** Counted from the top left. Field names distinguish it from a {@link Point}. */
export interface Pixel {
  readonly xPx: number;
  readonly yPx: number;
}

/** T5's grid of integers 0..1000. */
export interface Thousand {
  readonly x1000: number;
  readonly y1000: number;
}

export function toPixels(point: Point, size: Size): Pixel {
  return { xPx: cellOf(point.x, size.width), yPx: cellOf(point.y, size.height) };
}

/**
 * Inverts {@link toPixels}.
 * @throws GyreError `bad_input` for a pixel off the screen.
 */
export function fromPixels(pixel: Pixel, size: Size): Point {
  return { x: centreOf(pixel.xPx, size.width, 'xPx'), y: centreOf(pixel.yPx, size.height, 'yPx') };
}

export function toThousand(point: Point): Thousand {
  return { x1000: Math.round(point.x * 1000), y1000: Math.round(point.y * 1000) };
}

/** @throws GyreError `bad_input` unless both are integers 0..1000. */
export function fromThousand(place: Thousand): Point {
  return { x: thousandth(place.x1000, 'x1000'), y: thousandth(place.y1000, 'y1000') };
}

function cellOf(share: number, count: number): number {
  // The edge 1 belongs to the last pixel.
  return Math.min(Math.floor(share * count), count - 1);
}

function centreOf(cell: number, count: number, field: string): number {
  if (!Number.isInteger(cell) || cell < 0 || cell >= count) {
    throw new GyreError('bad_input', `${field} is ${cell}, which is not on the screen`, {
      field,
      fix: `use an integer from 0 to ${count - 1}`,
    });
  }
  return (cell + 0.5) / count;
}

function thousandth(value: number, field: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 1000) {
    throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: 'use an integer from 0 to 1000' });
  }
  return value / 1000;
}

/** On a plane of several monitors, the corner may be negative. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Relates a screen to the picture that models see ({@link toPicture}, {@link fromPicture}) and to the device's input
 * ({@link toInput}, {@link fromInput}), in px.
 */
export interface View {
  readonly screen: Size;
  readonly picture: Size;
  /** The screen's area in the picture; the rest is padding. */
  readonly screenArea: Box;
  /** The screen in input units: px divided by the pixel ratio. */
  readonly input: Box;
}

/** Mouse position in input units, across all monitors. */
export interface InputPlace {
  readonly xInput: number;
  readonly yInput: number;
}

/**
 * Builds a view.
 *
 * @param options.picture default: `screen`. `options.fit`: pads another aspect ratio (`letterbox`, the default) or
 * stretches it.
 * @param options.pixelRatio px per input unit; default 1. `options.origin`: the monitor's corner in input units;
 * default 0, 0.
 * @throws GyreError `bad_input` unless the pixel ratio is positive.
 */
export function viewOf(
  screen: Size,
  options: {
    readonly picture?: Size;
    readonly fit?: 'letterbox' | 'stretch';
    readonly pixelRatio?: number;
    // eslint-disable-next-line gyre/vague-name -- a coordinate
    readonly origin?: { readonly left: number; readonly top: number };
  } = {},
): View {
  const { picture = screen, fit = 'letterbox', pixelRatio = 1, origin = { left: 0, top: 0 } } = options;
  if (!(pixelRatio > 0 && Number.isFinite(pixelRatio))) {
    throw new GyreError('bad_input', `invalid pixel ratio: ${pixelRatio}`, {
      field: 'pixelRatio',
      fix: 'use the number of screen px per input unit, such as 1 or 2',
    });
  }
  const scale = Math.min(picture.width / screen.width, picture.height / screen.height);
  const width = fit === 'stretch' ? picture.width : screen.width * scale;
  const height = fit === 'stretch' ? picture.height : screen.height * scale;
  return {
    screen,
    picture,
    screenArea: { left: (picture.width - width) / 2, top: (picture.height - height) / 2, width, height },
    input: { ...origin, width: screen.width / pixelRatio, height: screen.height / pixelRatio },
  };
}

export function toPicture({ x, y }: Point, { picture, screenArea }: View): Point {
  return {
    x: within(0, (screenArea.left + x * screenArea.width) / picture.width, 1),
    y: within(0, (screenArea.top + y * screenArea.height) / picture.height, 1),
  };
}

/** Returns undefined in the padding. Tolerates the formats' rounding: half a step, or 1/1000 of the picture. */
export function fromPicture({ x, y }: Point, { picture, screenArea }: View): Point | undefined {
  const across = shareOf(x * picture.width - screenArea.left, screenArea.width, picture.width);
  const down = shareOf(y * picture.height - screenArea.top, screenArea.height, picture.height);
  return across === undefined || down === undefined ? undefined : { x: across, y: down };
}

/**
 * Keeps right and bottom edges half a pixel inside, as another monitor may begin there. Integer devices take the floor.
 */
export function toInput({ x, y }: Point, { screen, input }: View): InputPlace {
  return {
    xInput: input.left + Math.min(x, 1 - 0.5 / screen.width) * input.width,
    yInput: input.top + Math.min(y, 1 - 0.5 / screen.height) * input.height,
  };
}

/** @throws GyreError `bad_input` for a position off the screen. */
export function fromInput({ xInput, yInput }: InputPlace, { input }: View): Point {
  const point = { x: (xInput - input.left) / input.width, y: (yInput - input.top) / input.height };
  for (const [field, share] of [
    ['xInput', point.x],
    ['yInput', point.y],
  ] as const) {
    if (share >= -rounding && share <= 1 + rounding) continue;
    throw new GyreError('bad_input', `${xInput}, ${yInput} is not on the screen`, {
      field,
      fix: `use a place from ${input.left}, ${input.top} to ${input.left + input.width}, ${input.top + input.height}, or the view of the monitor that it is on`,
    });
  }
  return { x: within(0, point.x, 1), y: within(0, point.y, 1) };
}

const rounding = 1e-9;

/** Returns a share of `length`; undefined if outside by more than formats round in `side` px. */
function shareOf(offset: number, length: number, side: number): number | undefined {
  // UI-TARS 1.5's picture has sides in multiples of 28, up to 28 px less: its steps exceed a pixel.
  const slack = Math.max(0.5, side / 2000, side / 2 / Math.max(28, side - 28)) + rounding * side;
  return offset < -slack || offset > length + slack ? undefined : within(0, offset / length, 1);
}

const within = (min: number, value: number, max: number) => Math.min(max, Math.max(min, value));
