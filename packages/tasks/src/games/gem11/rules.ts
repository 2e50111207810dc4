import { drawFrom } from '../rules/chance.js';
import type { Game } from '../game.js';
import { lookAhead } from '../solving/lookAhead.js';

/**
 * Gem-11: dragging a gem onto an equal neighbour merges them there into the next rank; a new gem appears where it came
 * from. Lost when no equal gems are neighbours.
 */
export interface GemLevel {
  readonly difficulty: number;
  readonly columns: number;
  readonly rows: number;
  readonly target: number;
  /** New gems are drawn uniformly from these. */
  readonly ranks: readonly number[];
  readonly seed: number;
}

export interface GemState {
  readonly cells: readonly number[];
  /** 2 to the power of its rank per merged gem. */
  readonly score: number;
  readonly first: number;
  readonly seed: number;
}

export interface Join {
  readonly from: number;
  readonly to: number;
}

const areNeighbours = (from: number, to: number, columns: number) =>
  Math.abs(from - to) === columns ||
  (Math.abs(from - to) === 1 && Math.floor(from / columns) === Math.floor(to / columns));

const canJoin = (cells: readonly number[], { from, to }: Join, columns: number) =>
  (cells[from] ?? 0) > 0 && cells[from] === cells[to] && areNeighbours(from, to, columns);

/** In both directions. */
export function* joinsOf(cells: readonly number[], columns: number): Generator<Join> {
  for (let place = 0; place < cells.length; place++) {
    for (const next of [place + 1, place + columns]) {
      if (!canJoin(cells, { from: place, to: next }, columns)) continue;
      yield { from: place, to: next };
      yield { from: next, to: place };
    }
  }
}

function join(cells: readonly number[], { from, to }: Join): number[] {
  const after = [...cells];
  after[to] = (cells[to] ?? 0) + 1;
  after[from] = 0;
  return after;
}

function drawRank(ranks: readonly number[], seed: number): { rank: number; seed: number } {
  const { value, next } = drawFrom(seed);
  return { rank: ranks[Math.floor(value * ranks.length)] ?? 1, seed: next };
}

export const gem11: Game<GemLevel, GemState, Join> = {
  name: 'gem11',
  version: 1,
  start({ columns, rows, ranks, seed }) {
    const cells: number[] = [];
    let next = seed;
    for (let place = 0; place < columns * rows; place++) {
      const drawn = drawRank(ranks, next);
      cells.push(drawn.rank);
      next = drawn.seed;
    }
    return { cells, score: 0, first: Math.max(...cells), seed: next };
  },
  move(state, move, { columns, ranks }) {
    if (!canJoin(state.cells, move, columns)) return state;
    const cells = join(state.cells, move);
    const { rank, seed } = drawRank(ranks, state.seed);
    cells[move.from] = rank;
    return { ...state, cells, score: state.score + 2 ** (cells[move.to] ?? 0), seed };
  },
  status({ cells, score, first }, { columns, target }) {
    const best = Math.max(...cells);
    const won = best >= target;
    const lost = !won && joinsOf(cells, columns).next().done === true;
    // A gem takes two of the rank below.
    const progress = won ? 1 : Math.max(0, (2 ** best - 2 ** first) / (2 ** target - 2 ** first));
    return { score, progress, won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint({ cells }, { columns, target }) {
    const outlook = {
      moves: (board: readonly number[]) => joinsOf(board, columns),
      after: join,
      worth: (board: readonly number[]) => worthOf(board, columns, target),
    };
    return lookAhead(outlook, cells, { width: 6, depth: 4 });
  },
};

/** Values gems above their parts, and potential merges. */
function worthOf(cells: readonly number[], columns: number, target: number): number {
  let worth = 0;
  for (let place = 0; place < cells.length; place++) {
    const rank = cells[place] ?? 0;
    if (rank >= target) return Infinity;
    if (rank === 0) continue;
    // Relative to the target, so that weights do not depend on it.
    const weight = 2 ** (rank - target);
    worth += weight * (12 + rank - target);
    if (place % columns < columns - 1) worth += affinity(rank, cells[place + 1] ?? 0) * weight;
    worth += affinity(rank, cells[place + columns] ?? 0) * weight;
  }
  return worth;
}

function affinity(rank: number, neighbourRank: number): number {
  if (neighbourRank === 0) return 0;
  if (rank === neighbourRank) return 0.8;
  return neighbourRank === rank + 1 ? 0.4 : neighbourRank === rank - 1 ? 0.2 : 0;
}
