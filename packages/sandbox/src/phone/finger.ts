import type { Direction, MouseButton, Point, Size } from '@gyre/protocol';
import { pixelAt } from '../browser/viewport.js';
import type { PointerActions } from '../input/performAction.js';

/** Android's default threshold is 400. */
const longPressMs = 800;

/** Fast enough to fling, or slow enough that content stops with the finger. */
const swipeMs = 300;
const dragMs = 1_000;
const scrollMs = 600;

/** Share of the screen, and the minimum near an edge. */
const scrolled = 0.5;
const minScroll = 0.25;

/** Strokes from the edges are system gestures. */
const edge = 0.06;

/** In s; Android accepts 0.04 to 0.3. */
const doubleTapGap = 0.1;

/** `input` takes whole gestures as shell lines. */
export class PhoneFinger implements PointerActions {
  readonly #send: (line: string) => Promise<void>;
  readonly #size: () => Promise<Size>;

  constructor(send: (line: string) => Promise<void>, size: () => Promise<Size>) {
    this.#send = send;
    this.#size = size;
  }

  async click(point: Point, _button: MouseButton, count: 1 | 2): Promise<void> {
    const tap = `input tap ${pixelText(point, await this.#size())}`;
    // Independent: starting the program may take longer than the gap allows.
    await this.#send(count === 1 ? tap : `${tap} & sleep ${doubleTapGap}; ${tap}; wait`);
  }

  longPress(point: Point): Promise<void> {
    return this.#stroke(point, point, longPressMs);
  }

  drag(start: Point, end: Point): Promise<void> {
    return this.#stroke(start, end, dragMs);
  }

  swipe(start: Point, end: Point): Promise<void> {
    return this.#stroke(start, end, swipeMs);
  }

  scroll(direction: Direction, point: Point = { x: 0.5, y: 0.5 }): Promise<void> {
    return this.#stroke(...scrollPath(point, direction), scrollMs);
  }

  async #stroke(start: Point, end: Point, ms: number): Promise<void> {
    const size = await this.#size();
    await this.#send(`input swipe ${pixelText(start, size)} ${pixelText(end, size)} ${ms}`);
  }
}

function pixelText(point: Point, size: Size): string {
  const { x, y } = pixelAt(point, size);
  return `${x} ${y}`;
}

/** Returns the finger's path, against the scroll direction, from the point if there is room. */
function scrollPath(point: Point, direction: Direction): [start: Point, end: Point] {
  const sign = direction === 'down' || direction === 'right' ? -1 : 1;
  const upright = direction === 'up' || direction === 'down';
  const start = within(upright ? point.y : point.x);
  const end = within(start + sign * scrolled);
  const from = Math.abs(end - start) >= minScroll ? start : end - sign * minScroll;
  return upright
    ? [
        { x: point.x, y: from },
        { x: point.x, y: end },
      ]
    : [
        { x: from, y: point.y },
        { x: end, y: point.y },
      ];
}

const within = (share: number) => Math.min(Math.max(share, edge), 1 - edge);
