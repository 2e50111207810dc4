import { expect, it } from 'vitest';
import { quantitiesOf, quantityWidth, writeQuantities } from './quantities.js';

it.each<[string, ReturnType<typeof quantitiesOf>]>([
  ['12', { number: 12 }],
  ['-3', { number: -3 }],
  ['¥3.50', { number: 3.5 }],
  ['1,200', { number: 1200 }],
  ['１２', { number: 12 }],
  ['31 August 2029', { number: 31, month: 8, year: 2029 }],
  ['Sept. 2027', { month: 9, year: 2027 }],
  ['2029年8月', { month: 8, year: 2029 }],
  ['2029-08-31', { number: 31, month: 8, year: 2029 }],
  ['2029', { number: 2029, year: 2029 }],
  ['3 of 4', {}],
  ['Save', {}],
  ['Maybe', {}],
  [`${'x'.repeat(40)}7`, {}],
])('reads %s', (text, expected) => {
  expect(quantitiesOf(text)).toEqual(expected);
});

it('writes features that are bounded, and 0 for what a string does not name', () => {
  for (const text of ['', '1000000000', '-1000000', '0.001', '31 August 2029']) {
    const features = new Float32Array(quantityWidth);
    writeQuantities(quantitiesOf(text), features, 0);
    for (const value of features) expect(Math.abs(value)).toBeLessThanOrEqual(1 + 1e-6);
    if (text === '') expect([...features]).toEqual(new Array(quantityWidth).fill(0));
  }
});
