import { GyreError } from '../error.js';
import type { Point, Size } from '../action/point.js';

/** One pixel of a screen, counted from 0 at the top left. Its field names keep it from being taken for a {@link Point}. */
export interface Pixel {
  readonly xPx: number;
  readonly yPx: number;
}

/** A place on the grid of integers 0..1000 across and down the screen that T5 prints. */
export interface Thousand {
  readonly x1000: number;
  readonly y1000: number;
}

/** The pixel of a screen of `size` that holds `point`. Its centre is at most half a pixel away. */
export function toPixels(point: Point, size: Size): Pixel {
  return { xPx: cellOf(point.x, size.width), yPx: cellOf(point.y, size.height) };
}

/**
 * The centre of a pixel, so that {@link toPixels} gives the same pixel back.
 * @throws GyreError `bad_input` for a pixel that is not on a screen of `size`.
 */
export function fromPixels(pixel: Pixel, size: Size): Point {
  return { x: centreOf(pixel.xPx, size.width, 'xPx'), y: centreOf(pixel.yPx, size.height, 'yPx') };
}

/** The nearest place of the grid: at most half of 1/1000 away. */
export function toThousand(point: Point): Thousand {
  return { x1000: Math.round(point.x * 1000), y1000: Math.round(point.y * 1000) };
}

/** @throws GyreError `bad_input` for numbers that are not integers 0..1000. */
export function fromThousand(place: Thousand): Point {
  return { x: thousandth(place.x1000, 'x1000'), y: thousandth(place.y1000, 'y1000') };
}

function cellOf(share: number, count: number): number {
  // The right and bottom edges (1) belong to the last pixel.
  return Math.min(Math.floor(share * count), count - 1);
}

function centreOf(cell: number, count: number, field: string): number {
  if (!Number.isInteger(cell) || cell < 0 || cell >= count) {
    throw new GyreError('bad_input', `${field} is ${cell}, which is not on the screen`, {
      field,
      fix: `give an integer 0..${count - 1}`,
    });
  }
  return (cell + 0.5) / count;
}

function thousandth(value: number, field: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 1000) {
    throw new GyreError('bad_input', `${field} is ${value}`, { field, fix: 'give an integer 0..1000' });
  }
  return value / 1000;
}

/** A rectangle of a picture, or of the plane on which a device's monitors stand: there its corner may be negative. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * How a screen that is not simply the picture that a model sees stands in that picture, and among the monitors of its device. A
 * format is given the size of the picture: {@link toPicture} and {@link fromPicture} are between its points and those of the screen,
 * {@link toInput} and {@link fromInput} between those and where the device's mouse goes.
 */
export interface View {
  /** Of the screen, in its own px. */
  readonly screen: Size;
  /** Of the picture, in px. */
  readonly picture: Size;
  /** The part of the picture that shows the screen, in px of the picture; around it is padding. */
  readonly shown: Box;
  /** The screen in units of the device's input: its size in px by the pixel ratio, its corner where the monitor stands. */
  readonly input: Box;
}

/** A place for the mouse of a device, in units of its input: px by the pixel ratio, over all monitors. */
export interface InputPlace {
  readonly xInput: number;
  readonly yInput: number;
}

/**
 * The view of a screen of `screen` px.
 *
 * @param options.picture in px; by default that of the screen. `options.fit`: where they have other proportions, either the screen keeps
 * its own with padding on two sides (`letterbox`, the default) or it is stretched.
 * @param options.pixelRatio px of the screen to a unit of input, such as 2 on a screen of fine resolution; default 1. `options.origin`: the
 * monitor's corner in units of input; default 0, 0.
 * @throws GyreError `bad_input` for a pixel ratio that is not above 0.
 */
export function viewOf(
  screen: Size,
  options: {
    readonly picture?: Size;
    readonly fit?: 'letterbox' | 'stretch';
    readonly pixelRatio?: number;
    readonly origin?: { readonly left: number; readonly top: number };
  } = {},
): View {
  const { picture = screen, fit = 'letterbox', pixelRatio = 1, origin = { left: 0, top: 0 } } = options;
  if (!(pixelRatio > 0 && Number.isFinite(pixelRatio))) {
    throw new GyreError('bad_input', `the pixel ratio is ${pixelRatio}`, {
      field: 'pixelRatio',
      fix: 'give px of the screen to a unit of input, such as 1 or 2',
    });
  }
  const least = Math.min(picture.width / screen.width, picture.height / screen.height);
  const width = fit === 'stretch' ? picture.width : screen.width * least;
  const height = fit === 'stretch' ? picture.height : screen.height * least;
  return {
    screen,
    picture,
    shown: { left: (picture.width - width) / 2, top: (picture.height - height) / 2, width, height },
    input: { ...origin, width: screen.width / pixelRatio, height: screen.height / pixelRatio },
  };
}

/** Where a point of the screen is in the picture. */
export function toPicture({ x, y }: Point, { picture, shown }: View): Point {
  return {
    x: within(0, (shown.left + x * shown.width) / picture.width, 1),
    y: within(0, (shown.top + y * shown.height) / picture.height, 1),
  };
}

/**
 * The point of the screen that a point of the picture shows; undefined for one in the padding, which is no point of the screen. What is
 * outside by no more than formats round, half of a step or of 1/1000 of the picture, is on the edge.
 */
export function fromPicture({ x, y }: Point, { picture, shown }: View): Point | undefined {
  const across = shareOf(x * picture.width - shown.left, shown.width, picture.width);
  const down = shareOf(y * picture.height - shown.top, shown.height, picture.height);
  return across === undefined || down === undefined ? undefined : { x: across, y: down };
}

/**
 * Where the mouse goes for a point of the screen. The right and bottom edges are half a pixel inside: beyond them another monitor may
 * begin. A device that takes whole units takes the floor.
 */
export function toInput({ x, y }: Point, { screen, input }: View): InputPlace {
  return {
    xInput: input.left + Math.min(x, 1 - 0.5 / screen.width) * input.width,
    yInput: input.top + Math.min(y, 1 - 0.5 / screen.height) * input.height,
  };
}

/** @throws GyreError `bad_input` for a place that is not on the screen but on another monitor, or on none. */
export function fromInput({ xInput, yInput }: InputPlace, { input }: View): Point {
  const point = { x: (xInput - input.left) / input.width, y: (yInput - input.top) / input.height };
  for (const [field, share] of [
    ['xInput', point.x],
    ['yInput', point.y],
  ] as const) {
    if (share >= -rounding && share <= 1 + rounding) continue;
    throw new GyreError('bad_input', `${xInput}, ${yInput} is not on the screen`, {
      field,
      fix: `give a place from ${input.left}, ${input.top} to ${input.left + input.width}, ${input.top + input.height}, or the view of the monitor that it is on`,
    });
  }
  return { x: within(0, point.x, 1), y: within(0, point.y, 1) };
}

/** Of doubles, at the borders. */
const rounding = 1e-9;

/** Which share of `length` px lies before `at`; undefined where that is outside by more than formats round in a picture of `side` px. */
function shareOf(at: number, length: number, side: number): number | undefined {
  // UI-TARS 1.5 counts px of a picture whose sides are multiples of 28, at most 28 px less: its steps are longer than a pixel.
  const slack = Math.max(0.5, side / 2000, side / 2 / Math.max(28, side - 28)) + rounding * side;
  return at < -slack || at > length + slack ? undefined : within(0, at / length, 1);
}

const within = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value));
