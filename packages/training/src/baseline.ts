/** Estimates of an episode's decisions, in their order. */
export interface EpisodeEstimates {
  readonly family: string;
  /** Of its task, where it tells. */
  readonly difficulty: number | undefined;
  /** The turn of each decision. */
  readonly turns: readonly number[];
  /** The estimate of each: a return, or the advantage that a critic finds. */
  readonly estimates: ArrayLike<number>;
}

/** By family, as JSON. */
export type BaselineState = Readonly<Record<string, FamilyState>>;

interface FamilyState {
  /** Difficulty, turn, episodes and the sum of their estimates, in the order of first sight: sums depend on it in the last bit. */
  readonly cells: readonly (readonly [number | null, number, number, number])[];
  /** Decisions, and the sum of their squared differences from the baseline. */
  readonly decisions: number;
  readonly squares: number;
}

/** Decisions of one family, difficulty and turn. Each is of another episode. */
interface Cell {
  readonly difficulty: number | undefined;
  readonly turn: number;
  episodes: number;
  sum: number;
}

type Cells = Map<string, Cell>;

/** Weight of an episode after each batch that follows: the policy changes. */
const memory = 0.8;

/** Episodes of which a level needs as many to move the baseline half of the way from the coarser level. */
const caution = 1;

/** What a cell differs by from others of its family, coarse to fine. */
const levels = {
  family: [],
  turn: [({ difficulty }: Cell) => difficulty, ({ turn }: Cell) => turn],
} satisfies Record<string, ((cell: Cell) => number | undefined)[]>;

/**
 * A baseline for the estimates of a batch that no decision has a part in which it is subtracted from: neither it nor any other of its
 * episode, since the estimates of one episode rest on the same rewards. So an action is not compared with itself, and the expected gradient
 * stays what it is without a baseline (Williams 1992; leave-one-out as in Kool et al. 2019, "Buy 4 REINFORCE samples, get a baseline for free").
 *
 * It is made of the other episodes of the batch and of those of the batches before, which count less with every batch. It is the mean of the
 * family; then, with `turn`, what tasks as difficult differ from it by; then what decisions at the same turn still differ by: hard tasks earn
 * less whatever is done in them, and late turns belong to episodes that go badly. Of `n` episodes a level moves it by `n / (n + 1)` of the
 * mean difference (empirical Bayes), so that a few episodes alone at their turn hardly do. Without any other episode it is 0.
 */
export class Baseline {
  private readonly families: Map<string, { cells: Cells; decisions: number; squares: number }>;

  constructor(state: BaselineState = {}) {
    this.families = new Map(
      Object.entries(state).map(([family, { cells, decisions, squares }]) => {
        const kept: Cells = new Map();
        for (const [difficulty, turn, episodes, sum] of cells)
          add(kept, { difficulty: difficulty ?? undefined, turn, episodes, sum });
        return [family, { cells: kept, decisions, squares }];
      }),
    );
  }

  /**
   * What each decision is better than its baseline, over the root mean square of that in its family, batches before included. The sign is that
   * of the difference: no mean is subtracted afterwards. From then on the batch counts among those before.
   *
   * @returns `[episode][decision]`
   */
  advantages(batch: readonly EpisodeEstimates[], by: keyof typeof levels): Float64Array[] {
    const out = batch.map(() => new Float64Array());
    for (const family of new Set(batch.map((episode) => episode.family))) {
      const before = this.families.get(family) ?? { cells: new Map<string, Cell>(), decisions: 0, squares: 0 };
      const places = [...batch.keys()].filter((place) => batch[place]?.family === family);
      const own = places.map((place) => cellsOf(batch[place] as EpisodeEstimates));
      const all: Cells = new Map();
      for (const cells of [before.cells, ...own]) for (const cell of cells.values()) add(all, cell);
      let { decisions, squares } = before;
      for (const [i, place] of places.entries()) {
        const { difficulty, turns, estimates } = batch[place] as EpisodeEstimates;
        const expected = expectation(without(all, own[i] as Cells), levels[by]);
        const better = Float64Array.from(turns, (turn, d) => (estimates[d] ?? 0) - expected(difficulty, turn));
        decisions += better.length;
        squares += better.reduce((sum, difference) => sum + difference ** 2, 0);
        out[place] = better;
      }
      const scale = 1 / (Math.sqrt(squares / Math.max(1, decisions)) + 1e-8);
      for (const place of places) out[place] = (out[place] as Float64Array).map((difference) => difference * scale);
      this.families.set(family, { cells: faded(all), decisions: decisions * memory, squares: squares * memory });
    }
    return out;
  }

  state(): BaselineState {
    return Object.fromEntries(
      [...this.families].map(([family, { cells, decisions, squares }]) => {
        const kept = [...cells.values()].map(
          ({ difficulty, turn, episodes, sum }) => [difficulty ?? null, turn, episodes, sum] as const,
        );
        return [family, { cells: kept, decisions, squares }];
      }),
    );
  }
}

const keyOf = ({ difficulty, turn }: Pick<Cell, 'difficulty' | 'turn'>): string => `${difficulty} ${turn}`;

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

/** What is left without some of it. Differences of rounding are no episode. */
function without(all: Cells, own: Cells): Cell[] {
  return [...all].flatMap(([key, { difficulty, turn, episodes, sum }]) => {
    const { episodes: less, sum: gone } = own.get(key) ?? { episodes: 0, sum: 0 };
    return episodes - less > 1e-9 ? [{ difficulty, turn, episodes: episodes - less, sum: sum - gone }] : [];
  });
}

/** As the next batch finds it. What is a hundredth of an episode is forgotten. */
function faded(all: Cells): Cells {
  const cells: Cells = new Map();
  for (const cell of all.values()) {
    const episodes = cell.episodes * memory;
    if (episodes > 0.01) add(cells, { ...cell, episodes, sum: cell.sum * memory });
  }
  return cells;
}

/** The estimate that these lead to expect of an episode that is none of them. */
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
      effects.set(name, (difference * episodes) / (episodes + caution));
    }
    expected = (cell) => coarser(cell) + (effects.get(group(cell)) ?? 0);
  }
  return (difficulty, turn) => expected({ difficulty, turn, episodes: 0, sum: 0 });
}

/** Over decisions; 0 of none. */
function meanOf(cells: readonly Cell[], sumOf: (cell: Cell) => number): number {
  let decisions = 0;
  let sum = 0;
  for (const cell of cells) {
    decisions += cell.episodes;
    sum += sumOf(cell);
  }
  return decisions > 0 ? sum / decisions : 0;
}

/** How many episodes these decisions are of, at least: as many of each difficulty as at the turn that most of them have. */
function episodesOf(cells: readonly Cell[]): number {
  const most = new Map<number | undefined, number>();
  for (const { difficulty, episodes } of cells) most.set(difficulty, Math.max(most.get(difficulty) ?? 0, episodes));
  let sum = 0;
  for (const episodes of most.values()) sum += episodes;
  return sum;
}
