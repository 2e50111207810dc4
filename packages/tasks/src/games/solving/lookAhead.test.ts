import { expect, test } from 'vitest';
import { lookAhead } from './lookAhead.js';

/** Doubles or increments to `target`. */
const counting = (target: number) => ({
  moves: (value: number) => (value > 100 ? [] : (['double', 'add'] as const)),
  after: (value: number, move: 'double' | 'add') => (move === 'double' ? 2 * value : value + 1),
  worth: (value: number) => (value === target ? Infinity : -Math.abs(target - value)),
});

test('the first move of the shortest line that wins is found', () => {
  expect(lookAhead(counting(7), 3, { width: 4, depth: 2 })).toBe('double');
  expect(lookAhead(counting(8), 3, { width: 4, depth: 2 })).toBe('add');
});

test('where nothing wins within the depth, the line that ends best is begun', () => {
  expect(lookAhead(counting(60), 3, { width: 4, depth: 2 })).toBe('double');
});

test('a line that is not among the best after a move is not followed', () => {
  // Greedily 6 is nearer, but 3 + 1 doubled is 8.
  expect(lookAhead(counting(8), 3, { width: 1, depth: 2 })).toBe('double');
});

test('there is no move where none can be made', () => {
  expect(lookAhead(counting(7), 101, { width: 4, depth: 2 })).toBeUndefined();
});
