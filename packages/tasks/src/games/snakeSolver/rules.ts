import { type Arrow, arrows, stepOf } from '../rules/arrows.js';
import type { Game } from '../game.js';
import { Plans, type Space, perLevel } from '../solving/shortestPath.js';

/**
 * A snake that moves one cell with each key, and never by itself. It grows by one cell with each fruit; when it has eaten all of them,
 * the exit lets its head out. It cannot go into walls, water or itself; the cell that its tail leaves with the same move is free. In a
 * level with gravity it falls until something below one of its cells holds it: a wall or a fruit. What falls into the water can only
 * take moves back.
 */
export interface LevelSnake extends Lying {
  readonly difficulty: number;
  readonly columns: number;
  readonly rows: number;
  /** In reading order: `#` wall, `~` water, space nothing. The edge is all wall. */
  readonly cells: string;
  readonly gravity: boolean;
  readonly exit: number;
}

/** Where things are. */
interface Lying {
  /** The snake's cells, its head first. */
  readonly body: readonly number[];
  /** What it has not eaten. */
  readonly fruit: readonly number[];
}

export interface StateSnake extends Lying {
  /** It fell into the water. */
  readonly sunk: boolean;
  /** What can be taken back, the last at the end. */
  readonly past: readonly Lying[];
}

export type MoveSnake = Arrow | 'undo' | 'restart';

/** States that the scripted solution looks at before it gives up. */
const most = 4000;

/** From so many moves on that would have to be taken back, starting again is quicker. */
const mostUndone = 6;

const isOut = ({ body, fruit }: Lying, { exit }: LevelSnake): boolean => fruit.length === 0 && body[0] === exit;

/** Where things are after a step; undefined where it is not allowed. */
function step({ body, fruit }: Lying, arrow: Arrow, level: LevelSnake): (Lying & { sunk: boolean }) | undefined {
  const to = body[0]! + stepOf(arrow, level.columns);
  if (level.cells[to] !== ' ') return undefined;
  const eats = fruit.includes(to);
  const rest = eats ? body : body.slice(0, -1);
  if (rest.includes(to)) return undefined;
  const after = { body: [to, ...rest], fruit: eats ? fruit.filter((cell) => cell !== to) : fruit, sunk: false };
  return level.gravity ? fallen(after, level) : after;
}

function fallen(lying: Lying & { sunk: boolean }, level: LevelSnake): Lying & { sunk: boolean } {
  let { body } = lying;
  const holds = (cell: number) => level.cells[cell] === '#' || lying.fruit.includes(cell);
  while (!isOut({ ...lying, body }, level) && !body.some((cell) => holds(cell + level.columns))) {
    body = body.map((cell) => cell + level.columns);
    if (body.some((cell) => level.cells[cell] === '~')) return { ...lying, body, sunk: true };
  }
  return { ...lying, body };
}

export const snakeSolver: Game<LevelSnake, StateSnake, MoveSnake> = {
  name: 'snakeSolver',
  version: 1,
  start: ({ body, fruit }) => ({ body, fruit, sunk: false, past: [] }),
  move(state, move, level) {
    const last = state.past.at(-1);
    if (move === 'undo') return last ? { ...last, sunk: false, past: state.past.slice(0, -1) } : state;
    if (move === 'restart') return last ? this.start(level) : state;
    const after = state.sunk ? undefined : step(state, move, level);
    return after ? { ...after, past: [...state.past, { body: state.body, fruit: state.fruit }] } : state;
  },
  standing(state, level) {
    const won = isOut(state, level) && !state.sunk;
    const parts = level.fruit.length + 1;
    const score = level.fruit.length - state.fruit.length + (won ? 1 : 0);
    return { score, progress: score / parts, won, over: won, lives: 1 };
  },
  hint(state, level) {
    const arrow = state.sunk ? undefined : plansOf(level).next(state);
    if (arrow) return arrow;
    if (state.past.length === 0) return undefined;
    return state.past.length > mostUndone ? 'restart' : 'undo';
  },
};

const plansOf = perLevel((level: LevelSnake) => {
  const distances = new Map([...level.fruit, level.exit].map((goal) => [goal, distancesTo(goal, level)]));
  const between = (from: number, goal: number) => distances.get(goal)?.[from] ?? Infinity;
  const space: Space<Lying, Arrow> = {
    key: ({ body, fruit }) => String.fromCharCode(...body, 0xffff, ...fruit),
    *next(lying) {
      for (const arrow of arrows) {
        const after = step(lying, arrow, level);
        if (after && !after.sunk) yield [arrow, after];
      }
    },
    isGoal: (lying) => isOut(lying, level),
    estimate({ body, fruit }) {
      const head = body[0]!;
      if (fruit.length === 0) return between(head, level.exit);
      return Math.max(...fruit.map((cell) => between(head, cell) + between(cell, level.exit)));
    },
  };
  return new Plans(() => space, most);
});

/** A lower bound of the steps from each cell to a goal: those around walls, of which falling costs none. */
function distancesTo(goal: number, { cells, columns, gravity }: LevelSnake): number[] {
  const distances = new Array<number>(cells.length).fill(Infinity);
  distances[goal] = 0;
  const queue = [goal];
  for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
    for (const arrow of arrows) {
      // The step leads from `before` to `cell`.
      const before = cell - stepOf(arrow, columns);
      const free = gravity && arrow === 'ArrowDown';
      const distance = distances[cell]! + (free ? 0 : 1);
      if (cells[before] !== ' ' || distances[before]! <= distance) continue;
      distances[before] = distance;
      if (free) queue.unshift(before);
      else queue.push(before);
    }
  }
  return distances;
}
