import { fromPixels, type Action, type MouseButton, type Pixel, type Point, type Size } from '@gyre/protocol';
import { checkedNumber } from '../../checkedNumber.js';
import { notches } from '../../input/performAction.js';

const maxScrolls = 100;

/** In s. */
const longestWait = 60;

/** These protocols move the pointer and then click in place, whereas actions name the position. */
export class Pointer {
  readonly #size: Size;
  #position: Pixel;
  readonly #pressed: Set<MouseButton>;

  constructor(size: Size, position?: Pixel, pressed: Iterable<MouseButton> = []) {
    this.#size = size;
    this.#position = position ?? { xPx: Math.floor(size.width / 2), yPx: Math.floor(size.height / 2) };
    this.#pressed = new Set(pressed);
  }

  copy(): Pointer {
    return new Pointer(this.#size, this.#position, this.#pressed);
  }

  get position(): Pixel {
    return this.#position;
  }

  /** Moves without an action. */
  aim(x: number | undefined, y: number | undefined): Point {
    const within = (value: number, count: number) => Math.min(Math.max(Math.trunc(value), 0), count - 1);
    const { width, height } = this.#size;
    this.#position = { xPx: within(x ?? this.#position.xPx, width), yPx: within(y ?? this.#position.yPx, height) };
    return fromPixels(this.#position, this.#size);
  }

  move(x: number | undefined, y: number | undefined): Action[] {
    return x === undefined && y === undefined ? [] : [{ type: 'mouse_move', point: this.aim(x, y) }];
  }

  moveBy(right: number, down: number): Action[] {
    return this.move(this.#position.xPx + right, this.#position.yPx + down);
  }

  click(x: number | undefined, y: number | undefined, button: MouseButton, clicks: number): Action[] {
    const point = this.aim(x, y);
    if (button === 'right') return Array.from({ length: clicks }, () => ({ type: 'right_click', point }));
    if (button === 'middle') return Array.from({ length: clicks }, () => ({ type: 'middle_click', point }));
    const actions: Action[] = Array.from({ length: Math.floor(clicks / 2) }, () => ({ type: 'double_click', point }));
    return clicks % 2 === 0 ? actions : [...actions, { type: 'click', point }];
  }

  down(x: number | undefined, y: number | undefined, button: MouseButton): Action[] {
    this.#pressed.add(button);
    return [{ type: 'mouse_down', point: this.aim(x, y), button }];
  }

  up(x: number | undefined, y: number | undefined, button: MouseButton): Action[] {
    this.#pressed.delete(button);
    return [{ type: 'mouse_up', point: this.aim(x, y), button }];
  }

  /** Only moves if a button is already pressed. */
  dragTo(x: number | undefined, y: number | undefined, button: MouseButton): Action[] {
    if (this.#pressed.has(button)) return this.move(x, y);
    const start = this.aim(undefined, undefined);
    const end = this.aim(x, y);
    if (button === 'left') return [{ type: 'drag', start, end }];
    return [
      { type: 'mouse_down', point: start, button },
      { type: 'mouse_move', point: end },
      { type: 'mouse_up', point: end, button },
    ];
  }

  dragBy(right: number, down: number, button: MouseButton): Action[] {
    return this.dragTo(this.#position.xPx + right, this.#position.yPx + down, button);
  }

  /** Rounds to actions of five notches, at least one. */
  scroll(right: number, up: number): Action[] {
    const point = this.aim(undefined, undefined);
    const turns = (count: number) =>
      Math.min(count === 0 ? 0 : Math.max(1, Math.round(Math.abs(count) / notches)), maxScrolls);
    const across = Array.from({ length: turns(right) }, () => (right > 0 ? 'right' : 'left'));
    const along = Array.from({ length: turns(up) }, () => (up > 0 ? 'up' : 'down'));
    return [...across, ...along].map((direction) => ({ type: 'scroll', point, direction }));
  }
}

/** Per request, in s. */
const longestRest = 3_600;
const maxKeys = 100;

/** Throws `bad_input` for more than an hour. */
export function waitActions(seconds: number): Action[] {
  checkedNumber('duration', seconds, { min: 0, max: longestRest });
  const actions: Action[] = [];
  for (let left = seconds; left > 0; left -= longestWait) {
    actions.push({ type: 'wait', seconds: Math.min(left, longestWait) });
  }
  return actions;
}

export function hotkeyActions(keys: readonly string[]): Action[] {
  checkedNumber('keys', keys.length, { min: 0, max: maxKeys });
  // Hotkeys have at most three keys.
  if (keys.length <= 3) return keys.length === 0 ? [] : [{ type: 'hotkey', keys: keys.join(' ') }];
  return [
    ...keys.map((key) => ({ type: 'press', key }) as const),
    ...keys.toReversed().map((key) => ({ type: 'release', key }) as const),
  ];
}
