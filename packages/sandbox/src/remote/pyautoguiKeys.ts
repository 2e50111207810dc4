import { keyNamed } from '../keyboard.js';

/** Names of pyautogui by DOM names. */
const names: Readonly<Record<string, string>> = {
  Enter: 'enter',
  Tab: 'tab',
  Escape: 'esc',
  Backspace: 'backspace',
  Delete: 'delete',
  Insert: 'insert',
  ' ': 'space',
  ArrowLeft: 'left',
  ArrowUp: 'up',
  ArrowRight: 'right',
  ArrowDown: 'down',
  Home: 'home',
  End: 'end',
  PageUp: 'pageup',
  PageDown: 'pagedown',
  CapsLock: 'capslock',
  Alt: 'alt',
  Control: 'ctrl',
  Meta: 'win',
  Shift: 'shift',
};

/** What pyautogui calls a key of an action. Throws `bad_input` for names that are not known. */
export function pyautoguiKey(name: string, mac: boolean): string {
  const { key } = keyNamed(name);
  if (mac && key === 'Meta') return 'command';
  // Letters are those of the unshifted key: a hotkey that wants shift says so.
  return names[key] ?? key.toLowerCase();
}

/** Names of pyautogui that are not names of keys of actions, and what they are there. */
const others: Readonly<Record<string, string>> = {
  '\n': 'enter',
  '\r': 'enter',
  '\t': 'tab',
  ' ': 'space',
  altleft: 'alt',
  altright: 'alt',
  ctrlleft: 'ctrl',
  ctrlright: 'ctrl',
  shiftleft: 'shift',
  shiftright: 'shift',
  winleft: 'meta',
  winright: 'meta',
  optionleft: 'alt',
  optionright: 'alt',
  pgup: 'pageup',
  pgdn: 'pagedown',
};

/** The key of an action that pyautogui calls so. Throws `bad_input` for keys that actions do not have. */
export function keyOfPyautogui(name: string): string {
  const key = name.length === 1 ? name : name.toLowerCase();
  const known = others[key] ?? key;
  keyNamed(known);
  return known;
}
