import type { PixelBox } from '@gyre/protocol';
import { expect, it } from 'vitest';
import { textSize } from '../nano/vocabulary.js';
import { acceptedTurn } from './acceptedTurn.js';
import { context, lineOf, lines, screen, screenWith, size } from './scene.test.fixture.js';
import { sceneOf } from './sceneTokens.js';

const scene = sceneOf(screen, context, 1);
const { vocabulary } = scene;
const pointAt = (x: number, y: number) => ({ x: x / size.width, y: y / size.height });
const named = { random: () => 0.9 };
const spelt = { random: () => 0.01 };
const save = lines[2]!.box;
const middleOf = ({ x, y, width, height }: PixelBox) => pointAt(x + width / 2, y + height / 2);
const click = { type: 'click', point: middleOf(save) } as const;

it('accepts every token and cell within the element that a click hits', () => {
  const { action, equals } = acceptedTurn(scene, click, { ...named, targets: [save] });
  expect(action).toHaveLength(2);
  const accepted = equals[1]!;
  expect(accepted).toContain(action[1]);
  const targets = accepted
    .filter((token) => token >= vocabulary.target(0))
    .map((token) => token - vocabulary.target(0));
  expect(targets.length).toBeGreaterThan(0);
  for (const i of targets) {
    const { x, y, width, height } = scene.screen[i]!.box!;
    expect(x + width / 2).toBeGreaterThan(save.x);
    expect(x + width / 2).toBeLessThan(save.x + save.width);
    expect(y + height / 2).toBeGreaterThan(save.y);
    expect(y + height / 2).toBeLessThan(save.y + save.height);
  }
  expect(scene.screen[targets[0]!]?.text).toBe('Save');
  // 24 x 12 px hold the middles of cells of 8 px in two columns or three, and one row or two.
  const cells = accepted.filter((token) => token >= textSize && token < textSize + vocabulary.grid.cells);
  expect(cells.length).toBeGreaterThanOrEqual(3);
  for (const token of accepted) expect(vocabulary.allows('point', token)).toBe(true);
  const decoded = vocabulary.decode(action);
  expect(decoded.action).toMatchObject({ type: 'click' });
});

it('sometimes spells a cell and any subdivision within the element', () => {
  const { action, equals } = acceptedTurn(scene, click, { ...spelt, targets: [save] });
  expect(action).toHaveLength(3);
  expect(vocabulary.allows('offset', action[2]!)).toBe(true);
  expect(equals[2]!.length).toBeGreaterThan(1);
  const decoded = vocabulary.decode(action).action;
  if (decoded.type !== 'click') throw new Error('not a click');
  expect(decoded.point.x * size.width).toBeGreaterThan(save.x);
  expect(decoded.point.x * size.width).toBeLessThan(save.x + save.width);
});

it('spells a point where nothing is, without a known element', () => {
  const { action, equals } = acceptedTurn(scene, { type: 'click', point: pointAt(90, 60) }, named);
  expect(action).toHaveLength(3);
  expect(equals[1]).toBeUndefined();
  expect(vocabulary.decode(action).action).toMatchObject({
    point: { x: expect.closeTo(90 / size.width, 1), y: expect.closeTo(60 / size.height, 1) },
  });
});

it('accepts the elements of both ends of a drag', () => {
  const [from, to] = [lines[0]!.box, lines[1]!.box];
  const drag = { type: 'drag', start: middleOf(from), end: middleOf(to) } as const;
  const { action, equals } = acceptedTurn(scene, drag, { ...named, targets: [from, to] });
  expect(action).toHaveLength(3);
  const texts = [1, 2].map((i) => scene.screen[action[i]! - vocabulary.target(0)]?.text);
  expect(texts).toEqual(['Apple', 'Pear']);
  expect(equals.slice(1).every((good) => good && good.length > 1)).toBe(true);
});

it('accepts only the place where another part of an element than its middle was aimed at', () => {
  const aside = { type: 'click', point: pointAt(save.x + 3, save.y + 6) } as const;
  const { action, equals } = acceptedTurn(scene, aside, { ...named, targets: [save] });
  expect(action).toHaveLength(3);
  const { action: decoded } = vocabulary.decode(action);
  expect(decoded).toMatchObject({ point: { x: expect.closeTo((save.x + 3) / size.width, 1) as number } });
  const whole = acceptedTurn(scene, click, { ...named, targets: [save] }).equals[1] ?? [];
  expect(equals[1]?.length ?? 1).toBeLessThan(whole.length);
});

it('accepts the whole element for its menu, and the whole word for a double click', () => {
  const aside = pointAt(save.x + 3, save.y + 6);
  const anywhere = acceptedTurn(scene, click, { ...named, targets: [save] }).equals[1] ?? [];
  const menu = acceptedTurn(scene, { type: 'right_click', point: aside }, { ...named, targets: [save] });
  expect(new Set(menu.equals[1])).toEqual(new Set(anywhere));
  const word = acceptedTurn(scene, { type: 'double_click', point: aside }, { ...named, targets: [null] });
  expect(new Set(word.equals[1])).toEqual(new Set(anywhere));
});

