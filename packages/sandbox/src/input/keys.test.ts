import { keyNames } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import x11 from 'x11';
import { hotkeyOf, type Key, keyNamed, strokeOf, strokesOf } from './keys.js';

const characters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
const named = [...keyNames, ...Array.from({ length: 24 }, (_, index) => `f${index + 1}`)].map(keyNamed);
const unshifted = characters.map((character) => strokeOf(character)!).filter(({ shifted }) => !shifted);
const keys: Key[] = [...named, ...unshifted.map(({ key }) => key)];

describe('the table of keys', () => {
  it('has every key under its own name', () => {
    expect(named.map(({ name }) => name).slice(0, keyNames.length)).toEqual(keyNames);
    expect(characters.map((character) => keyNamed(character).name)).toEqual(characters);
  });

  it.each(['code', 'keyCode', 'keysym', 'qcode', 'android', 'pyautogui'] as const)('has no %s twice', (column) => {
    const values = keys.map((key) => key[column]).filter((value) => value !== undefined);
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });

  it('names keysyms that X has', () => {
    const keysyms = named.flatMap(({ keysym }) => keysym ?? []);
    expect(keysyms.filter((keysym) => x11.keySyms[`XK_${keysym}`] === undefined)).toEqual([]);
  });

  it('types every character of a US keyboard by its key, with shift where it takes that', () => {
    const typed = (text: string) =>
      [...strokesOf(text)].map((part) => (typeof part === 'string' ? part : [part.key.code, part.shifted]));
    expect(typed('aB%\t/?')).toEqual([
      ['KeyA', false],
      ['KeyB', true],
      ['Digit5', true],
      ['Tab', false],
      ['Slash', false],
      ['Slash', true],
    ]);
    expect(typed('é漢1\r\n\r€')).toEqual(['é漢', ['Digit1', false], ['Enter', false], ['Enter', false], '€']);
  });

  it('takes a capital in a hotkey for its key without shift', () => {
    expect(hotkeyOf('Ctrl-T').map(({ key }) => key)).toEqual(['Control', 't']);
    expect(hotkeyOf('T').map(({ key }) => key)).toEqual(['T']);
  });
});
