import { type Arrow, arrows, stepOf } from '../rules/arrows.js';

/** The edge is all wall, so steps stay on the grid. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
  /** `#` wall, `.` target, space floor. */
  readonly cells: string;
}

export const isWall = ({ cells }: Room, cell: number): boolean => cells[cell] === '#';
export const isTarget = ({ cells }: Room, cell: number): boolean => cells[cell] === '.';

export const targetsOf = ({ cells }: Room): number[] =>
  [...cells].flatMap((cell, index) => (cell === '.' ? [index] : []));

/** Walking distances from `start`; -1 if unreachable. */
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

/** Pushes of a lone box, by target and cell; Infinity if impossible. */
export function pushesTo(room: Room): number[][] {
  return targetsOf(room).map((target) => {
    const pushes = new Array<number>(room.cells.length).fill(Infinity);
    pushes[target] = 0;
    const queue = [target];
    for (const cell of queue) {
      for (const arrow of arrows) {
        const step = stepOf(arrow, room.columns);
        // The worker stood beyond `before`.
        const before = cell - step;
        if (isWall(room, before) || isWall(room, before - step) || pushes[before] !== Infinity) continue;
        pushes[before] = pushes[cell]! + 1;
        queue.push(before);
      }
    }
    return pushes;
  });
}

/** Minimum total over assignments of boxes to targets. */
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

/** Stays sorted. */
export const moved = (boxes: readonly number[], from: number, to: number): number[] =>
  boxes.map((box) => (box === from ? to : box)).sort((a, b) => a - b);

/** Returns whether a box is in an immovable square with a box off target. */
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

export function firstStep(room: Room, boxes: readonly number[], from: number, to: number): Arrow | undefined {
  const steps = walk(room, boxes, to);
  return arrows.find((arrow) => {
    const next = from + stepOf(arrow, room.columns);
    return steps[next] !== -1 && steps[next] === steps[from]! - 1;
  });
}
