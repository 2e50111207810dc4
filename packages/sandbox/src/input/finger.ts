import { type Direction, GyreError, type MouseButton, type Point, type Size } from '@gyre/protocol';
import { type Pixel, pixelAt } from '../browser/viewport.js';
import { longPressMs, type PointerActions } from './performAction.js';

export interface RawTouch {
  readonly size: Size;
  start(at: Pixel): Promise<void>;
  move(to: Pixel): Promise<void>;
  end(): Promise<void>;
  pause(ms: number): Promise<void>;
  glide(): Promise<void>;
}

const swipeSteps = 8;

const middle: Point = { x: 0.5, y: 0.5 };

/** Half of a scroll's travel, [right, down]: content moves against the direction. */
const pulls: Readonly<Record<Direction, readonly [number, number]>> = {
  left: [0.25, 0],
  right: [-0.25, 0],
  up: [0, 0.25],
  down: [0, -0.25],
};

export class Finger implements PointerActions {
  readonly #raw: RawTouch;
  #at: Pixel | undefined;

  constructor(raw: RawTouch) {
    this.#raw = raw;
  }

  async click(point: Point, button: MouseButton, count: 1 | 2): Promise<void> {
    if (button !== 'left') {
      throw new GyreError('bad_input', `a touch screen does not support the action ${button}_click`, {
        field: 'type',
        fix: 'use long_press, or lease a screen without touch',
      });
    }
    for (let nth = 1; nth <= count; nth++) {
      await this.#start(this.#pixel(point));
      await this.#end();
    }
  }

  async longPress(point: Point): Promise<void> {
    await this.#start(this.#pixel(point));
    await this.#raw.pause(longPressMs);
    await this.#end();
  }

  drag(start: Point, end: Point): Promise<void> {
    return this.swipe(start, end);
  }

  async swipe(start: Point, end: Point): Promise<void> {
    const [from, to] = [this.#pixel(start), this.#pixel(end)];
    await this.#start(from);
    for (let step = 1; step <= swipeSteps; step++) {
      const share = step / swipeSteps;
      await this.#raw.glide();
      await this.#move({ x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share });
    }
    await this.#end();
  }

  scroll(direction: Direction): Promise<void> {
    const [x, y] = pulls[direction];
    return this.swipe({ x: middle.x - x, y: middle.y - y }, { x: middle.x + x, y: middle.y + y });
  }

  move(point: Point): Promise<void> {
    return this.#move(this.#pixel(point));
  }

  down(_button: MouseButton, point?: Point): Promise<void> {
    return this.#start(point ? this.#pixel(point) : (this.#at ?? this.#pixel(middle)));
  }

  async up(_button: MouseButton, point?: Point): Promise<void> {
    if (point) await this.#move(this.#pixel(point));
    await this.#end();
  }

  async lift(): Promise<void> {
    if (this.#at) await this.#end();
  }

  async #start(place: Pixel): Promise<void> {
    this.#at = place;
    await this.#raw.start(place);
  }

  async #end(): Promise<void> {
    this.#at = undefined;
    await this.#raw.end();
  }

  async #move(to: Pixel): Promise<void> {
    if (this.#at === undefined) return;
    this.#at = to;
    await this.#raw.move(to);
  }

  #pixel(point: Point): Pixel {
    return pixelAt(point, this.#raw.size);
  }
}
