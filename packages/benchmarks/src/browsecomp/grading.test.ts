import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrationError, confidenceOf, fill, gradeEn, gradeZh } from './grading.js';

const reply = (correct: string, confidence = '85%') =>
  `extracted_final_answer: 1924\n\nreasoning: It is\nthe same year.\n\ncorrect: ${correct}\n\nconfidence: ${confidence}`;

test('a template is filled once, and its doubled braces are single', () => {
  expect(fill('{Question}\nConfidence: {{0 to {n}}} {other}', { Question: '{n} {{', n: '100' })).toBe(
    '{n} {{\nConfidence: {0 to 100} {other}',
  );
});

describe('the English grader', () => {
  test('decides by the word after "correct:"', () => {
    expect(gradeEn(reply('yes'))).toEqual({ correct: 'yes', answer: '1924', confidence: '85%' });
    expect(gradeEn(reply('no'))).toMatchObject({ correct: 'no' });
  });

  test.each(['', 'correct: maybe', '**correct:** yes', 'Correct: yes'])('%j is incorrect', (text) => {
    expect(gradeEn(text)).toMatchObject({ correct: 'no' });
  });
});

describe('the Chinese grader', () => {
  test('gives four lines, plain or in bold', () => {
    expect(gradeZh(reply('yes'))).toEqual({ correct: 'yes', answer: '1924', confidence: '85%' });
    expect(gradeZh(reply('Yes').replace(/^(\w+):/gm, '**$1**:'))).toMatchObject({ correct: 'yes', confidence: '85%' });
    expect(gradeZh(reply('no'))).toMatchObject({ correct: 'no' });
  });

  test.each(['', 'correct: yes', reply('maybe'), reply('yes').replace('reasoning', 'because')])(
    '%j is neither',
    (text) => {
      expect(gradeZh(text)).toMatchObject({ correct: 'none' });
    },
  );

  test('no reply breaks it', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('correct:', 'confidence:', '\n', '**', 'yes', reply('yes')));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        for (const grade of [gradeEn, gradeZh]) expect(['yes', 'no', 'none']).toContain(grade(parts.join('')).correct);
      }),
    );
  });
});

test.each([
  ['85%', 85],
  [' 7 % sure', 7],
  ['100', 100],
  ['85.5%', 0],
  ['', 0],
  ['high', 0],
])('a confidence of %j is %d percent', (text, percent) => {
  expect(confidenceOf(text)).toBe(percent);
});

test('the calibration error is the distance of confidence and accuracy in five bins', () => {
  const grade = (correct: 'yes' | 'no' | 'none', confidence: string) => ({ correct, answer: '', confidence });
  expect(calibrationError([])).toBe(0);
  expect(calibrationError([grade('yes', '100%'), grade('no', '0%')])).toBe(0);
  expect(calibrationError([grade('no', '90%'), grade('none', '90%')])).toBeCloseTo(90);
  // Bins of 20: 0.5 * |1/2 - 0.85| + 0.5 * |1 - 0.35|, in which 30 % and 40 % are apart.
  const four = [grade('yes', '80%'), grade('no', '90%'), grade('yes', '30%'), grade('yes', '40%')];
  expect(calibrationError(four)).toBeCloseTo((Math.abs(1 - 1.7) + 0.7 + 0.6) * 25);
});
