import { type KeyName, keyName, keyNames, keysOf, throwUnknownKey } from '@gyre/protocol';

export interface Key {
  /** A `KeyName`, `f1` to `f24`, or the typed character. */
  readonly name: string;
  readonly code: string;
  /** DOM `key` without modifiers. */
  readonly key: string;
  /** Windows virtual key code. */
  readonly keyCode: number;
  readonly text?: string | undefined;
  /** Bit of CDP's `modifiers`, or 0. */
  readonly modifier: number;
  /** X keysym, as in xdotool. For characters see `Keymap`. */
  readonly keysym?: string | undefined;
  /** QKeyCode of QEMU (qapi/ui.json). */
  readonly qcode?: string | undefined;
  /** `android.view.KeyEvent` code. */
  readonly android?: number | undefined;
  readonly pyautogui: string;
  readonly pynput?: string | undefined;
  /** End of the xterm sequence after `ESC [` or `ESC O`. */
  readonly xterm?: string | undefined;
}

type Row = readonly [
  code: string,
  key: string,
  keyCode: number,
  keysym: string | undefined,
  qcode: string | undefined,
  android: number | undefined,
  pyautogui: string,
  xterm?: string,
];

const none = undefined;

const rows: Readonly<Record<KeyName, Row>> = {
  enter: ['Enter', 'Enter', 13, 'Return', 'ret', 66, 'enter'],
  tab: ['Tab', 'Tab', 9, 'Tab', 'tab', 61, 'tab'],
  escape: ['Escape', 'Escape', 27, 'Escape', 'esc', 111, 'esc'],
  backspace: ['Backspace', 'Backspace', 8, 'BackSpace', 'backspace', 67, 'backspace'],
  delete: ['Delete', 'Delete', 46, 'Delete', 'delete', 112, 'delete', '3~'],
  insert: ['Insert', 'Insert', 45, 'Insert', 'insert', 124, 'insert', '2~'],
  space: ['Space', ' ', 32, 'space', 'spc', 62, 'space'],
  arrowleft: ['ArrowLeft', 'ArrowLeft', 37, 'Left', 'left', 21, 'left', 'D'],
  arrowup: ['ArrowUp', 'ArrowUp', 38, 'Up', 'up', 19, 'up', 'A'],
  arrowright: ['ArrowRight', 'ArrowRight', 39, 'Right', 'right', 22, 'right', 'C'],
  arrowdown: ['ArrowDown', 'ArrowDown', 40, 'Down', 'down', 20, 'down', 'B'],
  // Android: the phone's HOME, not a keyboard's MOVE_HOME.
  home: ['Home', 'Home', 36, 'Home', 'home', 3, 'home', 'H'],
  end: ['End', 'End', 35, 'End', 'end', 123, 'end', 'F'],
  pageup: ['PageUp', 'PageUp', 33, 'Page_Up', 'pgup', 92, 'pageup', '5~'],
  pagedown: ['PageDown', 'PageDown', 34, 'Page_Down', 'pgdn', 93, 'pagedown', '6~'],
  capslock: ['CapsLock', 'CapsLock', 20, 'Caps_Lock', 'caps_lock', 115, 'capslock'],
  numlock: ['NumLock', 'NumLock', 144, 'Num_Lock', 'num_lock', none, 'numlock'],
  scrolllock: ['ScrollLock', 'ScrollLock', 145, 'Scroll_Lock', 'scroll_lock', none, 'scrolllock'],
  printscreen: ['PrintScreen', 'PrintScreen', 44, 'Print', 'print', none, 'printscreen'],
  pause: ['Pause', 'Pause', 19, 'Pause', 'pause', none, 'pause'],
  menu: ['ContextMenu', 'ContextMenu', 93, 'Menu', 'menu', 82, 'apps'],
  help: ['Help', 'Help', 47, 'Help', 'help', none, 'help'],
  clear: ['NumpadClear', 'Clear', 12, 'Clear', none, none, 'clear'],
  ctrl: ['ControlLeft', 'Control', 17, 'Control_L', 'ctrl', 113, 'ctrl'],
  alt: ['AltLeft', 'Alt', 18, 'Alt_L', 'alt', 57, 'alt'],
  shift: ['ShiftLeft', 'Shift', 16, 'Shift_L', 'shift', 59, 'shift'],
  meta: ['MetaLeft', 'Meta', 91, 'Super_L', 'meta_l', 117, 'win'],
  // No keysyms: `Keymap` remaps X media keys to characters.
  volumeup: ['AudioVolumeUp', 'AudioVolumeUp', 175, none, 'volumeup', 24, 'volumeup'],
  volumedown: ['AudioVolumeDown', 'AudioVolumeDown', 174, none, 'volumedown', 25, 'volumedown'],
  volumemute: ['AudioVolumeMute', 'AudioVolumeMute', 173, none, 'audiomute', 164, 'volumemute'],
  playpause: ['MediaPlayPause', 'MediaPlayPause', 179, none, 'audioplay', 85, 'playpause'],
  stop: ['MediaStop', 'MediaStop', 178, none, 'audiostop', none, 'stop'],
  nexttrack: ['MediaTrackNext', 'MediaTrackNext', 176, none, 'audionext', 87, 'nexttrack'],
  previoustrack: ['MediaTrackPrevious', 'MediaTrackPrevious', 177, none, 'audioprev', 88, 'prevtrack'],
  browserback: ['BrowserBack', 'BrowserBack', 166, none, 'ac_back', 4, 'browserback'],
  browserforward: ['BrowserForward', 'BrowserForward', 167, none, 'ac_forward', none, 'browserforward'],
  browserrefresh: ['BrowserRefresh', 'BrowserRefresh', 168, none, 'ac_refresh', none, 'browserrefresh'],
  browserhome: ['BrowserHome', 'BrowserHome', 172, none, 'ac_home', none, 'browserhome'],
  browsersearch: ['BrowserSearch', 'BrowserSearch', 170, none, none, 84, 'browsersearch'],
};

