import { GyreError, keyName, splitKeys } from '@gyre/protocol';
import { androidNames, keyNamed } from '../input/keys.js';

/** `android.view.KeyEvent`. */
const phoneKeys: ReadonlyMap<string, number> = new Map([
  ['back', 4],
  ['power', 26],
  ['camera', 27],
  ['notifications', 83],
  ['search', 84],
  ['movehome', 122],
  ['moveend', 123],
  ['mute', 164],
  ['recentapps', 187],
  ['recent', 187],
  ['recents', 187],
  ['appswitch', 187],
  ['overview', 187],
  ['sleep', 223],
  ['wakeup', 224],
  ['cut', 277],
  ['copy', 278],
  ['paste', 279],
  ['*', 17],
  ['#', 18],
  ['@', 77],
  ['+', 81],
]);

/**
 * Accepts `back`, `recent_apps`, `volume_up`, `f5`, `a`. `home` is the phone's key, `move_home` the keyboard's. Throws
 * `bad_input` for unknown names.
 */
export function keycodeNamed(name: string): number {
  const keycode = keycodeOf(name);
  if (keycode !== undefined) return keycode;
  throw new GyreError('bad_input', `a phone has no key "${name}"`, {
    field: 'key',
    fix: `use one character, f1 to f12, or one of ${[...androidNames, ...phoneKeys.keys()].join(', ')}`,
  });
}

function keycodeOf(name: string): number | undefined {
  const phoneKey = phoneKeys.get(name.toLowerCase().replace(/(?<=.)[\s_-]/g, ''));
  if (phoneKey !== undefined) return phoneKey;
  const known = keyName(name);
  if (known === undefined) return undefined;
  return phoneKeys.get(known) ?? androidKey(known);
}

function androidKey(name: string): number | undefined {
  const isOnKeyboard = [...name].length > 1 || /^[!-~ ]$/.test(name);
  return isOnKeyboard ? keyNamed(name).android : undefined;
}

export function keycodesOf(keys: string): number[] {
  const names = splitKeys(keys, (name) => keycodeOf(name) !== undefined);
  if (names.length >= 1 && names.length <= 3) return names.map(keycodeNamed);
  throw new GyreError('bad_input', `"${keys}" has ${names.length} keys`, {
    field: 'keys',
    fix: 'use one to three keys joined by spaces or plus signs, as in "ctrl c"',
  });
}
