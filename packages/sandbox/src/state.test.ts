import { expect, it } from 'vitest';
import { transition } from './state.js';

it('a session breaks or is released, and is never leased again', () => {
  expect(transition('leased', 'broken')).toBe('broken');
  expect(transition('leased', 'released')).toBe('released');
  expect(transition('broken', 'released')).toBe('released');
  for (const [from, to] of [
    ['released', 'leased'],
    ['released', 'broken'],
    ['broken', 'leased'],
  ] as const) {
    expect(() => transition(from, to)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  }
});
