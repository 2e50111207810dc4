import { keyName, throwUnknownKey } from '@gyre/protocol';
import { keyNamed } from '../input/keys.js';

/** Throws `bad_input` for unknown names. */
export function pyautoguiKey(name: string, mac: boolean): string {
  const { key, pyautogui } = keyNamed(name);
  return mac && key === 'Meta' ? 'command' : pyautogui;
}

export function keyOfPyautogui(name: string): string {
  keyNamed(name);
  return keyName(name) ?? throwUnknownKey(name);
}
