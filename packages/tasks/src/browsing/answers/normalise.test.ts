import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateText, numberText } from '../articles/article.js';
import { months } from '../world/institutions.js';
import { isRight, normalise } from './normalise.js';
import { inWords, withDigits } from './numberWords.js';

const anyNumber = fc.nat({ max: 999_999_999 });
const word = fc
  .stringMatching(/^[A-Z][a-z]{3,9}$/)
  .filter((text) => withDigits([text.toLowerCase()])[0] === text.toLowerCase());
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const date = fc
  .tuple(fc.integer({ min: 1000, max: 1999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => year * 10_000 + month * 100 + day);

describe('a normal answer', () => {
  test('stays as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), name, fc.string({ unit: 'grapheme' })), (text) => {
        expect(normalise(normalise(text))).toBe(normalise(text));
      }),
    );
  });

  test('does not depend on case, quotes, spaces, punctuation at the ends and articles', () => {
    fc.assert(
      fc.property(
        name,
        fc.constantFrom('', 'The ', 'the ', 'It is ', 'in ', 'Answer: '),
        fc.constantFrom('', '.', '!', ' '),
        (text, before, after) => {
          for (const answer of [
            text.toUpperCase(),
            text.toLowerCase(),
            `“${text}”`,
            text.replace(/ /g, '  '),
            before + text + after,
          ]) {
            expect(isRight(answer, text)).toBe(true);
          }
        },
      ),
    );
  });

  test('is the same for a number in digits, with commas and in words', () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        for (const answer of [
          String(value),
          numberText(value),
          inWords(value),
          `${numberText(value)} km`,
          `${value} inhabitants.`,
        ]) {
          expect(isRight(answer, numberText(value))).toBe(true);
        }
      }),
    );
  });

  test('is the same for a date however it is written', () => {
    fc.assert(
      fc.property(date, (value) => {
        const [year, month, day] = [Math.floor(value / 10_000), Math.floor(value / 100) % 100, value % 100];
        const called = months[month - 1] ?? '';
        const iso = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
        const answers = [
          iso,
          `${called} ${day}, ${year}`,
          `on the ${day}th of ${called.toUpperCase()} ${year}`,
          `${day} ${called} ${year}.`,
        ];
        for (const text of answers) expect(isRight(text, dateText(value))).toBe(true);
      }),
    );
  });
});

describe('another answer is wrong', () => {
  test('where number, date or name differ', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyNumber, { minLength: 2, maxLength: 2 }), ([one = 0, other = 0]) => {
        expect(isRight(inWords(one), numberText(other))).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(date, { minLength: 2, maxLength: 2 }), ([one = 0, other = 0]) => {
        expect(isRight(dateText(one), dateText(other))).toBe(false);
      }),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 2, maxLength: 2, selector: (text) => text.toLowerCase() }),
        ([first = '', second = '']) => {
          fc.pre(normalise(first) === first.toLowerCase() && normalise(second) === second.toLowerCase());
          expect(isRight(first, second)).toBe(false);
        },
      ),
    );
  });

  test('where it is missing, empty, or says more than one thing', () => {
    for (const said of [undefined, '', ' ', '...', '1843 or 1844', '1843, 1844', '1843 1843'])
      expect(isRight(said, '1843')).toBe(false);
    expect(isRight('', '')).toBe(false);
  });
});

test.each([
  ['twenty-three', '23'],
  ['one hundred and five', '105'],
  ['two thousand three hundred', '2300'],
  ['One Lantern and Two Keys', '1 lantern and 2 keys'],
  ['The Seven Sisters', '7 sisters'],
  ['12,400', '12400'],
  ['1,843,000 people', '1843000'],
  ['312 km²', '312'],
  ['the year 1843', '1843'],
  ['Ångström', 'angstrom'],
  ['12th March 1843', '1843-03-12'],
])('%s is %s', (text, normal) => {
  expect(normalise(text)).toBe(normal);
});
