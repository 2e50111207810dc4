import type { Action, Direction, MouseButton, Point } from '@gyre/protocol';
import { type ActionLimits, refuse } from './checkAction.js';

/** In seconds. */
export const defaultWait = 5;

/** Browsers require 500. */
export const longPressMs = 600;

/** Programs scroll about three lines per notch. */
export const notches = 5;

export interface PointerActions {
  click(point: Point, button: MouseButton, count: 1 | 2): Promise<void>;
  longPress(point: Point): Promise<void>;
  drag(start: Point, end: Point): Promise<void>;
  /** Like a drag; faster with a finger. */
  swipe(start: Point, end: Point): Promise<void>;
  scroll(direction: Direction, point?: Point): Promise<void>;
  move?(point: Point): Promise<void>;
  down?(button: MouseButton, point?: Point): Promise<void>;
  up?(button: MouseButton, point?: Point): Promise<void>;
}

export interface KeyActions {
  type(text: string): Promise<void>;
  hotkey(keys: string): Promise<void>;
  press?(key: string): Promise<void>;
  release?(key: string): Promise<void>;
}

/** Methods for actions that `limits` refuses may be absent. */
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

/** Performs an action without waiting for its effect. Throws `bad_input` if refused. */
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
