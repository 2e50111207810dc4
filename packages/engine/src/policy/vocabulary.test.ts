import { type Action, actionTypes } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextTokens } from './context.js';
import { Vocabulary, keys } from './vocabulary.js';

const vocabulary = new Vocabulary({ columns: 20, rows: 10 });
const centre = fc
  .record({ column: fc.nat({ max: 19 }), row: fc.nat({ max: 9 }) })
  .map(({ column, row }) => ({ x: (column + 0.5) / 20, y: (row + 0.5) / 10 }));
const text = fc.string({ maxLength: 10 }).filter((value) => /^[ -~]*$/.test(value));
const key = fc.constantFrom(...keys);

const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constantFrom('click' as const, 'double_click' as const, 'mouse_move' as const), point: centre }),
  fc.record({ type: fc.constantFrom('drag' as const, 'swipe' as const), start: centre, end: centre }),
  fc.record({ type: fc.constant('type' as const), text }),
  fc.record({ type: fc.constant('hotkey' as const), keys: key }),
  fc.record({ type: fc.constantFrom('press' as const, 'release' as const), key }),
  fc.record({
    type: fc.constant('scroll' as const),
    direction: fc.constantFrom('up' as const, 'left' as const),
    point: centre,
  }),
  fc.record({
    type: fc.constantFrom('wait' as const, 'finished' as const, 'navigate_back' as const, 'call_user' as const),
  }),
);

describe('the vocabulary', () => {
  it('gives back every action that it can write', () => {
    fc.assert(
      fc.property(actions, (action) => {
        const tokens = vocabulary.encode(action);
        expect(vocabulary.next(tokens)).toBeUndefined();
        expect(vocabulary.decode(tokens)).toEqual(action);
      }),
    );
  });

  it('has a function token for every canonical action, and asks for its arguments one by one', () => {
    const { first, last } = vocabulary.range('function');
    expect(last - first + 1).toBe(actionTypes.length);
    const tokens = vocabulary.encode({ type: 'scroll', direction: 'up', point: { x: 0.1, y: 0.1 } });
    expect(tokens.map((_, i) => vocabulary.next(tokens.slice(0, i)))).toEqual(['function', 'direction', 'point']);
  });

  it('never takes a wrong token for an action', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: vocabulary.size }), { maxLength: 4 }), (tokens) => {
        try {
          vocabulary.decode(tokens);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_input' });
        }
      }),
    );
  });

  it('spells quoted words by letters that know their place and what they are there for', () => {
    const tokens = contextTokens(vocabulary, 'tick "ab" and type "cd"', []);
    const letters = tokens.filter(({ slot }) => slot > 0);
    expect(letters.map(({ slot }) => slot)).toEqual([1, 2, 1, 2]);
    expect(letters.map(({ role }) => role)).toEqual([
      vocabulary.word('tick'),
      vocabulary.word('tick'),
      vocabulary.word('type'),
      vocabulary.word('type'),
    ]);
  });
});
