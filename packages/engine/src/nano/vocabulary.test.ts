import { actionTypes } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphabet } from './alphabet.js';
import { longestAction, longestContext } from './architecture.js';
import { contextTokens, historyTurns, slots } from './context.js';
import { gridOf, offsets, pointOf } from './grid.js';
import { type NativeAction, tokenClasses } from './grammar.js';
import { keyNames } from './keys.js';
import { Vocabulary } from './vocabulary.js';
import { vocabularyWords } from './words.js';

const grid = gridOf({ width: 320, height: 240 });
const vocabulary = new Vocabulary(grid);
const place = fc
  .record({ cell: fc.nat({ max: grid.cells - 1 }), offset: fc.nat({ max: offsets - 1 }) })
  .map((at) => pointOf(grid, at));
const text = fc.string({ maxLength: 10, unit: fc.constantFrom('\n', ...alphabet) });
const key = fc.constantFrom(...keyNames, 'a', 'z', '7', '/', '+');
const hotkey = fc.array(key, { minLength: 1, maxLength: 3 }).map((names) => names.join(' '));
const prose = fc
  .array(fc.oneof(fc.constantFrom(...vocabularyWords), fc.constantFrom(' ', '  ', '"', '. ', 'Save', '保存', '3')), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
const answer = fc.oneof(text, prose).filter((value) => value !== '');
const seconds = fc.integer({ min: 0, max: 600 }).map((tenths) => tenths / 10);
const button = fc.constantFrom('left' as const, 'middle' as const, 'right' as const);

const actions: fc.Arbitrary<NativeAction> = fc.oneof(
  fc.record({
    type: fc.constantFrom(
      ...(['click', 'right_click', 'double_click', 'middle_click', 'mouse_move', 'long_press'] as const),
    ),
    point: place,
  }),
  fc.record(
    { type: fc.constantFrom('mouse_down' as const, 'mouse_up' as const), point: place, button },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constantFrom('drag' as const, 'swipe' as const), start: place, end: place }),
  fc.record({ type: fc.constant('type' as const), text }),
  fc.record({ type: fc.constant('execute_bash' as const), command: text.filter((value) => value !== '') }),
  fc.record({ type: fc.constant('navigate' as const), url: text.filter((value) => value !== '') }),
  fc.record({ type: fc.constant('open_app' as const), name: text.filter((value) => value !== '') }),
  fc.record({ type: fc.constant('hotkey' as const), keys: hotkey }),
  fc.record({ type: fc.constantFrom('press' as const, 'release' as const), key }),
  fc.record(
    {
      type: fc.constant('scroll' as const),
      direction: fc.constantFrom(...(['up', 'down', 'left', 'right'] as const)),
      point: place,
    },
    { requiredKeys: ['type', 'direction'] },
  ),
  fc.record({ type: fc.constant('wait' as const), seconds }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('finished' as const), answer }, { requiredKeys: ['type'] }),
  fc.record({
    type: fc.constantFrom(...(['screenshot', 'navigate_back', 'press_home', 'press_back', 'call_user'] as const)),
  }),
);

