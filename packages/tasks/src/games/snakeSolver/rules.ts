import { type Arrow, arrows, stepOf } from '../rules/arrows.js';
import type { Game } from '../game.js';
import { SolutionCache, type Space, memoizeByLevel } from '../solving/shortestPath.js';

/**
 * A snake that moves one cell per key and grows with each fruit. After all fruit, the exit opens. Its tail's cell is
 * free in the same move. With gravity it falls until a wall or fruit supports it; in water, it can only undo.
 */
export interface LevelSnake extends Lying {
  readonly difficulty: number;
  readonly columns: number;
  readonly rows: number;
  /** `#` wall, `~` water, space empty. The edge is all wall. */
  readonly cells: string;
  readonly gravity: boolean;
  readonly exit: number;
}

interface Lying {
  readonly body: readonly number[];
  readonly fruit: readonly number[];
}

export interface StateSnake extends Lying {
  readonly sunk: boolean;
  readonly past: readonly Lying[];
}

export type MoveSnake = Arrow | 'undo' | 'restart';

/** Limit of searched states. */
const maxStates = 4000;

/** With more to undo, restarting is quicker. */
const maxUndone = 6;

const isOut = ({ body, fruit }: Lying, { exit }: LevelSnake): boolean => fruit.length === 0 && body[0] === exit;

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
  status(state, level) {
    const won = isOut(state, level) && !state.sunk;
    const parts = level.fruit.length + 1;
    const score = level.fruit.length - state.fruit.length + (won ? 1 : 0);
    return { score, progress: score / parts, won, over: won, lives: 1 };
  },
  hint(state, level) {
    const arrow = state.sunk ? undefined : plansOf(level).next(state);
    if (arrow) return arrow;
    if (state.past.length === 0) return undefined;
    return state.past.length > maxUndone ? 'restart' : 'undo';
  },
};

const plansOf = memoizeByLevel((level: LevelSnake) => {
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
  return new SolutionCache(() => space, maxStates);
});

/** Lower bounds of the steps to a goal: paths around walls, where falling is free. */
function distancesTo(goal: number, { cells, columns, gravity }: LevelSnake): number[] {
  const distances = new Array<number>(cells.length).fill(Infinity);
  distances[goal] = 0;
  const queue = [goal];
  for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
    for (const arrow of arrows) {
      // Backwards: the step leads from `before` to `cell`.
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
