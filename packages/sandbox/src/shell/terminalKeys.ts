import { GyreError } from '@gyre/protocol';
import { hotkeyOf, shifted, type Key } from '../input/keys.js';

const shift = 1;
const alt = 2;
const ctrl = 4;
const modifiers: Readonly<Record<string, number>> = { Shift: shift, Alt: alt, Control: ctrl, Meta: alt };

/** Returns xterm's sequence for keys such as `ctrl c`, `up`, `alt f`. Throws `bad_input` if there is none. */
export function keySequence(keys: string, applicationCursor: boolean): string {
  const pressed = hotkeyOf(keys);
  const modifierBits = pressed.slice(0, -1).reduce((sum, key) => sum | (modifiers[key.key] ?? refuse(keys)), 0);
  return sequence(pressed.at(-1)!, modifierBits, applicationCursor) ?? refuse(keys);
}

function sequence({ key, text, xterm }: Key, modifierBits: number, applicationCursor: boolean): string | undefined {
  const modified = modifierBits === 0 ? '' : `;${1 + modifierBits}`;
  const meta = (modifierBits & alt) === 0 ? '' : '\x1b';
  if (xterm?.endsWith('~')) return `\x1b[${xterm.slice(0, -1)}${modified}~`;
  if (xterm !== undefined && modified !== '') return `\x1b[1${modified}${xterm}`;
  // Cursor keys have A to H, f1 to f4 have P to S.
  if (xterm !== undefined) return `\x1b${applicationCursor || xterm >= 'P' ? 'O' : '['}${xterm}`;
  if (key === 'Enter') return `${meta}\r`;
  if (key === 'Escape') return `${meta}\x1b`;
  if (key === 'Tab') return (modifierBits & shift) === 0 ? `${meta}\t` : '\x1b[Z';
  if (key === 'Backspace') return (modifierBits & ctrl) === 0 ? `${meta}\x7f` : `${meta}\b`;
  if (text === undefined) return undefined;
  const character =
    (modifierBits & ctrl) !== 0 ? controlled(text) : (modifierBits & shift) !== 0 ? shifted(text) : text;
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
