export interface EpisodeEstimates {
  readonly family: string;
  readonly difficulty?: number | undefined;
  readonly turns: readonly number[];
  readonly estimates: ArrayLike<number>;
}

export type BaselineState = Readonly<Record<string, FamilyState>>;

interface FamilyState {
  /** Difficulty, turn, episodes, sum of estimates. Order affects the last bit of a sum. */
  readonly cells: readonly (readonly [number | null, number, number, number])[];
  readonly decisions: number;
  readonly squares: number;
}

interface Cell {
  readonly difficulty: number | undefined;
  readonly turn: number;
  episodes: number;
  sum: number;
}

type Cells = Map<string, Cell>;

/** Weight of a batch relative to the next, since the policy changes. */
const memory = 0.8;

/** Number of episodes at which half of a level's mean counts. */
const prior = 1;

const levels = {
  family: [],
  turn: [({ difficulty }: Cell) => difficulty, ({ turn }: Cell) => turn],
} satisfies Record<string, ((cell: Cell) => number | undefined)[]>;

/**
 * Centres decisions on other episodes. Excluding the decision's own episode leaves the expected policy gradient
 * unchanged (Williams 1992; leave-one-out: Kool et al. 2019).
 *
 * Other episodes are those of the batch and, with decaying weight, of earlier ones. The family's mean comes first;
 * `turn` adds the mean difference by difficulty, then by turn. A level of `n` episodes adds `n / (n + 1)` of its mean.
 */
export class Baseline {
  readonly #families: Map<string, { cells: Cells; decisions: number; squares: number }>;

  constructor(state: BaselineState = {}) {
    this.#families = new Map(
      Object.entries(state).map(([family, { cells, decisions, squares }]) => {
        const restored: Cells = new Map();
        for (const [difficulty, turn, episodes, sum] of cells)
          add(restored, { difficulty: difficulty ?? undefined, turn, episodes, sum });
        return [family, { cells: restored, decisions, squares }];
      }),
    );
  }

  /**
   * Returns each decision minus its baseline, divided by the family's root mean square, `[episode][decision]`; then
   * adds the batch. No mean is subtracted afterwards, which preserves signs.
   */
  advantages(batch: readonly EpisodeEstimates[], by: keyof typeof levels): Float64Array[] {
    const out = batch.map(() => new Float64Array());
    for (const family of new Set(batch.map((episode) => episode.family))) {
      const before = this.#families.get(family) ?? { cells: new Map<string, Cell>(), decisions: 0, squares: 0 };
      const places = [...batch.keys()].filter((place) => batch[place]?.family === family);
      const ownCells = places.map((place) => cellsOf(batch[place]!));
      const merged: Cells = new Map();
      for (const cells of [before.cells, ...ownCells]) for (const cell of cells.values()) add(merged, cell);
      let { decisions, squares } = before;
      for (const [i, place] of places.entries()) {
        const { difficulty, turns, estimates } = batch[place]!;
        const expected = expectation(without(merged, ownCells[i]!), levels[by]);
        const better = Float64Array.from(turns, (turn, d) => (estimates[d] ?? 0) - expected(difficulty, turn));
        decisions += better.length;
        squares += better.reduce((sum, difference) => sum + difference ** 2, 0);
        out[place] = better;
      }
      const scale = 1 / (Math.sqrt(squares / Math.max(1, decisions)) + 1e-8);
      for (const place of places) out[place] = (out[place] as Float64Array).map((difference) => difference * scale);
      this.#families.set(family, { cells: faded(merged), decisions: decisions * memory, squares: squares * memory });
    }
    return out;
  }

  state(): BaselineState {
    return Object.fromEntries(
      [...this.#families].map(([family, { cells, decisions, squares }]) => {
        const cellsLeft = [...cells.values()].map(
          ({ difficulty, turn, episodes, sum }) => [difficulty ?? null, turn, episodes, sum] as const,
        );
        return [family, { cells: cellsLeft, decisions, squares }];
      }),
    );
  }
}

const keyOf = ({ difficulty, turn }: Pick<Cell, 'difficulty' | 'turn'>): string => `${String(difficulty)} ${turn}`;

function add(cells: Cells, { difficulty, turn, episodes, sum }: Cell): void {
  const key = keyOf({ difficulty, turn });
  const cell = cells.get(key) ?? { difficulty, turn, episodes: 0, sum: 0 };
  cell.episodes += episodes;
  cell.sum += sum;
  cells.set(key, cell);
}

function cellsOf({ difficulty, turns, estimates }: EpisodeEstimates): Cells {
  const cells: Cells = new Map();
  for (const [d, turn] of turns.entries()) add(cells, { difficulty, turn, episodes: 1, sum: estimates[d] ?? 0 });
  return cells;
}

/** Treats counts within rounding of 0 as none. */
function without(cells: Cells, excluded: Cells): Cell[] {
  return [...cells].flatMap(([key, { difficulty, turn, episodes, sum }]) => {
    const { episodes: less, sum: gone } = excluded.get(key) ?? { episodes: 0, sum: 0 };
    return episodes - less > 1e-9 ? [{ difficulty, turn, episodes: episodes - less, sum: sum - gone }] : [];
  });
}

/** Ages cells by one batch; drops those below a hundredth of an episode. */
function faded(previous: Cells): Cells {
  const cells: Cells = new Map();
  for (const cell of previous.values()) {
    const episodes = cell.episodes * memory;
    if (episodes > 0.01) add(cells, { ...cell, episodes, sum: cell.sum * memory });
  }
  return cells;
}

function expectation(
  cells: readonly Cell[],
  differences: readonly ((cell: Cell) => number | undefined)[],
): (difficulty: number | undefined, turn: number) => number {
  const mean = meanOf(cells, (cell) => cell.sum);
  let expected = (_: Cell): number => mean;
  for (const group of differences) {
    const coarser = expected;
    const groups = new Map<number | undefined, Cell[]>();
    for (const cell of cells) {
      const alike = groups.get(group(cell));
      if (alike) alike.push(cell);
      else groups.set(group(cell), [cell]);
    }
    const effects = new Map<number | undefined, number>();
    for (const [name, alike] of groups) {
      const difference = meanOf(alike, (cell) => cell.sum - cell.episodes * coarser(cell));
      const episodes = episodesOf(alike);
      effects.set(name, (difference * episodes) / (episodes + prior));
    }
    expected = (cell) => coarser(cell) + (effects.get(group(cell)) ?? 0);
  }
  return (difficulty, turn) => expected({ difficulty, turn, episodes: 0, sum: 0 });
}

function meanOf(cells: readonly Cell[], sumOf: (cell: Cell) => number): number {
  let decisions = 0;
  let sum = 0;
  for (const cell of cells) {
    decisions += cell.episodes;
    sum += sumOf(cell);
  }
  return decisions > 0 ? sum / decisions : 0;
}

/** Counts episodes: per difficulty, as many as at its most frequent turn. */
function episodesOf(cells: readonly Cell[]): number {
  const counts = new Map<number | undefined, number>();
  for (const { difficulty, episodes } of cells) counts.set(difficulty, Math.max(counts.get(difficulty) ?? 0, episodes));
  let sum = 0;
  for (const episodes of counts.values()) sum += episodes;
  return sum;
}
