import { expect, test } from 'vitest';
import { pointsOf } from './pointsOf.js';

const [point, end] = [
  { x: 0.1, y: 0.2 },
  { x: 0.3, y: 0.4 },
];

test('the points of actions come in order', () => {
  expect(pointsOf({ type: 'click', point })).toEqual([point]);
  expect(pointsOf({ type: 'drag', start: point, end })).toEqual([point, end]);
  expect(pointsOf({ type: 'scroll', direction: 'down', point })).toEqual([point]);
  expect(pointsOf({ type: 'scroll', direction: 'down' })).toEqual([]);
  expect(pointsOf({ type: 'type', text: 'a' })).toEqual([]);
  expect(pointsOf({ type: 'execute_bash', command: 'ls' })).toEqual([]);
});
