import { expect, test } from 'vitest';
import { hotkeyOf, keyNamed } from '../input/keys.js';
import { guestStrokes, qcodeOf } from './keys.js';

const typed = (text: string) => guestStrokes(text).map(({ key, shifted }) => ({ qcode: qcodeOf(key), shifted }));
const qcodesOf = (keys: string) => hotkeyOf(keys).map(qcodeOf);

test.each([
  ['enter', 'ret'],
  ['return', 'ret'],
  ['Escape', 'esc'],
  ['win', 'meta_l'],
  ['ctrl', 'ctrl'],
  ['pagedown', 'pgdn'],
  ['f12', 'f12'],
  ['a', 'a'],
  ['7', '7'],
  ['/', 'slash'],
])('the key %s is the code %s of QEMU', (name, qcode) => {
  expect(qcodeOf(keyNamed(name))).toBe(qcode);
});

test('a text is typed by keys of a US keyboard, with shift where it takes that', () => {
  expect(typed('aB%\r\n\t ')).toEqual([
    { qcode: 'a', shifted: false },
    { qcode: 'b', shifted: true },
    { qcode: '5', shifted: true },
    { qcode: 'ret', shifted: false },
    { qcode: 'tab', shifted: false },
    { qcode: 'spc', shifted: false },
  ]);
});

test('every character of ASCII that is seen has a key', () => {
  const seen = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
  expect(typed(seen).every(({ qcode }) => /^([a-z0-9]|[a-z_]{3,})$/.test(qcode))).toBe(true);
});

test('a character without a key is refused by name', () => {
  expect(qcodesOf('ctrl alt delete')).toEqual(['ctrl', 'alt', 'delete']);
  expect(() => typed('naïve')).toThrow(/"ï" is not on the keyboard/);
  expect(() => typed('a\x07')).toThrow(/U\+0007/);
  expect(() => qcodesOf('a b c d e f')).toThrow(/6 keys/);
});
