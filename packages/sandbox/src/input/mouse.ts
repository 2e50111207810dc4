import type { Direction, MouseButton, Point, Size } from '@gyre/protocol';
import { type Pixel, pixelAt } from '../browser/viewport.js';
import { InFlight } from './inFlight.js';
import { longPressMs, type PointerActions } from './performAction.js';
import type { SeparateClicks } from './separateClicks.js';

/** Events are ordered; promises resolve once the machine has taken them. */
export interface RawMouse {
  readonly size: Size;
  readonly unanswered: number;
  readonly dragSteps: number;
  readonly notches: number;
  /** Present if programs detect double clicks. */
  readonly clicks?: SeparateClicks;
  /** Position for a scroll without a point. */
  readonly wheelAt?: Pixel;
  move(to: Pixel, within?: 'click' | 'drag'): Promise<void> | void;
  /** Called in place: later changes are the action's effect. */
  aimed?(): Promise<void>;
  down(button: MouseButton, count: number): Promise<void> | void;
  up(button: MouseButton, count: number): Promise<void> | void;
  wheel(direction: Direction): Promise<void> | void;
  /** Present if the machine takes whole clicks. */
  click?(at: Pixel, button: MouseButton, count: 1 | 2): Promise<void>;
  pause(ms: number): Promise<void>;
  /** Waits before the nth move of a drag (from 1), or the release. */
  glide(before: number | 'end'): Promise<void>;
}

export class Mouse implements PointerActions {
  readonly #raw: RawMouse;

  constructor(raw: RawMouse) {
    this.#raw = raw;
  }

  async click(point: Point, button: MouseButton, count: 1 | 2): Promise<void> {
    const raw = this.#raw;
    const place = this.#pixel(point);
    if (raw.click) return raw.click(place, button, count);
    await raw.clicks?.before(place, button);
    const sent = new InFlight(raw.unanswered);
    await sent.add(() => raw.move(place, 'click'));
    if (raw.aimed) {
      await sent.answered();
      await raw.aimed();
    }
    for (let nth = 1; nth <= count; nth++) {
      await sent.add(() => raw.down(button, nth));
      await sent.add(() => raw.up(button, nth));
    }
    await sent.answered();
    raw.clicks?.after(place, button);
  }

  async longPress(point: Point): Promise<void> {
    await this.down('left', point);
    await this.#raw.pause(longPressMs);
    await this.up('left');
  }

  async drag(start: Point, end: Point): Promise<void> {
    const raw = this.#raw;
    const [from, to] = [this.#pixel(start), this.#pixel(end)];
    await this.down('left', start);
    for (let step = 1; step <= raw.dragSteps; step++) {
      const share = step / raw.dragSteps;
      const [x, y] = [from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share];
      await raw.glide(step);
      await raw.move({ x: Math.round(x), y: Math.round(y) }, 'drag');
    }
    await raw.glide('end');
    await this.up('left');
  }

  swipe(start: Point, end: Point): Promise<void> {
    return this.drag(start, end);
  }

  async scroll(direction: Direction, point?: Point): Promise<void> {
    const raw = this.#raw;
    const place = point === undefined ? raw.wheelAt : this.#pixel(point);
    if (place !== undefined) await this.#aim(place);
    for (let notch = 0; notch < raw.notches; notch++) await raw.wheel(direction);
  }

  async move(point: Point): Promise<void> {
    await this.#raw.move(this.#pixel(point));
  }

  async down(button: MouseButton, point?: Point): Promise<void> {
    if (point !== undefined) await this.#aim(this.#pixel(point));
    await this.#raw.down(button, 1);
  }

  async up(button: MouseButton, point?: Point): Promise<void> {
    if (point !== undefined) await this.#aim(this.#pixel(point));
    await this.#raw.up(button, 1);
  }

  async #aim(place: Pixel): Promise<void> {
    await this.#raw.move(place);
    await this.#raw.aimed?.();
  }

  #pixel(point: Point): Pixel {
    return pixelAt(point, this.#raw.size);
  }
}
