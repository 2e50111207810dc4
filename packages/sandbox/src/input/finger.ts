import { GyreError, type Action, type Point } from '@gyre/protocol';
import { framesIn } from '../browser/clock/clock.js';
import type { Tab } from '../browser/tab/tab.js';
import { pixelAt, type Pixel } from '../browser/viewport.js';

/** What a finger can do of the canonical actions: those of a pointer. */
type FingerAction = Extract<
  Action,
  {
    type:
      'click' | 'double_click' | 'long_press' | 'drag' | 'swipe' | 'scroll' | 'mouse_down' | 'mouse_up' | 'mouse_move';
  }
>;

/** How long a finger rests in a `long_press`, in ms: browsers take half a second for one. */
const longPressMs = 600;
/** Places between the ends of a swipe where the finger is felt. */
const swipeSteps = 8;

/** A finger on the touch screen of a tab. It knows whether it is down. */
export class Finger {
  #at: Pixel | undefined;
  /** Moves that have not been answered. */
  #moves: Promise<unknown>[] = [];

  constructor(private readonly tab: Tab) {}

  /** Whether an action is a finger's to do. Throws `bad_input` for those of a mouse that a finger has no way for. */
  static does(action: Action): action is FingerAction {
    switch (action.type) {
      case 'right_click':
      case 'middle_click':
        throw new GyreError('bad_input', `a touch screen cannot take the action ${action.type}`, {
          field: 'type',
          fix: 'use long_press, or lease a screen without touch',
        });
      case 'click':
      case 'double_click':
      case 'long_press':
      case 'drag':
      case 'swipe':
      case 'scroll':
      case 'mouse_down':
      case 'mouse_up':
      case 'mouse_move':
        return true;
      default:
        return false;
    }
  }

  async perform(action: FingerAction): Promise<void> {
    switch (action.type) {
      case 'click':
        return this.#tap(action.point);
      case 'double_click':
        await this.#tap(action.point);
        return this.#tap(action.point);
      case 'long_press':
        await this.#down(this.#pixel(action.point));
        await this.tab.advance(framesIn(longPressMs));
        await this.tab.settle();
        return this.#up();
      case 'drag':
      case 'swipe':
        return this.#swipe(action.start, action.end);
      case 'scroll': {
        // What is to come into view is pulled the other way, by half a screen.
        const [x, y] = { left: [0.25, 0], right: [-0.25, 0], up: [0, 0.25], down: [0, -0.25] }[action.direction] as [
          number,
          number,
        ];
        return this.#swipe({ x: 0.5 - x, y: 0.5 - y }, { x: 0.5 + x, y: 0.5 + y });
      }
      case 'mouse_down':
        return this.#down(action.point ? this.#pixel(action.point) : (this.#at ?? this.#pixel({ x: 0.5, y: 0.5 })));
      case 'mouse_move':
        return this.#move(this.#pixel(action.point));
      case 'mouse_up':
        if (action.point) await this.#move(this.#pixel(action.point));
        return this.#up();
    }
  }

  /** Takes the finger off the screen. */
  async lift(): Promise<void> {
    if (this.#at) await this.#up();
  }

  #pixel(point: Point): Pixel {
    return pixelAt(point, this.tab.size);
  }

  async #tap(point: Point): Promise<void> {
    await this.#down(this.#pixel(point));
    await this.#up();
  }

  async #swipe(start: Point, end: Point): Promise<void> {
    const [from, to] = [this.#pixel(start), this.#pixel(end)];
    await this.#down(from);
    for (let step = 1; step <= swipeSteps; step++) {
      const share = step / swipeSteps;
      await this.tab.advance(1);
      await this.#move({ x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share });
    }
    await this.#up();
  }

  async #down(at: Pixel): Promise<void> {
    this.#at = at;
    await this.#send('touchStart', [at]);
  }

  /** A finger that is not on the screen is not felt. */
  async #move(to: Pixel): Promise<void> {
    if (!this.#at) return;
    this.#at = to;
    // While a page scrolls, Chromium holds moves back until the finger is lifted.
    const moved = this.tab.call('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [to] });
    moved.catch(() => undefined);
    this.#moves.push(moved);
    await this.tab.settle();
  }

  async #up(): Promise<void> {
    this.#at = undefined;
    const moves = this.#moves;
    this.#moves = [];
    await this.#send('touchEnd', []);
    await this.tab.until(Promise.all(moves));
  }

  async #send(type: string, touchPoints: readonly Pixel[]): Promise<void> {
    await this.tab.input('Input.dispatchTouchEvent', { type, touchPoints });
  }
}
