import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from './candidate.js';
import { applyChanges } from './changes.js';
import { Duplicates, jaccardIndex, shinglesOf } from './duplicates.js';

const place = { url: 'https://example.org', size: { width: 640, height: 480 } };
const answer: Condition = { kind: 'answer', answer: '1' };
const word = fc.string({ unit: fc.constantFrom(...'abcdefgh收件箱'), minLength: 1, maxLength: 7 });
const instruction = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));

test('of any tasks no two that are kept are alike, and what is left out is like one that is kept', () => {
  fc.assert(
    fc.property(fc.array(instruction, { maxLength: 12 }), (texts) => {
      const duplicates = new Duplicates();
      const accepted: string[] = [];
      for (const text of texts) {
        const closest = Math.max(0, ...accepted.map((other) => jaccardIndex(shinglesOf(text), shinglesOf(other))));
        const taken = duplicates.take(place, { instruction: text, condition: answer });
        expect(taken).toBe(closest < 0.8);
        if (taken) accepted.push(text);
      }
    }),
  );
});

test('case, spaces and punctuation make no other task', () => {
  fc.assert(
    fc.property(instruction, fc.constantFrom('.', '!', ' ', '“', '。'), (text, mark) => {
      const duplicates = new Duplicates();
      expect(duplicates.take(place, { instruction: text, condition: answer })).toBe(true);
      const same = `${mark} ${text.toUpperCase().replaceAll(' ', `${mark}  `)}${mark}`;
      expect(duplicates.take(place, { instruction: same, condition: answer })).toBe(false);
    }),
  );
});

test('the same changes in another order are the same goal, whatever the words', () => {
  const changes = [
    { path: '/a', value: 1 },
    { path: '/b', value: 2 },
  ];
  const duplicates = new Duplicates();
  const take = (text: string, of: typeof changes, at = place) =>
    duplicates.take(at, { instruction: text, condition: { kind: 'changes', changes: of } });
  expect(take('put one into the first', changes)).toBe(true);
  expect(take('let there be two of something else', [...changes].reverse())).toBe(false);
  expect(take('an entirely different wording', changes, { ...place, url: 'https://example.com' })).toBe(true);
});

const store = { mails: { m1: { starred: false, labels: ['a'] } }, labels: ['a', 'b'], 'x/y': 1 };

test('changes are applied to a copy', () => {
  const changes = [
    { path: '/mails/m1/starred', value: true },
    { path: '/mails/m1/labels/-', value: 'b' },
    { path: '/mails/new1', value: { starred: false } },
    { path: '/labels/0', remove: true as const },
    { path: '/x~1y', value: 2 },
  ];
  expect(applyChanges(store, changes)).toEqual({
    store: {
      mails: { m1: { starred: true, labels: ['a', 'b'] }, new1: { starred: false } },
      labels: ['b'],
      'x/y': 2,
    },
  });
  expect(store.labels).toEqual(['a', 'b']);
});

test.each([
  [{ path: '/mails/m2/starred', value: true }, 'there is no "m2"'],
  [{ path: '/mails/m1/starred', value: 'yes' }, 'is a boolean'],
  [{ path: '/mails/m1/starred/on', value: 1 }, 'has no children'],
  [{ path: '/labels/7', value: 'c' }, 'past the end'],
  [{ path: '/labels/length', value: 0 }, 'past the end'],
  [{ path: '/mails/m3', remove: true as const }, 'does not exist'],
  [{ path: '/__proto__', value: {} }, 'not a valid name'],
  [{ path: '/__proto__/polluted', value: 1 }, 'there is no'],
])('%j does not fit', (change, why) => {
  expect(applyChanges(store, [change])).toEqual({ unfit: expect.stringContaining(why) as string });
  expect({}).not.toHaveProperty('polluted');
});
