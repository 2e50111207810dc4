import { expect, test } from 'vitest';
import { alignment } from './edits.js';

test.each([
  ['same', 'same', []],
  ['Inbox', 'lnbox', ['I>l']],
  ['a b', 'ab', [' >']],
  ['ab', 'a b', ['> ']],
  ['', 'x', ['>x']],
  ['设置', '置', ['设>']],
])('%s read as %s', (truth, read, expected) => {
  const edits = alignment([...truth], [...read]);
  expect(edits.map((edit) => edit.truth).join('')).toBe(truth);
  expect(edits.map((edit) => edit.read).join('')).toBe(read);
  expect(edits.filter((edit) => edit.truth !== edit.read).map((edit) => `${edit.truth}>${edit.read}`)).toEqual(
    expected,
  );
});
