import type { AgentAction, TextLine } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { turnWords } from './actionWords.js';

const size = { width: 200, height: 100 };
const line = (text: string, x: number, y: number, width = 40): TextLine => ({
  ...{ text, box: { x, y, width, height: 10 }, centres: [] },
});
const reading = {
  reader: 'test',
  lines: [line('Save', 20, 20), line('Save as a copy of the other document, in a folder', 20, 60, 150)],
};
const wordsOf = (actions: AgentAction[], more: Partial<Parameters<typeof turnWords>[0]> = {}) =>
  turnWords({ actions, reading, ...more }, size);

test('an action names the text that it aims at', () => {
  const save = { x: 0.2, y: 0.25 };
  expect(wordsOf([{ type: 'click', point: save }])).toEqual(['click “Save”']);
  // The edge of its button.
  expect(wordsOf([{ type: 'double_click', point: { x: 0.2, y: 0.16 } }])).toEqual(['double click “Save”']);
  expect(wordsOf([{ type: 'scroll', point: save, direction: 'down' }])).toEqual(['scroll down at “Save”']);
  expect(wordsOf([{ type: 'drag', start: save, end: { x: 0.2, y: 0.65 } }])).toEqual([
    'drag “Save” → “Save as a copy of the other document, i…”',
  ]);
});

test('a place without a text is told in percent, and other actions as always', () => {
  expect(
    wordsOf([
      { type: 'click', point: { x: 0.9, y: 0.05 } },
      { type: 'type', text: 'a' },
    ]),
  ).toEqual([...['click at 90 %, 5 %', 'type "a"']]);
  expect(turnWords({ actions: [{ type: 'click', point: { x: 0.2, y: 0.25 } }] }, size)).toEqual([
    'click at 20 %, 25 %',
  ]);
  expect(wordsOf([{ type: 'scroll', direction: 'up' }])).toEqual(['scroll up']);
});

test('the element that was hit counts before the point', () => {
  const targets = [null, { x: 0, y: 50, width: 200, height: 40 }];
  const actions: AgentAction[] = [
    { type: 'click', point: { x: 0.9, y: 0.05 } },
    { type: 'click', point: { x: 0.95, y: 0.85 } },
  ];
  expect(wordsOf(actions, { targets })).toEqual([
    'click at 90 %, 5 %',
    'click “Save as a copy of the other document, i…”',
  ]);
});
