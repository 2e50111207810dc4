import type { Action, Direction, MouseButton, Point } from '@gyre/protocol';
import { type ActionLimits, refuse } from './checkAction.js';

/** `wait` without a time, in s. */
export const defaultWait = 5;

/** How long a mouse button or a finger is held in a `long_press`, in ms: browsers take half a second for one. */
export const longPressMs = 600;

/** Notches of the wheel of one `scroll`: programs scroll three lines or so for each. */
export const notches = 5;

/** What a mouse or a finger does in actions. Without a point it acts where it is. Absent methods: see `ActionDriver`. */
export interface PointerActions {
  click(point: Point, button: MouseButton, count: 1 | 2): Promise<void>;
  longPress(point: Point): Promise<void>;
  drag(start: Point, end: Point): Promise<void>;
  /** A drag by a mouse; quick by a finger. */
  swipe(start: Point, end: Point): Promise<void>;
  scroll(direction: Direction, point?: Point): Promise<void>;
  move?(point: Point): Promise<void>;
  down?(button: MouseButton, point?: Point): Promise<void>;
  up?(button: MouseButton, point?: Point): Promise<void>;
}

/** What a keyboard does in actions. Keys are named as `keyName` and `keysOf` read them. */
export interface KeyActions {
  type(text: string): Promise<void>;
  hotkey(keys: string): Promise<void>;
  press?(key: string): Promise<void>;
  release?(key: string): Promise<void>;
}

/** A machine that takes actions. Methods are absent where `limits` refuses their actions. */
export interface ActionDriver {
  readonly limits: ActionLimits;
  readonly pointer: PointerActions;
  readonly keyboard: KeyActions;
  wait(ms: number): Promise<void>;
  navigate?(url: string): Promise<void>;
  back?(): Promise<void>;
  home?(): Promise<void>;
  openApp?(name: string): Promise<void>;
}

/**
 * Carries out an action, without waiting for its effect. `screenshot`, `finished` and `call_user` do nothing. Throws `bad_input` for an
 * action that the machine does not take, before anything is done.
 */
export async function performAction(action: Action, driver: ActionDriver): Promise<void> {
  refuse(action, driver.limits);
  const { pointer, keyboard } = driver;
  switch (action.type) {
    case 'screenshot':
    case 'finished':
    case 'call_user':
      return;
    case 'click':
      return pointer.click(action.point, 'left', 1);
    case 'right_click':
      return pointer.click(action.point, 'right', 1);
    case 'middle_click':
      return pointer.click(action.point, 'middle', 1);
    case 'double_click':
      return pointer.click(action.point, 'left', 2);
    case 'mouse_down':
      return pointer.down?.(action.button ?? 'left', action.point);
    case 'mouse_up':
      return pointer.up?.(action.button ?? 'left', action.point);
    case 'mouse_move':
      return pointer.move?.(action.point);
    case 'drag':
      return pointer.drag(action.start, action.end);
    case 'swipe':
      return pointer.swipe(action.start, action.end);
    case 'long_press':
      return pointer.longPress(action.point);
    case 'scroll':
      return pointer.scroll(action.direction, action.point);
    case 'type':
      return keyboard.type(action.text);
    case 'hotkey':
      return keyboard.hotkey(action.keys);
    case 'press':
      return keyboard.press?.(action.key);
    case 'release':
      return keyboard.release?.(action.key);
    case 'wait':
      return driver.wait((action.seconds ?? defaultWait) * 1_000);
    case 'navigate':
      return driver.navigate?.(action.url);
    case 'navigate_back':
    case 'press_back':
      return driver.back?.();
    case 'press_home':
      return driver.home?.();
    case 'open_app':
      return driver.openApp?.(action.name);
  }
}
