import type { Random } from '../../family/random.js';
import { arrows, stepOf } from '../rules/arrows.js';
import { type Room, fewestPushes, isWall, moved, pushesTo, targetsOf, walk } from './room.js';
import type { LevelSokoban } from './rules.js';

interface Size {
  readonly columns: number;
  readonly rows: number;
  readonly boxes: number;
  readonly moves: readonly [number, number];
}

/** Includes outer walls. */
const sizes: readonly Size[] = [
  { columns: 7, rows: 6, boxes: 1, moves: [3, 8] },
  { columns: 7, rows: 7, boxes: 2, moves: [8, 18] },
  { columns: 8, rows: 7, boxes: 2, moves: [14, 28] },
  { columns: 9, rows: 8, boxes: 3, moves: [20, 42] },
  { columns: 10, rows: 8, boxes: 3, moves: [32, 60] },
];

const sizeOf = (difficulty: number): Size => sizes[difficulty - 1] ?? sizes[0]!;

/** Returns whether a solution's length suits the difficulty. */
export function suitsDifficulty({ difficulty }: LevelSokoban, moves: number): boolean {
  const [minMoves, maxMoves] = sizeOf(difficulty).moves;
  return moves >= minMoves && moves <= maxMoves;
}

/** Pulls boxes away from their targets, so that the level is solvable. */
export function drawSokoban(random: Random, difficulty: number): LevelSokoban {
  for (;;) {
    const size = sizeOf(difficulty);
    const room = drawRoom(random, size);
    const pulled = room && pull(random, room, difficulty);
    if (room && pulled) return { difficulty, ...room, ...pulled };
  }
}

/** Overlaps rectangles; undefined if the room is too narrow. */
function drawRoom(random: Random, { columns, rows, boxes }: Size): Room | undefined {
  const cells = new Array<string>(columns * rows).fill('#');
  let across = random.between(1, columns - 2);
  let down = random.between(1, rows - 2);
  for (let part = 0; part < 3 + boxes; part++) {
    const [width, height] = random.pick([
      [2, 3],
      [3, 2],
      [3, 3],
      [4, 2],
      [2, 4],
      [1, 4],
      [4, 1],
    ] as const);
    const firstColumn = Math.max(1, Math.min(across - random.between(0, width - 1), columns - 1 - width));
    const firstRow = Math.max(1, Math.min(down - random.between(0, height - 1), rows - 1 - height));
    for (let y = firstRow; y < firstRow + height; y++)
      for (let x = firstColumn; x < firstColumn + width; x++) cells[y * columns + x] = ' ';
    // The next one starts inside this one.
    across = random.between(firstColumn, firstColumn + width - 1);
    down = random.between(firstRow, firstRow + height - 1);
  }
  const floor = cells.flatMap((cell, index) => (cell === ' ' ? [index] : []));
  if (floor.length < 8 + 5 * boxes) return undefined;
  for (const target of random.shuffle(floor).slice(0, boxes)) cells[target] = '.';
  return { columns, rows, cells: cells.join('') };
}

/** Returns the state farthest from the targets. */
function pull(random: Random, room: Room, difficulty: number): { worker: number; boxes: number[] } | undefined {
  const pushes = pushesTo(room);
  let boxes = targetsOf(room);
  const free = [...room.cells].flatMap((cell, index) => (cell === ' ' ? [index] : []));
  let worker = random.pick(free);
  let best: { worker: number; boxes: number[] } | undefined;
  let farthest = 0;
  for (let turn = 0; turn < 8 + 12 * difficulty; turn++) {
    const steps = walk(room, boxes, worker);
    const pulls = boxes.flatMap((box) =>
      arrows.flatMap((arrow) => {
        const step = stepOf(arrow, room.columns);
        const [behind, back] = [box - step, box - 2 * step];
        const can = steps[behind] !== -1 && !isWall(room, back) && !boxes.includes(back);
        return can ? [{ box, behind, back, step }] : [];
      }),
    );
    if (pulls.length === 0) break;
    const chosen = random.pick(pulls);
    ({ behind: worker } = chosen);
    let { box } = chosen;
    // Several cells at once, or the walk would hardly get away.
    for (let length = random.between(1, 3); length > 0; length--) {
      const [to, back] = [box - chosen.step, box - 2 * chosen.step];
      if (isWall(room, back) || boxes.includes(back)) break;
      boxes = moved(boxes, box, to);
      [box, worker] = [to, back];
    }
    const away = fewestPushes(boxes, pushes);
    const none = boxes.every((cell) => room.cells[cell] !== '.');
    if (away >= farthest && none) [best, farthest] = [{ worker, boxes }, away];
  }
  return best;
}
