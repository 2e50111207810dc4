import type { Random } from '../../family/random.js';
import { arrows, stepOf } from '../rules/arrows.js';
import type { LevelSnake } from './rules.js';

interface Size {
  readonly columns: number;
  readonly rows: number;
  readonly fruit: number;
  readonly moves: readonly [number, number];
}

/** Includes outer walls. */
const sizes: readonly Size[] = [
  { columns: 8, rows: 6, fruit: 1, moves: [4, 8] },
  { columns: 8, rows: 7, fruit: 2, moves: [8, 16] },
  { columns: 9, rows: 8, fruit: 2, moves: [12, 22] },
  { columns: 10, rows: 8, fruit: 3, moves: [18, 34] },
  { columns: 11, rows: 9, fruit: 4, moves: [25, 55] },
];

const sizeOf = (difficulty: number): Size => sizes[difficulty - 1] ?? sizes[0]!;

/** Returns whether a solution's length suits the difficulty. */
export function suitsDifficulty({ difficulty }: LevelSnake, moves: number): boolean {
  const [minMoves, maxMoves] = sizeOf(difficulty).moves;
  return moves >= minMoves && moves <= maxMoves;
}

/** Draws a level, which may be unsolvable; from difficulty 2, half have gravity. */
export function drawSnake(random: Random, difficulty: number): LevelSnake {
  const size = sizeOf(difficulty);
  const gravity = difficulty > 1 && random.chance(0.5);
  for (;;) {
    const cells = gravity ? drawLedges(random, size) : drawGarden(random, size);
    const body = drawBody(random, cells, size, gravity);
    if (!body) continue;
    const free = random.shuffle(cellsOf(cells, ' ').filter((cell) => !body.includes(cell)));
    if (free.length <= size.fruit + 4) continue;
    const exit = free[size.fruit]!;
    const { columns, rows } = size;
    return { difficulty, columns, rows, cells, gravity, body, fruit: free.slice(0, size.fruit), exit };
  }
}

const cellsOf = (cells: string, kind: string): number[] =>
  [...cells].flatMap((cell, index) => (cell === kind ? [index] : []));

const isInside = (cell: number, { columns, rows }: Size): boolean => {
  const [column, row] = [cell % columns, Math.floor(cell / columns)];
  return column > 0 && row > 0 && column < columns - 1 && row < rows - 1;
};

function drawGarden(random: Random, size: Size): string {
  const density = 0.22 + 0.1 * random.next();
  return Array.from({ length: size.columns * size.rows }, (_, cell) =>
    isInside(cell, size) && !random.chance(density) ? ' ' : '#',
  ).join('');
}

function drawLedges(random: Random, { columns, rows }: Size): string {
  const cells = Array.from({ length: columns * rows }, (_, cell) => {
    if (!isInside(cell, { columns, rows, fruit: 0, moves: [0, 0] })) return '#';
    return cell >= columns * (rows - 2) ? '~' : ' ';
  });
  for (let ledge = 0; ledge < 1 + rows / 2; ledge++) {
    const length = random.between(2, Math.ceil(columns / 2));
    const start = random.between(1, columns - 1 - length);
    const row = random.between(3, rows - 2);
    for (let column = start; column < start + length; column++) cells[row * columns + column] = '#';
    if (random.chance(0.4)) for (let below = row; below < rows - 1; below++) cells[below * columns + start] = '#';
  }
  return cells.join('');
}

/** With gravity, it lies on a ledge. */
function drawBody(random: Random, cells: string, { columns }: Size, gravity: boolean): number[] | undefined {
  const head = random.pick(cellsOf(cells, ' '));
  const body = [head];
  const ways = gravity ? (['ArrowLeft', 'ArrowRight'] as const) : arrows;
  const direction = random.pick(ways);
  while (body.length < 3) {
    const next = body.at(-1)! + stepOf(gravity ? direction : random.pick(ways), columns);
    if (cells[next] !== ' ' || body.includes(next)) return undefined;
    body.push(next);
  }
  return gravity && !body.some((cell) => cells[cell + columns] === '#') ? undefined : body;
}
