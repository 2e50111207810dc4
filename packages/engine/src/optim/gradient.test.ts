import { expect, it } from 'vitest';
import { accumulate } from './gradient.js';

it('adds gradients up in place, and refuses those of another length', () => {
  const into = Float32Array.of(1, 2, 3, 4, 5, 6, 7);
  accumulate(into, Float32Array.of(10, 20, -3, 40, 50, 60, 70));
  expect([...into]).toEqual([11, 22, 0, 44, 55, 66, 77]);
  expect(() => {
    accumulate(into, new Float32Array(2));
  }).toThrow(expect.objectContaining({ code: 'shape' }));
});
