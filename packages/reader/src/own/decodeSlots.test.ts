import { expect, test } from 'vitest';
import { characterSlots } from './decodeSlots.js';

test.each([
  ['a peak', [0, 0.02, 0.97, 0.03, 0, 0], [2]],
  ['a centre between two slots', [0, 0.48, 0.5, 0, 0, 0], [2]],
  ['two characters close together', [0, 0.9, 0.2, 0.95, 0, 0], [1, 3]],
  ['two characters in neighbouring slots', [0, 0.9, 0.96, 0, 0, 0], [1, 2]],
  ['doubt', [0, 0.3, 0.1, 0, 0.2, 0], []],
])('finds %s', (_, probabilities, slots) => {
  expect(characterSlots(probabilities, 0, probabilities.length)).toEqual(slots);
});

test('looks at its own part of a strip only', () => {
  expect(characterSlots([1, 0, 1, 0, 1, 0], 1, 4)).toEqual([2]);
});
