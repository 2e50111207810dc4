import { Random, vocabularyOf } from '@gyre/engine';
import type { PerceptionSample, Question } from '@gyre/tasks';
import { describe, expect, it } from 'vitest';
import { type QuestionSelection, perceptionDatum } from './perceptionDatum.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);

function sample(...questions: Question[]): PerceptionSample {
  return { pixels: new Uint8Array(160 * 160 * 3), size, glyphs: [], elements: [], questions };
}
const click = (boxes: { x: number; y: number; width: number; height: number }[], thought?: string): Question => ({
  kind: 'label',
  instruction: 'press "save"',
  ...(thought !== undefined && { thought }),
  answer: { type: 'point', boxes },
});
const datum = (page: PerceptionSample, selection: QuestionSelection, questions = 3) =>
  perceptionDatum(page, { selection, questions, places: 64, hash: 'x', random: new Random(1) });

describe('perception data', () => {
  it('takes every cell of what is asked for as right, and every place of the cell', () => {
    const { sequences, glyphs } = datum(sample(click([{ x: 16, y: 16, width: 32, height: 32 }])), 'places');
    expect(sequences).toHaveLength(3);
    const cells = [22, 23, 24, 25, 42, 43, 44, 45].map((cell) => vocabulary.cell(cell));
    for (const { action, equals } of sequences) {
      expect(vocabulary.decode(action).action.type).toBe('click');
      expect([...(equals?.[1] ?? [])].sort((a, b) => a - b)).toEqual(cells);
      expect(cells).toContain(action[1]);
      expect(equals?.[2]).toHaveLength(16);
    }
    expect(glyphs?.cells).toHaveLength(64);
  });

  it('points into what is smaller than a cell', () => {
    const box = { x: 33, y: 37, width: 5, height: 6 };
    const { sequences } = datum(sample(click([box])), 'places', 1);
    const { action } = vocabulary.decode(sequences[0]?.action ?? []);
    if (action.type !== 'click') throw new Error(action.type);
    expect(action.point.x * 160).toBeGreaterThanOrEqual(box.x);
    expect(action.point.x * 160).toBeLessThan(box.x + box.width);
    expect(action.point.y * 160).toBeGreaterThanOrEqual(box.y);
    expect(action.point.y * 160).toBeLessThan(box.y + box.height);
  });

  it('keeps what is long apart from what is short', () => {
    const typed: Question = { kind: 'type', instruction: 'type "abc"', answer: { type: 'type', text: 'abc' } };
    const reading: Question = { kind: 'read', instruction: 'read the text', answer: { type: 'text', text: 'Save as' } };
    const page = sample(click([{ x: 0, y: 0, width: 20, height: 20 }], 'the button "save"'), typed, reading);
    const kinds = (selection: QuestionSelection) =>
      new Set(datum(page, selection).sequences.map(({ action }) => vocabulary.decode(action).action.type));
    expect(kinds('places')).toEqual(new Set(['click']));
    expect(kinds('short')).toEqual(new Set(['click', 'type']));
    expect(kinds('texts')).toEqual(new Set(['click', 'type', 'finished']));
    const thoughts = datum(page, 'texts').sequences.map(({ action }) => vocabulary.decode(action).thought);
    expect(thoughts).toContain('the button "save"');
  });

  it('keeps its shape on a page without anything to ask', () => {
    const { sequences, screenshots } = datum(sample(), 'places');
    expect(sequences).toHaveLength(3);
    expect(sequences.flatMap(({ weights }) => weights)).toEqual(new Array(9).fill(0));
    expect(screenshots).toHaveLength(1);
  });

  it('has the screen before a change where that is asked for', () => {
    const before = new Uint8Array(160 * 160 * 3);
    const changed: Question = {
      kind: 'transition',
      instruction: 'say what has changed',
      answer: { type: 'text', text: 'a menu has opened' },
    };
    const page = { ...sample(click([{ x: 0, y: 0, width: 20, height: 20 }]), changed), before };
    expect(datum(page, 'texts').screenshots.map(({ hash }) => hash)).toEqual(['x before', 'x']);
    expect(datum(page, 'places').screenshots.map(({ hash }) => hash)).toEqual(['x']);
  });

  it('leaves out what is longer to say than is asked for', () => {
    const typing = (text: string): Question => ({
      kind: 'read',
      instruction: 'read the text',
      answer: { type: 'text', text },
    });
    const page = sample(typing('ab'), typing('a text of more than ten tokens'));
    const { sequences } = perceptionDatum(page, {
      selection: 'texts',
      questions: 4,
      longest: 10,
      places: 64,
      hash: 'x',
      random: new Random(1),
    });
    expect(new Set(sequences.map(({ action }) => action.length))).toEqual(new Set([vocabulary.quotation('ab').length]));
  });
});
