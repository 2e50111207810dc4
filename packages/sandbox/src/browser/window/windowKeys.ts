import { hotkeyOf } from '../../input/keys.js';
import { pageProgram } from '../pageProgram.js';

/** Shows another tab, closes one, or opens the panel of files; a number is that of a tab, and 9 the last. */
export type WindowWish = 'next' | 'previous' | 'close' | 'files' | number;

/** How far a wish goes from tab to tab. */
export const steps = { next: 1, previous: -1 } as const;

/** Returns what keys ask of a window, as in Chromium; undefined for those of the page. */
export function windowKeys(keys: string): WindowWish | undefined {
  const names = hotkeyOf(keys).map(({ key }) => key);
  const key = names.at(-1) ?? '';
  const held = names.slice(0, -1).sort().join('+');
  if (held === 'Control' && (key === 'Tab' || key === 'PageDown')) return 'next';
  if ((held === 'Control+Shift' && key === 'Tab') || (held === 'Control' && key === 'PageUp')) return 'previous';
  if (held === 'Control' && /^[1-9]$/.test(key)) return Number(key);
  if (held === 'Control' && (key === 'w' || key === 'F4')) return 'close';
  if (held === 'Control' && key === 'o') return 'files';
  return undefined;
}

const freeKeysFile = new URL('./page/freeKeys.page.bundle', import.meta.url);

/** Returns an expression of the isolated world that begins to listen whether the page takes the next ctrl o. */
export function heedKeys(): string {
  return `(${pageProgram(freeKeysFile, 'heedKeys')})()`;
}

/** Returns an expression that tells whether the page has left it alone. */
export function areKeysFree(): string {
  return `(${pageProgram(freeKeysFile, 'areKeysFree')})()`;
}
