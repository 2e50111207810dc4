import { type Direction, GyreError } from '@gyre/protocol';
import { notches } from '../input/performAction.js';

/** For a server to report a command's timeout. */
export const graceMs = 2_000;

/** Returns wheel notches. */
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

export function refuse(server: string, what: string, fix: string, field = 'type'): never {
  throw new GyreError('bad_input', `${server} cannot ${what}`, { field, fix });
}
