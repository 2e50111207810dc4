import { describe, expect, it } from 'vitest';
import { keySequence } from './terminalKeys.js';

describe('keys of a terminal', () => {
  it.each([
    ['a', 'a'],
    ['enter', '\r'],
    ['tab', '\t'],
    ['shift tab', '\x1b[Z'],
    ['escape', '\x1b'],
    ['backspace', '\x7f'],
    ['space', ' '],
    ['ctrl c', '\x03'],
    ['ctrl space', '\0'],
    ['ctrl [', '\x1b'],
    ['ctrl \\', '\x1c'],
    ['alt f', '\x1bf'],
    ['ctrl alt b', '\x1b\x02'],
    ['shift a', 'A'],
    ['shift 1', '!'],
    ['Ctrl-C', '\x03'],
    ['ctrl+c', '\x03'],
    ['pgdn', '\x1b[6~'],
    ['up', '\x1b[A'],
    ['ctrl left', '\x1b[1;5D'],
    ['home', '\x1b[H'],
    ['delete', '\x1b[3~'],
    ['shift page_up', '\x1b[5;2~'],
    ['f1', '\x1bOP'],
    ['ctrl f4', '\x1b[1;5S'],
    ['f12', '\x1b[24~'],
  ])('%s sends %j', (keys, sequence) => expect(keySequence(keys, false)).toBe(sequence));

  it('follow the modes of the program', () => {
    expect(keySequence('up', true)).toBe('\x1bOA');
    expect(keySequence('ctrl up', true)).toBe('\x1b[1;5A');
  });

  it.each(['ctrl', 'capslock', 'ctrl 5', 'a b', 'nokey', ''])('refuse %j', (keys) => {
    expect(() => keySequence(keys, false)).toThrow(expect.objectContaining({ code: 'bad_input' }) as Error);
  });
});