/** For `f1` to `f12`. */
const functionEnds = ['P', 'Q', 'R', 'S', '15~', '17~', '18~', '19~', '20~', '21~', '23~', '24~'];

/** Unshifted, shifted, code, virtual key code, qcode, Android. */
const signs: readonly (readonly [string, string, string, number, string, number])[] = [
  ['`', '~', 'Backquote', 192, 'grave_accent', 68],
  ['-', '_', 'Minus', 189, 'minus', 69],
  ['=', '+', 'Equal', 187, 'equal', 70],
  ['[', '{', 'BracketLeft', 219, 'bracket_left', 71],
  [']', '}', 'BracketRight', 221, 'bracket_right', 72],
  ['\\', '|', 'Backslash', 220, 'backslash', 73],
  [';', ':', 'Semicolon', 186, 'semicolon', 74],
  ["'", '"', 'Quote', 222, 'apostrophe', 75],
  [',', '<', 'Comma', 188, 'comma', 55],
  ['.', '>', 'Period', 190, 'dot', 56],
  ['/', '?', 'Slash', 191, 'slash', 76],
  ...[...')!@#$%^&*('].map(
    (sign, digit) => [`${digit}`, sign, `Digit${digit}`, 48 + digit, `${digit}`, 7 + digit] as const,
  ),
];

/** CDP's modifier bit. */
export const shift = 8;
const modifiers: Readonly<Partial<Record<KeyName, number>>> = { alt: 1, ctrl: 2, meta: 4, shift };
const pynputNames: Readonly<Partial<Record<KeyName, string>>> = {
  pageup: 'page_up',
  pagedown: 'page_down',
  capslock: 'caps_lock',
  meta: 'cmd',
};
const texts: Readonly<Partial<Record<KeyName, string>>> = { enter: '\r', space: ' ' };

const named: Readonly<Record<string, Key>> = Object.fromEntries([
  ...keyNames.map((name): [string, Key] => {
    const [code, key, keyCode, keysym, qcode, android, pyautogui, xterm] = rows[name];
    const [text, modifier] = [texts[name], modifiers[name] ?? 0];
    const pynput = pynputNames[name];
    return [name, { name, code, key, keyCode, text, modifier, keysym, qcode, android, pyautogui, pynput, xterm }];
  }),
  ...Array.from({ length: 24 }, (_, index): [string, Key] => {
    const [name, key] = [`f${index + 1}`, `F${index + 1}`];
    const [android, xterm] = [index < 12 ? 131 + index : none, functionEnds[index]];
    const machines = { keysym: key, qcode: name, android, pyautogui: name, xterm };
    return [name, { name, code: key, key, keyCode: 112 + index, modifier: 0, ...machines }];
  }),
]);

export const androidNames: readonly string[] = keyNames.filter((name) => rows[name][5] !== undefined);

export interface Stroke {
  readonly key: Key;
  readonly shifted: boolean;
}

/** Returns how a US keyboard types a character, if it can. */
export function strokeOf(character: string): Stroke | undefined {
  if (character === '\n') return { key: named.enter!, shifted: false };
  if (character === '\t') return { key: named.tab!, shifted: false };
  if (character === ' ') return { key: named.space!, shifted: false };
  const typed = { name: character, key: character, text: character, modifier: 0, pyautogui: character.toLowerCase() };
  if (/^[a-zA-Z]$/.test(character)) {
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    const keyCode = upper.charCodeAt(0);
    return {
      key: { ...typed, code: `Key${upper}`, keyCode, qcode: lower, android: keyCode - 36 },
      shifted: character === upper,
    };
  }
  const row = signs.find(([plain, shifted]) => character === plain || character === shifted);
  if (row === undefined) return undefined;
  const [, sign, code, keyCode, qcode, android] = row;
  const shifted = character === sign;
  return { key: { ...typed, code, keyCode, qcode, android: shifted ? none : android }, shifted };
}

/** Splits text into strokes and runs of other characters. Line breaks become enter. */
export function* strokesOf(text: string): Generator<Stroke | string> {
  let foreign = '';
  for (const character of unixLines(text)) {
    const stroke = strokeOf(character);
    if (stroke === undefined) {
      foreign += character;
      continue;
    }
    if (foreign !== '') yield foreign;
    foreign = '';
    yield stroke;
  }
  if (foreign !== '') yield foreign;
}

export function unixLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Throws `bad_input` for an unknown name. */
export function keyNamed(name: string): Key {
  const known = keyName(name) ?? throwUnknownKey(name);
  return (Object.hasOwn(named, known) ? named[known] : strokeOf(known)?.key) ?? throwUnknownKey(name);
}

/**
 * Parses a hotkey. `Ctrl-T` is `ctrl t`: a capital implies no shift.
 * @throws GyreError `bad_input` for no, unknown or more than five keys.
 */
export function hotkeyOf(keys: string): Key[] {
  const names = keysOf(keys);
  return names.map((name) => keyNamed(names.length > 1 && /^[A-Z]$/.test(name) ? name.toLowerCase() : name));
}

/** Returns a key's DOM `key` with shift: `!` for `1`. */
export function shifted(key: string): string {
  if (/^[a-z]$/.test(key)) return key.toUpperCase();
  return signs.find(([plain]) => plain === key)?.[1] ?? key;
}
