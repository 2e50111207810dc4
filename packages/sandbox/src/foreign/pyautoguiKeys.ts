import { keyName, noKey } from '@gyre/protocol';
import { keyNamed } from '../input/keys.js';

/** Returns a key's pyautogui name. Throws `bad_input` for unknown names. */
export function pyautoguiKey(name: string, mac: boolean): string {
  const { key, pyautogui } = keyNamed(name);
  return mac && key === 'Meta' ? 'command' : pyautogui;
}

/** Throws `bad_input` for unknown names. */
export function keyOfPyautogui(name: string): string {
  keyNamed(name);
  return keyName(name) ?? noKey(name);
}
