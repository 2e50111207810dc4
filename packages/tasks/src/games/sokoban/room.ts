import { type Arrow, arrows, stepOf } from '../rules/arrows.js';

/** A room with boxes. Its edge is all wall, so that one step from a cell inside stays on the grid. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
  /** In reading order: `#` wall, `.` target, space floor. */
  readonly cells: string;
}

export const isWall = ({ cells }: Room, cell: number): boolean => cells[cell] === '#';
export const isTarget = ({ cells }: Room, cell: number): boolean => cells[cell] === '.';

export const targetsOf = ({ cells }: Room): number[] =>
  [...cells].flatMap((cell, index) => (cell === '.' ? [index] : []));

/** For each cell the steps to it from `start` around walls and boxes; -1 where there is no way. */
export function walk(room: Room, boxes: readonly number[], start: number): Int16Array {
  const steps = new Int16Array(room.cells.length).fill(-1);
  steps[start] = 0;
  const queue = [start];
  for (const cell of queue) {
    for (const arrow of arrows) {
      const next = cell + stepOf(arrow, room.columns);
      if (steps[next] !== -1 || isWall(room, next) || boxes.includes(next)) continue;
      steps[next] = steps[cell]! + 1;
      queue.push(next);
    }
  }
  return steps;
}

/** For each target the pushes that a lone box needs to it from every cell; Infinity where it cannot be brought there. */
export function pushesTo(room: Room): number[][] {
  return targetsOf(room).map((target) => {
    const pushes = new Array<number>(room.cells.length).fill(Infinity);
    pushes[target] = 0;
    const queue = [target];
    for (const cell of queue) {
      for (const arrow of arrows) {
        const step = stepOf(arrow, room.columns);
        // It came from `before`, pushed by a worker who stood beyond it.
        const before = cell - step;
        if (isWall(room, before) || isWall(room, before - step) || pushes[before] !== Infinity) continue;
        pushes[before] = pushes[cell]! + 1;
        queue.push(before);
      }
    }
    return pushes;
  });
}

/** The fewest pushes by which lone boxes could share the targets out among them; Infinity where they cannot. */
export function fewestPushes(boxes: readonly number[], pushes: readonly (readonly number[])[]): number {
  const taken = new Array<boolean>(pushes.length).fill(false);
  let best = Infinity;
  const assign = (index: number, sum: number) => {
    if (sum >= best) return;
    if (index === boxes.length) {
      best = sum;
      return;
    }
    for (let target = 0; target < pushes.length; target++) {
      if (taken[target]) continue;
      taken[target] = true;
      assign(index + 1, sum + (pushes[target]?.[boxes[index]!] ?? Infinity));
      taken[target] = false;
    }
  };
  assign(0, 0);
  return best;
}

/** The boxes after one of them has moved, in ascending order. */
export const moved = (boxes: readonly number[], from: number, to: number): number[] =>
  boxes.map((box) => (box === from ? to : box)).sort((a, b) => a - b);

/** Whether a box stands in a square of four that nothing can ever be pushed out of, and not all of its boxes are at targets. */
export function isStuck(room: Room, boxes: readonly number[], box: number): boolean {
  for (const down of [-room.columns, room.columns]) {
    for (const across of [-1, 1]) {
      const square = [box, box + across, box + down, box + down + across];
      if (!square.every((cell) => isWall(room, cell) || boxes.includes(cell))) continue;
      if (square.some((cell) => boxes.includes(cell) && !isTarget(room, cell))) return true;
    }
  }
  return false;
}

/** The first step of a shortest walk to a cell. */
export function firstStep(room: Room, boxes: readonly number[], from: number, to: number): Arrow | undefined {
  const steps = walk(room, boxes, to);
  return arrows.find((arrow) => {
    const next = from + stepOf(arrow, room.columns);
    return steps[next] !== -1 && steps[next] === steps[from]! - 1;
  });
}
