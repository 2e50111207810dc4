import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correctnessOf, type GroundingSample, type Pointing, type Target } from './sample.js';

const size = { width: 200, height: 100 };
const sample = (target: Target): GroundingSample => ({
  ...{ id: 'a', file: 'f', picture: 'a.png', size, instruction: 'click it', target, groups: [] },
});
const pointing = (x: number, y: number): Pointing => ({ point: { x: x / 200, y: y / 100 }, refused: false, text: '' });
const silent: Pointing = { refused: false, text: '' };

describe('an answer to a target', () => {
  const box = sample({ kind: 'box', box: [20, 10, 60, 30] });
  test.each([
    [pointing(40, 20), 'correct'],
    [pointing(20, 10), 'correct'],
    [pointing(60, 30), 'correct'],
    [pointing(60.1, 30), 'wrong'],
    [pointing(40, 31), 'wrong'],
    [silent, 'wrong_format'],
  ])('box: %j is %s', (answer, correctness) => {
    expect(correctnessOf(box, answer, size)).toBe(correctness);
  });

  test('without an annotated size is judged in the size of the picture', () => {
    expect(correctnessOf({ ...box, size: undefined }, pointing(40, 20), { width: 400, height: 200 })).toBe('wrong');
  });

  test('a refusal is right where nothing fits, and only there', () => {
    const refusal = sample({ kind: 'refusal' });
    expect(correctnessOf(refusal, { ...silent, refused: true }, size)).toBe('correct');
    expect(correctnessOf(refusal, silent, size)).toBe('wrong');
    expect(correctnessOf(refusal, { ...pointing(1, 1), refused: true }, size)).toBe('wrong');
    expect(correctnessOf(box, { ...silent, refused: true }, size)).toBe('wrong_format');
  });

  test('a rectangle is the same as a box and as a polygon', () => {
    const polygon = sample({
      kind: 'polygon',
      corners: [
        { x: 20, y: 10 },
        { x: 60, y: 10 },
        { x: 60, y: 30 },
        { x: 20, y: 30 },
      ],
    });
    fc.assert(
      fc.property(fc.nat({ max: 199 }), fc.nat({ max: 99 }), (x, y) => {
        // Borders differ.
        const answer = pointing(x + 0.5, y + 0.5);
        expect(correctnessOf(polygon, answer, size)).toBe(correctnessOf(box, answer, size));
      }),
    );
  });

  test('a notch of a polygon is outside', () => {
    const corners = [0, 0, 100, 0, 100, 100, 50, 50, 0, 100];
    const points = Array.from({ length: 5 }, (_, i) => ({ x: corners[2 * i]!, y: corners[2 * i + 1]! }));
    const polygon = sample({ kind: 'polygon', corners: points });
    expect(correctnessOf(polygon, pointing(50, 40), size)).toBe('correct');
    expect(correctnessOf(polygon, pointing(50, 80), size)).toBe('wrong');
  });
});