describe('the vocabulary', () => {
  it('gives back every action and thought that it can write, and says class by class what comes next', () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(actions, fc.option(prose, { nil: undefined }), (action, thought) => {
        met.add(action.type);
        const tokens = vocabulary.encode(action, thought);
        expect(vocabulary.decode(tokens)).toEqual({ action, ...(thought !== undefined && { thought }) });
        for (const [i, token] of tokens.entries()) {
          const tokenClass = vocabulary.next(tokens.slice(0, i), true);
          expect(tokenClass && vocabulary.allows(tokenClass, token)).toBe(true);
        }
        expect(vocabulary.next(tokens)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
    expect([...met].sort()).toEqual([...actionTypes, 'execute_bash'].sort());
  });

  it('completes whatever is drawn class by class', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), fc.boolean(), (numbers, commands) => {
        const tokens: number[] = [];
        for (const number of numbers) {
          const tokenClass = vocabulary.next(tokens, commands);
          if (tokenClass === undefined) break;
          const ranges = vocabulary.ranges(tokenClass);
          const texts = tokens.length > 20 && vocabulary.allows(tokenClass, vocabulary.end);
          const { first, last } = ranges[number % ranges.length] ?? { first: 0, last: 0 };
          tokens.push(texts ? vocabulary.end : first + (number % (last - first + 1)));
        }
        expect(() => vocabulary.decode(tokens)).not.toThrow();
      }),
    );
  });

  it('never takes a wrong token for a turn', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: vocabulary.size }), { maxLength: 5 }), (tokens) => {
        try {
          const { action, thought } = vocabulary.decode(tokens);
          expect(vocabulary.decode(vocabulary.encode(action, thought))).toEqual({
            action,
            ...(thought !== undefined && { thought }),
          });
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_input' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is one for all screens but for their cells', () => {
    const larger = new Vocabulary(gridOf({ width: 160, height: 160 }));
    expect(larger.textSize).toBe(vocabulary.textSize);
    expect(larger.size - larger.textSize).toBe(200);
    for (const tokenClass of tokenClasses.filter((name) => !/point/i.test(name))) {
      expect(larger.ranges(tokenClass)).toEqual(vocabulary.ranges(tokenClass));
    }
  });

  it('spells quoted words by letters that know their place and what they are there for', () => {
    const tokens = contextTokens(vocabulary, 'tick "ab" and type "cd" 输入"保存"', []);
    const letters = tokens.filter(({ slot }) => slot > 0);
    expect(letters.map(({ slot }) => slot)).toEqual([1, 2, 1, 2, 1, 1, 1, 2]);
    const roles = letters.map(({ role }) => role);
    expect(roles.slice(0, 4)).toEqual(['tick', 'tick', 'type', 'type'].map((word) => vocabulary.word(word)));
    expect(roles.slice(6)).toEqual([vocabulary.character('入'), vocabulary.character('入')]);
  });

  it('tells of the last command what it has answered, letter by letter, and where none can be given nothing of commands', () => {
    const commandTurn = (command: string, answer: string) => ({
      actions: [{ type: 'execute_bash' as const, command }],
      answer,
    });
    const past = [
      commandTurn('ls', 'notes'),
      commandTurn('cat notes', 'ab'),
      { actions: [{ type: 'press_back' as const }] },
    ];
    const tokens = contextTokens(vocabulary, 'press', past, { commands: true });
    const { start, pad } = vocabulary;
    const [back] = vocabulary.encode({ type: 'press_back' });
    expect(tokens.map(({ token, slot, role, age }) => [token, slot, role, age])).toEqual([
      ...[start, start, vocabulary.word('press')].map((token) => [token, 0, pad, 0]),
      ...[start, start].map((token, index) => [token, 0, pad, 3 - index]),
      [vocabulary.character('a'), 1, start, 2],
      [vocabulary.character('b'), 2, start, 2],
      [back, 0, pad, 1],
    ]);
    expect(contextTokens(vocabulary, 'press', [])).toHaveLength(2);
    const long = contextTokens(vocabulary, 'press', [commandTurn('cat all', 'x'.repeat(99))]);
    expect(long).toHaveLength(3 + slots - 1);
  });

  it('tells of the last turns as many as the model takes', () => {
    const open = { actions: [{ type: 'open_app' as const, name: 'x'.repeat(longestAction - 2) }] };
    const tokens = contextTokens(vocabulary, 'press', Array<typeof open>(historyTurns).fill(open));
    expect(tokens).toHaveLength(2 + 2 * longestAction);
    expect(tokens.slice(2).map(({ age }) => age)).toEqual(
      [2, 1].flatMap((age) => Array<number>(longestAction).fill(age)),
    );
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 9 }), prose, (past, instruction) => {
        const alone = contextTokens(vocabulary, instruction, []);
        const turns = past.map((action) => ({ actions: [action] }));
        const { length } = contextTokens(vocabulary, instruction, turns);
        expect(length).toBeLessThanOrEqual(Math.max(alone.length, longestContext));
      }),
    );
  });

  it('has of the calls of the SDK commands alone', () => {
    expect(() => vocabulary.encode({ type: 'search', query: 'gyre' })).toThrow(/search/);
  });

  it('reads a point of the instruction as the tokens of its place', () => {
    const tokens = contextTokens(vocabulary, 'read the text at <point>250 500</point>', []);
    expect(tokens.slice(-2).map(({ token }) => token)).toEqual(vocabulary.point({ x: 0.25, y: 0.5 }));
  });
});
