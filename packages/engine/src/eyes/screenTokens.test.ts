import { expect, it } from 'vitest';
import { lineOf } from './scene.test.fixture.js';
import { textTokens } from './screenTokens.js';

const cut = (line: ReturnType<typeof lineOf>, quoted: readonly string[] = []) =>
  textTokens([line], quoted).map(({ text, kind }) => [kind, text]);

it('keeps a line of text together', () => {
  expect(cut(lineOf('Travel report', 4, 4))).toEqual([['line', 'Travel report']]);
  expect(cut(lineOf('   ', 4, 4))).toEqual([]);
});

it('cuts a line at wide gaps, where columns of a table are', () => {
  const line = lineOf('Name      Price', 4, 4);
  expect(cut(line)).toEqual([
    ['piece', 'Name'],
    ['piece', 'Price'],
  ]);
  const [first, second] = textTokens([line], []);
  expect(first!.box.x + first!.box.width).toBeLessThan(second!.box.x);
  expect(second!.box.x + second!.box.width).toBeLessThanOrEqual(line.box.x + line.box.width);
});

it('does not take the gaps of a letter-spaced font for columns', () => {
  expect(cut(lineOf('WIDE TITLE', 0, 0, { pitch: 9, height: 14 }))).toEqual([['line', 'WIDE TITLE']]);
});

it('cuts numbers in a row at every space', () => {
  expect(cut(lineOf('26 27 28 1 2', 4, 4)).map(([, text]) => text)).toEqual(['26', '27', '28', '1', '2']);
  expect(cut(lineOf('Room 12 of floor 3', 4, 4)).map(([kind]) => kind)).toEqual(['line', 'span']);
});

it('adds spans for quoted strings within a line, in spite of misread letters', () => {
  const line = lineOf('order no. 4O7l was sent', 10, 4);
  expect(cut(line, ['4071', 'absent', 'x'])).toEqual([
    ['line', 'order no. 4O7l was sent'],
    ['span', '4071'],
  ]);
  const span = textTokens([line], ['4071'])[1]!;
  expect(span.box.x).toBeGreaterThan(10 + 9 * 6);
  expect(span.box.x + span.box.width).toBeLessThan(10 + 16 * 6);
  // A line that is the quoted string needs no span.
  expect(cut(lineOf('Save', 4, 4), ['Save'])).toEqual([['line', 'Save']]);
});

it('adds numbers within a line, and names within prose', () => {
  const spans = (text: string, quoted: readonly string[] = []) =>
    cut(lineOf(text, 4, 4), quoted).flatMap(([kind, span]) => (kind === 'span' ? [span] : []));
  expect(spans('Your code is 59241.')).toEqual(['59241']);
  expect(spans('Total: ¥134.00 (2 pieces)')).toEqual(['¥134.00']);
  expect(spans('She was married to Holerlind Rookercroft in 1887')).toEqual(['1887', 'Holerlind Rookercroft']);
  expect(spans('编号是59241。合计：¥582.50')).toEqual(['59241', '¥582.50']);
  expect(spans('write to ann@example.org.')).toEqual(['ann@example.org']);
  expect(spans('Quarterly Agenda')).toEqual([]);
  expect(spans('59241')).toEqual([]);
  expect(spans('Your code is 59241.', ['59241'])).toEqual(['59241']);
  const [, code] = textTokens([lineOf('Your code is 59241.', 10, 4)], []);
  expect(code!.box.x).toBeGreaterThan(10 + 12 * 6);
  expect(code!.box.x + code!.box.width).toBeLessThanOrEqual(10 + 18.6 * 6);
});
