import type { Episode, Task } from '@gyre/protocol';

/** How often tasks of a family were tried and solved. */
export interface Tally {
  readonly n: number;
  readonly successes: number;
}

/** Least weight of a family, as a share of the most: what is solved always may be forgotten, what never is may begin to be. */
const floor = 0.1;

/**
 * How often each family is practised next, 1 on average: where the policy is weak but not hopeless. Proportional to `p (1 - p)`, the
 * variance of success, with `p = (successes + 1) / (n + 2)` (Laplace's rule): most at one half, little near 0 and 1. A family that
 * was not tried counts as one half.
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

/** What an episode still counts after the batches that came behind it, each: the policy changes. */
const memory = 0.8;

/** How often tasks of a difficulty were tried and solved, and the turns of that. */
interface DifficultyTally extends Tally {
  readonly turns: number;
}

/**
 * Which tasks of a family are played, by how hard they are: most decisions are of the difficulties at which the policy is weak but not
 * hopeless, fewer of the others, by the weights of `practiceWeights`. Hard tasks are often long too: of as many tasks of each, most
 * decisions would be of hopeless ones. Difficulties that were never played are played next. Of a family that does not tell how hard its
 * tasks are, all are played.
 */
export class DifficultyCurriculum {
  private readonly tallies: Map<string, Map<number, DifficultyTally>>;

  constructor(state: DifficultyState = {}) {
    this.tallies = new Map(
      Object.entries(state).map(([family, of]) => [
        family,
        new Map(Object.entries(of).map(([difficulty, tally]) => [Number(difficulty), { turns: tally.n, ...tally }])),
      ]),
    );
  }

  /** @param chance 0..1, drawn for this task alone: it is played if its difficulty's frequency, over the largest of its family, is more. */
  plays({ family, difficulty }: Pick<Task, 'family' | 'difficulty'>, chance: number): boolean {
    const known = this.tallies.get(family);
    const own = difficulty === undefined ? undefined : known?.get(difficulty);
    if (!known || !own) return true;
    return chance * Math.max(...[...known.values()].map(frequencyOf)) < frequencyOf(own);
  }

  /** A batch that was played. */
  learnt(episodes: readonly Pick<Episode, 'task' | 'turns' | 'verdict'>[]): void {
    for (const of of this.tallies.values())
      for (const [difficulty, { n, successes, turns }] of of)
        of.set(difficulty, { n: n * memory, successes: successes * memory, turns: turns * memory });
    for (const { task, turns, verdict } of episodes) {
      if (task.difficulty === undefined || !verdict) continue;
      const of = this.tallies.get(task.family) ?? new Map<number, DifficultyTally>();
      const before = of.get(task.difficulty) ?? { n: 0, successes: 0, turns: 0 };
      of.set(task.difficulty, {
        n: before.n + 1,
        successes: before.successes + (verdict.success ? 1 : 0),
        turns: before.turns + turns.length,
      });
      this.tallies.set(task.family, of);
    }
  }

  state(): DifficultyState {
    return Object.fromEntries([...this.tallies].map(([family, of]) => [family, Object.fromEntries(of)]));
  }
}

/** Of tasks, for shares of the decisions by their weights. */
function frequencyOf(tally: DifficultyTally): number {
  return (weightOf(tally) * tally.n) / Math.max(tally.n, tally.turns);
}

/** By family and difficulty, as JSON. Versions before this one left no turns: of theirs every episode counts as one. */
export type DifficultyState = Readonly<
  Record<string, Readonly<Record<string, Tally & Partial<Pick<DifficultyTally, 'turns'>>>>>
>;
