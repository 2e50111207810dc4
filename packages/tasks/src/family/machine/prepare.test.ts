import { expect, test } from 'vitest';
import { hasBlankWindow } from './prepare.js';

const size = { width: 200, height: 160 };
const whole = { box: { x: 0, y: 0, width: 1, height: 1 } };
const beside = { box: { x: -0.5, y: 0.5, width: 1, height: 0.25 } };

function screenWith(...marks: (readonly [x: number, y: number])[]): Uint8Array {
  const screen = new Uint8Array(size.width * size.height * 4).fill(99);
  for (const [x, y] of marks) screen[(y * size.width + x) * 4 + 1] = 0;
  return screen;
}

test('a window is empty as long as it shows one colour, whatever the pointer covers', () => {
  expect(hasBlankWindow([], size, screenWith())).toBe(false);
  expect(hasBlankWindow([whole], size, screenWith())).toBe(true);
  expect(hasBlankWindow([whole], size, screenWith([100, 80], [120, 90]))).toBe(true);
  expect(hasBlankWindow([whole], size, screenWith([199, 159]))).toBe(false);
});

test('each window counts for itself, as far as it is on the screen', () => {
  expect(hasBlankWindow([whole, beside], size, screenWith([150, 100]))).toBe(true);
  expect(hasBlankWindow([whole, beside], size, screenWith([0, 79]))).toBe(true);
  expect(hasBlankWindow([whole, beside], size, screenWith([99, 119]))).toBe(false);
  expect(hasBlankWindow([{ box: { x: 1.2, y: 0, width: 1, height: 1 } }], size, screenWith())).toBe(false);
});
