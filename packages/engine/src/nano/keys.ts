import { keysOf } from '@gyre/protocol';
import { maxKeys } from './grammar.js';

export const keyNames = [
  'arrowup',
  'arrowdown',
  'arrowleft',
  'arrowright',
  'enter',
  'tab',
  'escape',
  'backspace',
  'delete',
  'insert',
  'space',
  'home',
  'end',
  'pageup',
  'pagedown',
  'capslock',
  'shift',
  'ctrl',
  'alt',
  'meta',
  ...Array.from({ length: 12 }, (_, i) => `f${i + 1}`),
] as const;

const written = /^(?:(?:ctrl|control|alt|option|shift|meta|cmd|command|win|super)\b|f\d{1,2}$)/i;

/** Reads a combination of keys or a function key that stands in an instruction or on a screen: `Ctrl+S`, `F4`. */
export function combinationOf(text: string): readonly string[] | undefined {
  const plain = text.trim();
  if (plain.length > 24 || !written.test(plain)) return undefined;
  let keys: string[];
  try {
    keys = keysOf(plain).map((key) => key.toLowerCase());
  } catch {
    return undefined;
  }
  const isWhole = keys.length === 1 ? /^f\d/.test(keys[0] ?? '') : keys.length <= maxKeys;
  const isKnown = (key: string): boolean => (keyNames as readonly string[]).includes(key) || /^[!-~]$/.test(key);
  return isWhole && keys.every(isKnown) ? keys : undefined;
}
