import { expect, test } from 'vitest';
import { fit } from './fit.js';
import { type ShapesLevel, inTray, shapesGame } from './rules.js';
import { type Shape, turnedShape } from './shape.js';

const corner: Shape = [
  [0, 0],
  [0, 1],
  [1, 1],
];
const dot: Shape = [[0, 0]];

/** A square for a corner and a dot; the known solution has the dot at the upper left. */
const level: ShapesLevel = {
  difficulty: 1,
  columns: 2,
  rows: 2,
  silhouette: [0, 1, 2, 3],
  shapes: [corner, dot],
  filled: [
    { turns: 3, at: 0 },
    { turns: 0, at: 0 },
  ],
};
const start = shapesGame.start(level);

test('shapes are turned clockwise, in the tray only', () => {
  expect(turnedShape(corner, 1)).toEqual([
    [0, 0],
    [1, 0],
    [0, 1],
  ]);
  const turned = shapesGame.move(start, { shape: 0, turn: true }, level);
  expect(turned.laid[0]).toEqual({ turns: 1, at: inTray });
  const laid = shapesGame.move(turned, { shape: 0, at: 0 }, level);
  expect(shapesGame.move(laid, { shape: 0, turn: true }, level)).toBe(laid);
});

test('a shape is laid where all its cells are free, and can be taken back', () => {
  const laid = shapesGame.move(start, { shape: 0, at: 0 }, level);
  expect(shapesGame.status(laid, level)).toMatchObject({ score: 3, progress: 0.75, won: false });
  expect(shapesGame.move(laid, { shape: 1, at: 0 }, level)).toBe(laid);
  expect(shapesGame.move(start, { shape: 0, at: 1 }, level)).toBe(start);
  expect(shapesGame.move(start, { shape: 0, at: 2 }, level)).toBe(start);
  expect(shapesGame.move(laid, { shape: 0, at: inTray }, level)).toEqual(start);
  expect(shapesGame.status(shapesGame.move(laid, { shape: 1, at: 1 }, level), level).won).toBe(true);
});

test('the rest is fitted around what lies; where that cannot be, a shape goes back', () => {
  const laid = shapesGame.move(start, { shape: 0, at: 0 }, level);
  expect(shapesGame.hint(laid, level)).toEqual({ shape: 1, at: 1 });
  const row: ShapesLevel = {
    ...level,
    columns: 3,
    rows: 1,
    silhouette: [0, 1, 2],
    shapes: [
      turnedShape(
        [
          [0, 0],
          [0, 1],
        ],
        1,
      ),
      dot,
    ],
    filled: [
      { turns: 0, at: 0 },
      { turns: 0, at: 2 },
    ],
  };
  const wrong = shapesGame.move(shapesGame.start(row), { shape: 1, at: 1 }, row);
  expect(shapesGame.hint(wrong, row)).toEqual({ shape: 1, at: inTray });
});

test('the solver covers every place once, or says that it cannot', () => {
  expect(fit(level, [0, 1, 2, 3], [0, 1])?.length).toBe(2);
  expect(fit(level, [0, 1, 2], [0, 1])).toBeUndefined();
  expect(fit({ columns: 4, shapes: [corner] }, [0, 1, 2], [0])).toBeUndefined();
});
