import { type Action, GyreError, type Direction } from '@gyre/protocol';
import { hotkeyOf, keyNamed } from '../input/keyboard.js';
import { checkTyped } from '../input/typedText.js';
import { checkWhole } from '../input/wholeAction.js';

/** Duration of a `long_press`, in ms. */
export const longPressMs = 600;

/** How long a server may take to report that a command timed out, in ms. */
export const graceMs = 2_000;

/** Notches of one `scroll`; programs make about three lines of each. */
export const notches = 5;

export function turn(direction: Direction): { readonly right: number; readonly up: number } {
  switch (direction) {
    case 'up':
      return { right: 0, up: notches };
    case 'down':
      return { right: 0, up: -notches };
    case 'left':
      return { right: -notches, up: 0 };
    case 'right':
      return { right: notches, up: 0 };
  }
}

/** Throws `bad_input` for a malformed action, unknown keys and text that no keyboard types. */
export function checkAction(action: Action): void {
  checkWhole(action);
  if (action.type === 'press' || action.type === 'release') keyNamed(action.key);
  if (action.type === 'hotkey') hotkeyOf(action.keys);
  if (action.type === 'type') checkTyped(action.text);
}

/** Throws `bad_input` for something that a server cannot do. */
export function refuse(server: string, what: string, fix: string, field = 'type'): never {
  throw new GyreError('bad_input', `${server} cannot ${what}`, { field, fix });
}

/** Normalizes line breaks: each is the enter key. */
export function typed(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
