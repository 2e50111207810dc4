import { GyreError } from '@gyre/protocol';

/** A key as Chromium's `Input.dispatchKeyEvent` wants it. */
export interface Key {
  /** DOM `key` without modifiers. */
  readonly key: string;
  /** DOM `code`. */
  readonly code: string;
  /** Windows virtual key code. */
  readonly keyCode: number;
  /** What the key types; absent for keys that type nothing. */
  readonly text?: string;
  /** Bit in CDP's `modifiers`; 0 for keys that modify nothing. */
  readonly modifier: number;
  readonly location?: number;
}

export const shift = 8;

const named: Readonly<Record<string, Key>> = {
  enter: { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r', modifier: 0 },
  tab: { key: 'Tab', code: 'Tab', keyCode: 9, modifier: 0 },
  escape: { key: 'Escape', code: 'Escape', keyCode: 27, modifier: 0 },
  backspace: { key: 'Backspace', code: 'Backspace', keyCode: 8, modifier: 0 },
  delete: { key: 'Delete', code: 'Delete', keyCode: 46, modifier: 0 },
  insert: { key: 'Insert', code: 'Insert', keyCode: 45, modifier: 0 },
  space: { key: ' ', code: 'Space', keyCode: 32, text: ' ', modifier: 0 },
  arrowleft: { key: 'ArrowLeft', code: 'ArrowLeft', keyCode: 37, modifier: 0 },
  arrowup: { key: 'ArrowUp', code: 'ArrowUp', keyCode: 38, modifier: 0 },
  arrowright: { key: 'ArrowRight', code: 'ArrowRight', keyCode: 39, modifier: 0 },
  arrowdown: { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40, modifier: 0 },
  home: { key: 'Home', code: 'Home', keyCode: 36, modifier: 0 },
  end: { key: 'End', code: 'End', keyCode: 35, modifier: 0 },
  pageup: { key: 'PageUp', code: 'PageUp', keyCode: 33, modifier: 0 },
  pagedown: { key: 'PageDown', code: 'PageDown', keyCode: 34, modifier: 0 },
  capslock: { key: 'CapsLock', code: 'CapsLock', keyCode: 20, modifier: 0 },
  alt: { key: 'Alt', code: 'AltLeft', keyCode: 18, modifier: 1, location: 1 },
  ctrl: { key: 'Control', code: 'ControlLeft', keyCode: 17, modifier: 2, location: 1 },
  meta: { key: 'Meta', code: 'MetaLeft', keyCode: 91, modifier: 4, location: 1 },
  shift: { key: 'Shift', code: 'ShiftLeft', keyCode: 16, modifier: shift, location: 1 },
};

const synonyms: Readonly<Record<string, string>> = {
  return: 'enter',
  esc: 'escape',
  del: 'delete',
  left: 'arrowleft',
  up: 'arrowup',
  right: 'arrowright',
  down: 'arrowdown',
  page_up: 'pageup',
  page_down: 'pagedown',
  control: 'ctrl',
  cmd: 'meta',
  command: 'meta',
  win: 'meta',
  super: 'meta',
  option: 'alt',
};

/** Keys of a US keyboard: unshifted, shifted, code, Windows virtual key code. */
const punctuation: readonly (readonly [string, string, string, number])[] = [
  ['`', '~', 'Backquote', 192],
  ['-', '_', 'Minus', 189],
  ['=', '+', 'Equal', 187],
  ['[', '{', 'BracketLeft', 219],
  [']', '}', 'BracketRight', 221],
  ['\\', '|', 'Backslash', 220],
  [';', ':', 'Semicolon', 186],
  ["'", '"', 'Quote', 222],
  [',', '<', 'Comma', 188],
  ['.', '>', 'Period', 190],
  ['/', '?', 'Slash', 191],
  ...[...')!@#$%^&*('].map((symbol, digit) => [String(digit), symbol, `Digit${digit}`, 48 + digit] as const),
];

/** A character's key, and whether shift is held to type it. */
interface Stroke {
  readonly key: Key;
  readonly shifted: boolean;
}

/** What a US keyboard does to type a character. Undefined for characters that it does not have. */
export function strokeOf(character: string): Stroke | undefined {
  if (/^[a-zA-Z]$/.test(character)) {
    const upper = character.toUpperCase();
    const key = { key: character, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text: character, modifier: 0 };
    return { key, shifted: character === upper };
  }
  if (character === ' ') return { key: named['space']!, shifted: false };
  const row = punctuation.find(([plain, shifted]) => character === plain || character === shifted);
  if (row === undefined) return undefined;
  return {
    key: { key: character, code: row[2], keyCode: row[3], text: character, modifier: 0 },
    shifted: character === row[1],
  };
}

/** The key of a lower-case name (`enter`, `arrowleft`, `f5`, `a`). Throws `bad_input` for names that it does not know. */
export function keyNamed(name: string): Key {
  const lower = name.length > 1 ? name.toLowerCase() : name;
  const key = named[synonyms[lower] ?? lower];
  if (key !== undefined) return key;
  const number = /^f([1-9]|1[0-2])$/.exec(lower)?.[1];
  if (number !== undefined)
    return { key: `F${number}`, code: `F${number}`, keyCode: 111 + Number(number), modifier: 0 };
  const stroke = strokeOf(name);
  if (stroke !== undefined) return stroke.key;
  throw new GyreError('bad_input', `there is no key "${name}"`, {
    field: 'key',
    fix: `use one character, f1 to f12, or one of ${Object.keys(named).join(', ')}`,
  });
}

/** The keys of a hotkey such as `ctrl shift t`. Throws `bad_input` for none, for more than three and for unknown ones. */
export function hotkeyOf(keys: string): Key[] {
  const names = keys.split(/\s+/).filter((name) => name !== '');
  if (names.length < 1 || names.length > 3) {
    throw new GyreError('bad_input', `"${keys}" has ${names.length} keys`, {
      field: 'keys',
      fix: 'give one to three keys joined by spaces, as in "ctrl c"',
    });
  }
  return names.map(keyNamed);
}
