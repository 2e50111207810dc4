import { type Action, GyreError } from '@gyre/protocol';
import { checkedNumber } from '../checkedNumber.js';

/** In characters. */
const maxTyped = 100_000;
const maxAddress = 2 ** 20;
const maxKeys = 200;

const share = { min: 0, max: 1 };

/** In seconds. */
const longestWait = 60;

/** Throws `bad_input` for an action that takes too long or misses the screen. In-process actions may have any shape. */
export function checkBounds(action: Action): void {
  switch (action.type) {
    case 'type':
      return checkLength('text', action.text, maxTyped);
    case 'navigate':
      return checkLength('url', action.url, maxAddress);
    case 'hotkey':
      return checkLength('keys', action.keys, maxKeys);
    case 'press':
    case 'release':
      return checkLength('key', action.key, maxKeys);
    case 'open_app':
      return checkLength('name', action.name, maxKeys);
    case 'wait':
      if (action.seconds !== undefined) checkedNumber('seconds', action.seconds, { min: 0, max: longestWait });
      return;
    default:
      if ('point' in action && action.point) checkPoint('point', action.point);
      if ('start' in action) checkPoint('start', action.start);
      if ('end' in action) checkPoint('end', action.end);
  }
}

function checkLength(field: string, text: string, limit: number): void {
  if (typeof text === 'string' && text.length <= limit) return;
  throw new GyreError('bad_input', `${field} has ${String(text.length)} characters`, {
    field,
    fix: `use at most ${limit}; write longer texts to a file or the clipboard`,
  });
}

function checkPoint(field: string, { x, y }: { readonly x: number; readonly y: number }): void {
  checkedNumber(`${field}.x`, x, share);
  checkedNumber(`${field}.y`, y, share);
}
