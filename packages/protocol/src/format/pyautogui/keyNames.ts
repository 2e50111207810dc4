import { keysOf } from '../../action/key.js';

/** pyautogui 0.9.54 knows every other key by gyre's name. */
const names: Readonly<Record<string, string>> = {
  arrowleft: 'left',
  arrowup: 'up',
  arrowright: 'right',
  arrowdown: 'down',
  escape: 'esc',
  menu: 'apps',
  meta: 'win',
  previoustrack: 'prevtrack',
};

/**
 * Returns pyautogui's names of a hotkey's keys.
 * @throws GyreError `bad_input` for an unknown key.
 */
export function pyautoguiKeys(keys: string): string[] {
  return keysOf(keys).map((name) => names[name] ?? name);
}
