import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonical, stringVector, stringWidth, wordRow, wordRows } from './strings.js';

const likeness = (a: string, b: string): number => {
  const [left, right] = [stringVector(a), stringVector(b)];
  return left.reduce((sum, value, i) => sum + value * right[i]!, 0);
};

it('folds spaces, case, full-width forms and characters that look alike', () => {
  expect(canonical('I1l|! oO0')).toBe(`${'l'.repeat(5)}000`);
  expect(canonical('Ａｐｐｌｅ  Pie')).toBe(canonical('apple\tpie'));
  expect(canonical('退出 登录')).toBe('退出登录');
});

it('gives every string a vector of norm 1, and equal ones the same', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
      expect(stringVector(text)).toHaveLength(stringWidth);
      expect(likeness(text, text)).toBeCloseTo(1, 5);
    }),
    { numRuns: 200 },
  );
});

it.each([
  ['Show all', 'Show aII'],
  ['Order No. 4071', 'Order No. 4O7l'],
  ['Apply changes', 'Applychanges'],
])('takes %s for equal to %s, which was misread', (a, b) => {
  expect(likeness(a, b)).toBeGreaterThan(0.93);
});

it.each([
  ['Save', 'Safe'],
  ['12', '13'],
  ['Accept', 'Accepted'],
  ['item 4', 'item 5'],
  ['Cancel', 'Reset'],
  ['确定', '取消'],
  ['March 2029', 'March 2028'],
])('tells %s from %s', (a, b) => {
  expect(likeness(a, b)).toBeLessThan(0.93);
});

it('names words by rows of a table, the same for any case', () => {
  expect(wordRow('  ')).toBe(0);
  expect(wordRow('Save')).toBe(wordRow(' save '));
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      expect(wordRow(text)).toBeLessThan(wordRows);
    }),
  );
});
