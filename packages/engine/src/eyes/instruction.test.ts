import { expect, it } from 'vitest';
import { instructionTokens, maxInstructionTokens } from './instruction.js';

const short = (instruction: string) =>
  instructionTokens(instruction).map(({ text, kind }) => `${kind[0]}${kind.endsWith('Word') ? 'w' : ''} ${text}`);

it('splits words, and takes a quoted string as one token, then as its words', () => {
  expect(short('Press "Save all", then wait.')).toEqual([
    'p Press',
    'q Save all',
    'qw Save',
    'qw all',
    'p then',
    'p wait.',
  ]);
  expect(short('press “ctrl+c”')).toEqual(['p press', 'q ctrl+c', 'qw ctrl', 'qw c']);
  expect(short('type ""')).toEqual(['p type']);
});

it('splits Chinese by character, and knows its quotation marks', () => {
  expect(short('点击「保存」')).toEqual(['p 点', 'p 击', 'q 保存']);
});

it('does not list the words of a long quotation', () => {
  expect(short('type "a b c d e"')).toEqual(['p type', 'q a b c d e']);
});

it('drops punctuation, and cuts long instructions', () => {
  expect(short('a, b; c: d')).toEqual(['p a', 'p b', 'p c:', 'p d']);
  expect(instructionTokens('word '.repeat(200))).toHaveLength(maxInstructionTokens);
});

it('takes names and numbers without quotes as tokens that can be copied', () => {
  expect(short('In which year was Mount Dalerone first climbed?')).toEqual([
    ...['p In', 'p which', 'p year', 'p was', 'p Mount', 'p Dalerone', 'n Mount Dalerone', 'p first', 'p climbed'],
    'p ?',
  ]);
  expect(short('How large is Venerone.').at(-1)).toBe('n Venerone');
  expect(
    short('Of the Iron Bridge of Fioriseto and the University of Luona').filter((text) => text.startsWith('n')),
  ).toEqual(['n Iron Bridge of Fioriseto', 'n University of Luona']);
  expect(short('Order 2 for "Ann", 40856 Redwood: code GO9556.')).toEqual([
    ...['p Order', 'p 2', 'p for', 'q Ann', 'n 40856', 'n Redwood', 'p code', 'n GO9556'],
  ]);
  expect(short('Press it. Wait')).toEqual(['p Press', 'p it.', 'p Wait']);
});
