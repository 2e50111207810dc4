import { expect, it } from 'vitest';
import { pointedTexts } from './pointedTexts.js';
import { context, lineOf, screenWith } from './scene.test.fixture.js';
import { sceneOf } from './sceneTokens.js';
import { textTokens } from './screenTokens.js';

const textsAt = (x: number, y: number, lines: ReturnType<typeof lineOf>[]) =>
  pointedTexts(lines, textTokens(lines, []), [{ x, y }]).map(({ text }) => text);

it('adds the word at a point of a line, and runs of words with their middle there', () => {
  const line = lineOf('one two three four five', 10, 10);
  // "three" covers 58 to 88 px.
  expect(textsAt(73, 16, [line])).toEqual(['two three four', 'three']);
  expect(textsAt(60, 16, [line])).toContain('three');
  const [three] = pointedTexts([lineOf('one three', 10, 10)], [], [{ x: 49, y: 16 }]);
  expect(three).toMatchObject({ text: 'three', kind: 'span' });
  expect(three!.box.x).toBeGreaterThan(10 + 3 * 6);
});

it('adds nothing for a line of one word, nor where no line is', () => {
  expect(textsAt(20, 16, [lineOf('Save', 10, 10)])).toEqual([]);
  expect(textsAt(20, 60, [lineOf('two words', 10, 10)])).toEqual([]);
  expect(textsAt(90, 16, [lineOf('two words', 10, 10)])).toEqual([]);
  expect(pointedTexts([lineOf('two words', 10, 10)], [], [])).toEqual([]);
});

it('adds the whole of a line that is cut at wide gaps, if its middle is named', () => {
  expect(textsAt(46, 16, [lineOf('Net    total', 10, 10)])).toContain('Net    total');
});

it('joins the lines of a paragraph', () => {
  const paragraph = [lineOf('The ivory of', 10, 10), lineOf('smile is', 10, 24), lineOf('valley', 10, 38)];
  const [far, beside] = [lineOf('far', 10, 90), lineOf('other', 90, 24)];
  const texts = textsAt(40, 30, [...paragraph, far, beside]);
  expect(texts).toContain('The ivory of smile is valley');
  expect(texts.some((text) => /far|other/.test(text))).toBe(false);
  // The middle of the first two lines.
  expect(textsAt(40, 23, [...paragraph, far])).toEqual(expect.arrayContaining(['The ivory of smile is']));
});

it('joins centred lines, and Chinese without a space', () => {
  expect(textsAt(60, 23, [lineOf('Save all', 36, 10), lineOf('now', 51, 24)])).toContain('Save all now');
  const chinese = [lineOf('没有文', 10, 10, { pitch: 12 }), lineOf('中的', 10, 24, { pitch: 12 })];
  expect(textsAt(28, 23, chinese)).toContain('没有文中的');
});

it('does not join lines of other sizes', () => {
  const title = lineOf('Big title', 10, 4, { pitch: 12, height: 26 });
  expect(textsAt(40, 36, [title, lineOf('small text', 10, 31)]).some((text) => text.includes('title'))).toBe(false);
});

it('makes them tokens of a scene whose instruction names a point', () => {
  const shot = screenWith('row', [lineOf('left right', 10, 20)]);
  const texts = (instruction: string) =>
    sceneOf(shot, { ...context, instruction }).screen.flatMap(({ text }) => (text === '' ? [] : [text]));
  expect(texts('read the text at <point>599 406</point>')).toEqual(['left right', 'right']);
  expect(texts('read the text')).toEqual(['left right']);
});
