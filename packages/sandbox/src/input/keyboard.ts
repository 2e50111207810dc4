import { type KeyName, keyName, keysOf, noKey } from '@gyre/protocol';

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

/** A key that types nothing. */
const silent = (key: string, keyCode: number, code = key): Key => ({ key, code, keyCode, modifier: 0 });

const named: Readonly<Record<KeyName, Key>> = {
  enter: { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r', modifier: 0 },
  tab: silent('Tab', 9),
  escape: silent('Escape', 27),
  backspace: silent('Backspace', 8),
  delete: silent('Delete', 46),
  insert: silent('Insert', 45),
  space: { key: ' ', code: 'Space', keyCode: 32, text: ' ', modifier: 0 },
  arrowleft: silent('ArrowLeft', 37),
  arrowup: silent('ArrowUp', 38),
  arrowright: silent('ArrowRight', 39),
  arrowdown: silent('ArrowDown', 40),
  home: silent('Home', 36),
  end: silent('End', 35),
  pageup: silent('PageUp', 33),
  pagedown: silent('PageDown', 34),
  capslock: silent('CapsLock', 20),
  numlock: silent('NumLock', 144),
  scrolllock: silent('ScrollLock', 145),
  printscreen: silent('PrintScreen', 44),
  pause: silent('Pause', 19),
  menu: silent('ContextMenu', 93),
  help: silent('Help', 47),
  clear: silent('Clear', 12, 'NumpadClear'),
  alt: { key: 'Alt', code: 'AltLeft', keyCode: 18, modifier: 1, location: 1 },
  ctrl: { key: 'Control', code: 'ControlLeft', keyCode: 17, modifier: 2, location: 1 },
  meta: { key: 'Meta', code: 'MetaLeft', keyCode: 91, modifier: 4, location: 1 },
  shift: { key: 'Shift', code: 'ShiftLeft', keyCode: 16, modifier: shift, location: 1 },
  volumeup: silent('AudioVolumeUp', 175),
  volumedown: silent('AudioVolumeDown', 174),
  volumemute: silent('AudioVolumeMute', 173),
  playpause: silent('MediaPlayPause', 179),
  stop: silent('MediaStop', 178),
  nexttrack: silent('MediaTrackNext', 176),
  previoustrack: silent('MediaTrackPrevious', 177),
  browserback: silent('BrowserBack', 166),
  browserforward: silent('BrowserForward', 167),
  browserrefresh: silent('BrowserRefresh', 168),
  browserhome: silent('BrowserHome', 172),
  browsersearch: silent('BrowserSearch', 170),
};

const isNamed = (name: string): name is KeyName => Object.hasOwn(named, name);

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
  if (character === ' ') return { key: named.space, shifted: false };
  const row = punctuation.find(([plain, shifted]) => character === plain || character === shifted);
  if (row === undefined) return undefined;
  return {
    key: { key: character, code: row[2], keyCode: row[3], text: character, modifier: 0 },
    shifted: character === row[1],
  };
}

/**
 * Returns the key of a name (`enter`, `arrowleft`, `f5`, `a`), or of one that `keyName` knows.
 * @throws GyreError `bad_input` for names that it does not know.
 */
export function keyNamed(name: string): Key {
  const known = keyName(name) ?? noKey(name);
  if (isNamed(known)) return named[known];
  const number = /^f(\d+)$/.exec(known)?.[1];
  if (number !== undefined) return silent(`F${number}`, 111 + Number(number));
  return (strokeOf(known) ?? noKey(name)).key;
}

/**
 * Returns the keys of a hotkey such as `ctrl shift t`. `Ctrl-T` is `ctrl t`: a capital alone asks for no shift.
 * @throws GyreError `bad_input` for none, for more than five and for unknown ones.
 */
export function hotkeyOf(keys: string): Key[] {
  const names = keysOf(keys);
  return names.map((name) => keyNamed(names.length > 1 && /^[A-Z]$/.test(name) ? name.toLowerCase() : name));
}

/** Returns the DOM `key` that a key shows while shift is held: `A` for `a`, `!` for `1`. */
export function shifted(key: string): string {
  if (/^[a-z]$/.test(key)) return key.toUpperCase();
  return punctuation.find(([plain]) => plain === key)?.[1] ?? key;
}
