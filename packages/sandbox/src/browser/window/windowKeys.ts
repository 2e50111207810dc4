import { hotkeyOf } from '../../input/keys.js';
import { pageProgram } from '../pageProgram.js';

/** A number selects that tab; 9 is the last. */
export type WindowCommand = 'next' | 'previous' | 'close' | 'files' | number;

export const steps = { next: 1, previous: -1 } as const;

/** Returns a hotkey's window command, as in Chromium. */
export function windowKeys(keys: string): WindowCommand | undefined {
  const names = hotkeyOf(keys).map(({ key }) => key);
  const key = names.at(-1) ?? '';
  const modifiers = names.slice(0, -1).sort().join('+');
  if (modifiers === 'Control' && (key === 'Tab' || key === 'PageDown')) return 'next';
  if ((modifiers === 'Control+Shift' && key === 'Tab') || (modifiers === 'Control' && key === 'PageUp'))
    return 'previous';
  if (modifiers === 'Control' && /^[1-9]$/.test(key)) return Number(key);
  if (modifiers === 'Control' && (key === 'w' || key === 'F4')) return 'close';
  if (modifiers === 'Control' && key === 'o') return 'files';
  return undefined;
}

const freeKeysFile = new URL('./page/freeKeys.page.bundle', import.meta.url);

/** Watches whether the page handles the next ctrl o. */
export function heedKeys(): string {
  return `(${pageProgram(freeKeysFile, 'heedKeys')})()`;
}

export function areKeysFree(): string {
  return `(${pageProgram(freeKeysFile, 'areKeysFree')})()`;
}
