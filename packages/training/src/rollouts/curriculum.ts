import type { Episode, Task } from '@gyre/protocol';

export interface Tally {
  readonly n: number;
  readonly successes: number;
}

/** Share of the largest weight, so that no family is forgotten. */
const floor = 0.1;

/**
 * Returns each family's sampling weight, 1 on average, in proportion to the variance of success `p (1 - p)` with `p =
 * (successes + 1) / (n + 2)` (Laplace's rule).
 */
export function familyWeights(
  families: readonly string[],
  tallies: Readonly<Record<string, Tally>>,
): Record<string, number> {
  const raw = families.map((family) => weightOf(tallies[family]));
  const mean = raw.reduce((sum, weight) => sum + weight, 0) / raw.length;
  return Object.fromEntries(families.map((family, index) => [family, (raw[index] ?? 0) / mean]));
}

function weightOf({ n, successes }: Tally = { n: 0, successes: 0 }): number {
  const p = (successes + 1) / (n + 2);
  return Math.max(floor / 4, p * (1 - p));
}

const memory = 0.8;

interface DifficultyTally extends Tally {
  readonly turns: number;
}

/**
 * Samples tasks so that decisions follow `familyWeights` by difficulty: long tasks less often, untried difficulties
 * next. Families without difficulties play every task.
 */
export class DifficultyCurriculum {
  readonly #tallies: Map<string, Map<number, DifficultyTally>>;

  constructor(state: DifficultyState = {}) {
    this.#tallies = new Map(
      Object.entries(state).map(([family, tallies]) => [
        family,
        new Map(
          Object.entries(tallies).map(([difficulty, tally]) => [Number(difficulty), { turns: tally.n, ...tally }]),
        ),
      ]),
    );
  }

  /** @param chance uniform in 0..1, drawn for this task */
  plays({ family, difficulty }: Pick<Task, 'family' | 'difficulty'>, chance: number): boolean {
    const known = this.#tallies.get(family);
    const tally = difficulty === undefined ? undefined : known?.get(difficulty);
    if (!known || !tally) return true;
    return chance * Math.max(...[...known.values()].map(frequencyOf)) < frequencyOf(tally);
  }

  learnt(episodes: readonly Pick<Episode, 'task' | 'turns' | 'verdict'>[]): void {
    for (const of of this.#tallies.values())
      for (const [difficulty, { n, successes, turns }] of of)
        of.set(difficulty, { n: n * memory, successes: successes * memory, turns: turns * memory });
    for (const { task, turns, verdict } of episodes) {
      if (task.difficulty === undefined || !verdict) continue;
      const byDifficulty = this.#tallies.get(task.family) ?? new Map<number, DifficultyTally>();
      const before = byDifficulty.get(task.difficulty) ?? { n: 0, successes: 0, turns: 0 };
      byDifficulty.set(task.difficulty, {
        n: before.n + 1,
        successes: before.successes + (verdict.success ? 1 : 0),
        turns: before.turns + turns.length,
      });
      this.#tallies.set(task.family, byDifficulty);
    }
  }

  state(): DifficultyState {
    return Object.fromEntries([...this.#tallies].map(([family, of]) => [family, Object.fromEntries(of)]));
  }
}

function frequencyOf(tally: DifficultyTally): number {
  return (weightOf(tally) * tally.n) / Math.max(tally.n, tally.turns);
}

/** Episodes of older states without turns count as one turn each. */
export type DifficultyState = Readonly<
  Record<string, Readonly<Record<string, Tally & Partial<Pick<DifficultyTally, 'turns'>>>>>
>;