it('copies a text from the instruction or the screen, whichever', () => {
  const { action, equals } = acceptedTurn(scene, { type: 'type', text: 'Pear' }, named);
  expect(action).toHaveLength(3);
  expect(equals[1]?.map((token) => vocabulary.copies[token - vocabulary.copy(0)])).toEqual(['Pear', 'Pear']);
  expect(vocabulary.decode(action).action).toEqual({ type: 'type', text: 'Pear' });
  const entered = acceptedTurn(scene, { type: 'type', text: 'Pear\n' }, named).action;
  expect(entered.slice(0, 2)).toEqual(action.slice(0, 2));
  expect(vocabulary.decode(entered).action).toEqual({ type: 'type', text: 'Pear\n' });
});

it('copies what was misread only if nothing is exact', () => {
  const misread = sceneOf(screenWith('misread', [lineOf('T0tal 1', 4, 4)]), { instruction: 'copy it', past: [] });
  const { action, equals } = acceptedTurn(misread, { type: 'type', text: 'Total 1' }, named);
  expect(misread.vocabulary.decode(action).action).toEqual({ type: 'type', text: 'T0tal 1' });
  expect(equals).toEqual([undefined, undefined, undefined]);
});

it('copies a misread text from its place only, and no text that stands nowhere', () => {
  const [here, there] = [lineOf('T0tal 1', 4, 4), lineOf('TOTAL1', 4, 40)];
  const misread = sceneOf(screenWith('places', [here, there]), { instruction: 'read it', past: [] });
  const answer = { type: 'finished', answer: 'Total 1' } as const;
  const { action, equals } = acceptedTurn(misread, answer, { ...named, source: here.box });
  expect(misread.vocabulary.decode(action).action).toEqual({ type: 'finished', answer: 'T0tal 1' });
  expect(equals).toEqual([undefined, undefined]);
  expect(() => acceptedTurn(misread, answer, { ...named, source: { x: 60, y: 4, width: 20, height: 12 } })).toThrow(
    expect.objectContaining({ code: 'bad_input', detail: { field: 'source' } }),
  );
  expect(acceptedTurn(misread, answer, { ...named, source: null }).action).toEqual(misread.vocabulary.encode(answer));
});

it('copies a combination of keys that is written in the instruction or on the screen', () => {
  const context = { instruction: 'press "Ctrl+S"', past: [] };
  const shows = sceneOf(screenWith('keys', [lineOf('Ctrl+S', 4, 4), lineOf('Alt+S', 4, 40)]), context);
  const { action, equals } = acceptedTurn(shows, { type: 'hotkey', keys: 'ctrl s' }, named);
  const copied = equals[1]?.map((token) => shows.vocabulary.copies[token - shows.vocabulary.copy(0)]);
  expect(copied).toEqual(['Ctrl+S', 'Ctrl+S']);
  expect(shows.vocabulary.decode(action).action).toEqual({ type: 'hotkey', keys: 'ctrl s' });
  const spelt = acceptedTurn(shows, { type: 'hotkey', keys: 'ctrl c' }, named).action;
  expect(spelt).toEqual(shows.vocabulary.encode({ type: 'hotkey', keys: 'ctrl c' }));
  // Nothing else on a screen is a combination.
  expect(vocabulary.ranges('keysStart')).toEqual(vocabulary.ranges('key'));
});

it('spells other texts, answers and keys', () => {
  const texts = [
    { type: 'type', text: 'plum' },
    { type: 'type', text: '' },
    { type: 'finished', answer: 'yes' },
    { type: 'finished' },
    { type: 'hotkey', keys: 'ctrl c' },
    { type: 'press', key: 'enter' },
    { type: 'scroll', direction: 'down' },
  ] as const;
  for (const action of texts) {
    const { action: tokens, equals } = acceptedTurn(scene, action, { ...named, thought: 'click the menu' });
    expect(tokens).toEqual(vocabulary.encode(action, 'click the menu'));
    expect(equals.every((good) => good === undefined)).toBe(true);
    expect(vocabulary.decode(tokens)).toEqual({ action, thought: 'click the menu' });
  }
});

it('refuses characters that it can neither spell nor copy', () => {
  expect(() => acceptedTurn(scene, { type: 'type', text: '☃' }, named)).toThrow(
    expect.objectContaining({ code: 'bad_input' }),
  );
  const shows = sceneOf(screen, { instruction: 'type "☃"', past: [] });
  const { action } = acceptedTurn(shows, { type: 'type', text: '☃' }, named);
  expect(shows.vocabulary.decode(action).action).toEqual({ type: 'type', text: '☃' });
});
