import { expect, it } from 'vitest';
import { isFresh } from './freshTexts.js';
import { lineOf } from './scene.test.fixture.js';

const before = [lineOf('Save the draft', 10, 20), lineOf('Total 12', 10, 60)];
const boxOf = (text: string, x: number, y: number) => lineOf(text, x, y).box;

it('a text is fresh where it did not stand before, even if it was read with another error', () => {
  const texts: [string, number, number, boolean][] = [
    ['Save the draft', 10, 20, false],
    ['Save tho draft', 11, 21, false],
    ['the draft', 35, 20, false],
    ['Save the draft', 10, 90, true],
    ['Total 13', 10, 60, true],
    ['Cancel', 10, 20, true],
  ];
  for (const [text, x, y, fresh] of texts)
    expect([text, isFresh(text, boxOf(text, x, y), before)]).toEqual([text, fresh]);
  expect(isFresh('Save', boxOf('Save', 10, 20), [])).toBe(true);
});
