import { expect, it } from 'vitest';
import { combinationOf } from './keys.js';

it.each<[string, string]>([
  ['ctrl+s', 'ctrl s'],
  ['Ctrl-Shift-P', 'ctrl shift p'],
  ['Alt Q', 'alt q'],
  ['F4', 'f4'],
  ['Ctrl++', 'ctrl +'],
  ['Alt+Enter', 'alt enter'],
])('reads %j as %j', (text, keys) => {
  expect(combinationOf(text)?.join(' ')).toBe(keys);
});

it.each(['', 'Save', 'a', 'enter', 'ctrl', 'control room', 'f40', 'Ctrl+é', 'alt a b c', 'shift work today'])(
  'does not take %j for a combination',
  (text) => {
    expect(combinationOf(text)).toBeUndefined();
  },
);
