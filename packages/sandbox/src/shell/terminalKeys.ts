import { GyreError } from '@gyre/protocol';
import { hotkeyOf, shifted, type Key } from '../input/keyboard.js';

const shift = 1;
const alt = 2;
const ctrl = 4;
const modifiers: Readonly<Record<string, number>> = { Shift: shift, Alt: alt, Control: ctrl, Meta: alt };

/** Keys that send `ESC [ letter`, or `ESC O letter` where a program asked for application cursor keys. */
const cursor: Readonly<Record<string, string>> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  End: 'F',
  Home: 'H',
};

/** Keys that send `ESC O letter`. */
const function1to4: Readonly<Record<string, string>> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' };

/** Keys that send `ESC [ number ~`. */
const numbered: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  ...{ F5: 15, F6: 17, F7: 18, F8: 19, F9: 20, F10: 21, F11: 23, F12: 24 },
};

/** Returns what an xterm sends for keys such as `ctrl c`, `up` or `alt f`. Throws `bad_input` for keys without a code. */
export function keySequence(keys: string, applicationCursor: boolean): string {
  const pressed = hotkeyOf(keys);
  const held = pressed.slice(0, -1).reduce((sum, key) => sum | (modifiers[key.key] ?? refuse(keys)), 0);
  return sequence(pressed.at(-1)!, held, applicationCursor) ?? refuse(keys);
}

function sequence({ key, text }: Key, held: number, applicationCursor: boolean): string | undefined {
  const modified = held === 0 ? '' : `;${1 + held}`;
  const meta = (held & alt) === 0 ? '' : '\x1b';
  const arrow = cursor[key];
  if (arrow !== undefined) {
    return modified === '' ? `\x1b${applicationCursor ? 'O' : '['}${arrow}` : `\x1b[1${modified}${arrow}`;
  }
  const letter = function1to4[key];
  if (letter !== undefined) return modified === '' ? `\x1bO${letter}` : `\x1b[1${modified}${letter}`;
  const number = numbered[key];
  if (number !== undefined) return `\x1b[${number}${modified}~`;
  if (key === 'Enter') return `${meta}\r`;
  if (key === 'Escape') return `${meta}\x1b`;
  if (key === 'Tab') return (held & shift) === 0 ? `${meta}\t` : '\x1b[Z';
  if (key === 'Backspace') return (held & ctrl) === 0 ? `${meta}\x7f` : `${meta}\b`;
  if (text === undefined) return undefined;
  const character = (held & ctrl) !== 0 ? controlled(text) : (held & shift) !== 0 ? shifted(text) : text;
  return character === undefined ? undefined : meta + character;
}

function controlled(text: string): string | undefined {
  const upper = text.toUpperCase();
  if (upper === ' ') return '\0';
  if (upper === '?') return '\x7f';
  if (upper === '/') return '\x1f';
  return /^[@A-Z[\\\]^_]$/.test(upper) ? String.fromCharCode(upper.charCodeAt(0) & 0x1f) : undefined;
}

function refuse(keys: string): never {
  throw new GyreError('bad_input', `a terminal has no code for "${keys}"`, {
    field: 'keys',
    fix: 'hold ctrl, alt or shift with one other key, as in "ctrl c", or write the characters themselves',
  });
}
