import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCtc } from './ctc.js';

const characters = ['', 'a', 'b', 'ab', '字', '𠮷', ' '];

/** Scores in which each step is certain of its class. */
function certain(classes: readonly number[]): Float32Array {
  const scores = new Float32Array(classes.length * characters.length);
  classes.forEach((best, step) => (scores[step * characters.length + best] = 1));
  return scores;
}

describe('decodeCtc', () => {
  it('drops blanks and repetitions, and places a character in the middle of its run', () => {
    expect(decodeCtc(certain([0, 1, 1, 0, 1, 2, 0]), characters)).toEqual({ text: 'aab', positions: [2, 4.5, 5.5] });
  });

  it('drops spaces at both ends only', () => {
    expect(decodeCtc(certain([6, 1, 6, 2, 6, 6]), characters)).toEqual({ text: 'a b', positions: [1.5, 2.5, 3.5] });
    expect(decodeCtc(certain([6, 6, 0]), characters)).toEqual({ text: '', positions: [] });
    expect(decodeCtc(certain([]), characters)).toEqual({ text: '', positions: [] });
  });

  it('gives a position per code point, from left to right', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: characters.length - 1 })), (classes) => {
        const { text, positions } = decodeCtc(certain(classes), characters);
        expect(positions).toHaveLength([...text].length);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        for (const position of positions) {
          expect(position).toBeGreaterThan(0);
          expect(position).toBeLessThan(classes.length);
        }
      }),
    );
  });
});
