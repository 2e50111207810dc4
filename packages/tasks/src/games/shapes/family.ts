import type { Random } from '../../family/random.js';
import { gameFamily } from '../gameFamily.js';
import { type Plane, beside, sides } from '../rules/sides.js';
import { type PlacedShape, type ShapesLevel, shapesGame } from './rules.js';
import { type Shape, extentOf, inOrder, turnedShape } from './shape.js';

/** `cells`: per shape. */
const plans = [
  { columns: 5, rows: 4, shapes: 3, cells: [3, 4], isTurned: false },
  { columns: 6, rows: 5, shapes: 5, cells: [3, 5], isTurned: false },
  { columns: 6, rows: 5, shapes: 5, cells: [4, 5], isTurned: true },
  { columns: 7, rows: 5, shapes: 7, cells: [4, 5], isTurned: true },
  { columns: 8, rows: 6, shapes: 9, cells: [4, 5], isTurned: true },
] as const;

export const shapesFamily = gameFamily({
  game: shapesGame,
  description: 'Drag shapes from a tray into a silhouette until it is filled.',
  level(random, difficulty) {
    const plan = plans[difficulty - 1] ?? plans[0];
    for (;;) {
      const level = cutOut(random, difficulty, plan);
      if (level) return level;
    }
  },
  // Turned shapes are the same silhouette.
  nameOf: ({ columns, silhouette }) => `${columns}/${silhouette.join('.')}`,
  wordings: {
    en: [
      'drag the shapes into the silhouette until it is filled; click one in the tray to turn it',
      'fill the dark figure with all the pieces; a click turns a piece in the tray',
      'fit every shape into the outline, turning some by clicks in the tray',
      'complete the figure with all pieces and leave no hole; a piece turns when it is clicked in the tray',
    ],
    zh: [
      '把图形拖进轮廓，直到填满；点击托盘里的图形可旋转',
      '用所有拼块填满图形，点击可旋转',
      '拼好图形，不留空格；在托盘中点击拼块使其旋转',
    ],
  },
  maxMoves: 80,
});

/** Lays shapes side by side as the silhouette; undefined if one finds no room. */
function cutOut(random: Random, difficulty: number, plan: (typeof plans)[number]): ShapesLevel | undefined {
  const { columns, rows } = plan;
  const taken = new Set<number>();
  const pieces: number[][] = [];
  while (pieces.length < plan.shapes) {
    const piece = grown(random, { columns, rows }, taken, random.between(plan.cells[0], plan.cells[1]));
    if (!piece) return undefined;
    pieces.push(piece);
    for (const place of piece) taken.add(place);
  }
  const shapes: Shape[] = [];
  const filled: PlacedShape[] = [];
  for (const piece of random.shuffle(pieces)) {
    const [firstColumn, firstRow] = cornerOf(piece, columns);
    const lying = inOrder(
      piece.map((place) => [(place % columns) - firstColumn, Math.floor(place / columns) - firstRow] as const),
    );
    if (extentOf(lying).columns > 4 || extentOf(lying).rows > 4) return undefined;
    // Stored unturned; the solution turns it back.
    const away = plan.isTurned ? random.between(0, 3) : 0;
    shapes.push(turnedShape(lying, away));
    filled.push({ turns: (4 - away) % 4, at: firstRow * columns + firstColumn });
  }
  return { difficulty, columns, rows, silhouette: [...taken].sort((a, b) => a - b), shapes, filled };
}

/** Grows a connected piece close to taken cells; undefined if there are too few. */
function grown(random: Random, plane: Plane, taken: ReadonlySet<number>, cells: number): number[] | undefined {
  const piece: number[] = [];
  const neighbours = (place: number) => sides.flatMap((side) => beside(plane, place, side) ?? []);
  /** Filling corners avoids holes. */
  const closeness = (place: number) =>
    4 -
    neighbours(place).length +
    neighbours(place).filter((other) => taken.has(other) || piece.includes(other)).length;
  const middle = Math.floor(plane.rows / 2) * plane.columns + Math.floor(plane.columns / 2);
  while (piece.length < cells) {
    const around = piece.length > 0 ? piece : [...taken];
    const open = around.flatMap(neighbours).filter((place) => !taken.has(place) && !piece.includes(place));
    const choice = around.length === 0 ? [middle] : [...new Set(open)];
    if (choice.length === 0) return undefined;
    const worth = new Map(choice.map((place) => [place, closeness(place) + 1.6 * random.next()]));
    piece.push(choice.reduce((best, place) => ((worth.get(place) ?? 0) > (worth.get(best) ?? 0) ? place : best)));
  }
  return piece;
}

const cornerOf = (piece: readonly number[], columns: number): [number, number] => [
  Math.min(...piece.map((place) => place % columns)),
  Math.min(...piece.map((place) => Math.floor(place / columns))),
];
