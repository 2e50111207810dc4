import { GyreError, keyName, splitKeys } from '@gyre/protocol';

/** Numbers of `android.view.KeyEvent`. */
const named: Readonly<Record<string, number>> = {
  home: 3,
  back: 4,
  arrowup: 19,
  arrowdown: 20,
  arrowleft: 21,
  arrowright: 22,
  volumeup: 24,
  volumedown: 25,
  power: 26,
  camera: 27,
  alt: 57,
  shift: 59,
  tab: 61,
  space: 62,
  enter: 66,
  backspace: 67,
  menu: 82,
  notifications: 83,
  search: 84,
  playpause: 85,
  nexttrack: 87,
  previoustrack: 88,
  pageup: 92,
  pagedown: 93,
  escape: 111,
  delete: 112,
  ctrl: 113,
  capslock: 115,
  meta: 117,
  movehome: 122,
  moveend: 123,
  insert: 124,
  mute: 164,
  recentapps: 187,
  sleep: 223,
  wakeup: 224,
  cut: 277,
  copy: 278,
  paste: 279,
};

/** Names that only a phone has, or that mean something else there. */
const synonyms: Readonly<Record<string, string>> = {
  end: 'moveend',
  recent: 'recentapps',
  recents: 'recentapps',
  appswitch: 'recentapps',
  overview: 'recentapps',
  volumemute: 'mute',
  browserback: 'back',
  browsersearch: 'search',
};

const punctuation: Readonly<Record<string, number>> = {
  '*': 17,
  '#': 18,
  ',': 55,
  '.': 56,
  '`': 68,
  '-': 69,
  '=': 70,
  '[': 71,
  ']': 72,
  '\\': 73,
  ';': 74,
  "'": 75,
  '/': 76,
  '@': 77,
  '+': 81,
};

/**
 * Android's number of a key: `back`, `recent_apps`, `volume_up`, `f5`, `a`. `home` is the phone's own key; that of a
 * keyboard is `move_home`. Throws `bad_input` for names that it does not know.
 */
export function keycodeNamed(name: string): number {
  const keycode = keycodeOf(name);
  if (keycode !== undefined) return keycode;
  throw new GyreError('bad_input', `a phone has no key "${name}"`, {
    field: 'key',
    fix: `use one character, f1 to f12, or one of ${Object.keys(named).join(', ')}`,
  });
}

function keycodeOf(name: string): number | undefined {
  const lower = name.toLowerCase();
  if (/^[a-z]$/.test(lower)) return 29 + lower.charCodeAt(0) - 'a'.charCodeAt(0);
  if (/^\d$/.test(name)) return 7 + Number(name);
  const sign = own(punctuation, name);
  if (sign !== undefined) return sign;
  const number = /^f([1-9]|1[0-2])$/.exec(lower)?.[1];
  if (number !== undefined) return 130 + Number(number);
  const plain = lower.replace(/(?<=.)[\s_-]/g, '');
  const keycode = own(named, own(synonyms, plain) ?? plain);
  if (keycode !== undefined) return keycode;
  // By the names that every machine's keys have.
  const known = keyName(name);
  return known === undefined || known === lower ? undefined : keycodeOf(known);
}

/** The keys of a hotkey such as `ctrl c`. Throws `bad_input` for none, for more than three and for unknown ones. */
export function keycodesOf(keys: string): number[] {
  const names = splitKeys(keys, (name) => keycodeOf(name) !== undefined);
  if (names.length >= 1 && names.length <= 3) return names.map(keycodeNamed);
  throw new GyreError('bad_input', `"${keys}" has ${names.length} keys`, {
    field: 'keys',
    fix: 'give one to three keys joined by spaces or plus signs, as in "ctrl c"',
  });
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
