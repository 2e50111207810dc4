import { expect, it } from 'vitest';
import { keysOf } from './typedKeys.js';

it.each([
  ['C-c', 'ctrl c'],
  ['c-C', 'ctrl c'],
  ['^C', 'ctrl c'],
  ['ctrl+c', 'ctrl c'],
  ['Ctrl-D', 'ctrl d'],
  ['ctrl z', 'ctrl z'],
  ['<C-x>', 'ctrl x'],
  ['C-\\', 'ctrl \\'],
  ['\x03', 'ctrl c'],
  ['\x1b', 'escape'],
  [' ESC\n', 'escape'],
  ['<UP>', 'arrowup'],
  ['PGDN', 'pagedown'],
  ['BS', 'backspace'],
  ['ENTER', 'enter'],
  ['q', undefined],
  ['esc', undefined],
  ['', undefined],
  ['\n', undefined],
  ['C-c C-c', undefined],
  ['^Cx', undefined],
  ['constructor', undefined],
])('reads %j as the keys %j', (text, keys) => {
  expect(keysOf(text)).toBe(keys);
});
