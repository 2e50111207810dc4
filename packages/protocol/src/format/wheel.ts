import type { Direction, Action } from '../action/action.js';

type Scroll = Extract<Action, { type: 'scroll' }>;

/** One scroll turns a desktop's wheel by this many notches. */
const notchesPerScroll = 5;
const maxScrolls = 10;

/** Returns the notches of one scroll: positive is up or right, as in pyautogui. */
export function notchesOf(direction: Direction): number {
  return direction === 'up' || direction === 'right' ? notchesPerScroll : -notchesPerScroll;
}

/** Converts notches to one to ten scrolls of five each. */
export function scrollsOf(notches: number, isAcross: boolean, point: Scroll['point']): Scroll[] {
  const [forward, back] = isAcross ? (['right', 'left'] as const) : (['up', 'down'] as const);
  const count = Math.min(maxScrolls, Math.max(1, Math.round(Math.abs(notches) / notchesPerScroll)));
  const scroll: Scroll = { type: 'scroll', ...(point && { point }), direction: notches > 0 ? forward : back };
  return Array<Scroll>(count).fill(scroll);
}
