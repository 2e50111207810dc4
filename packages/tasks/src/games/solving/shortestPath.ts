/** What a search walks through: states, and moves that cost 1 each. */
export interface Space<State, Move> {
  /** Equal for states that are alike. */
  key(state: State): string;
  /** The moves from a state with the states that they lead to. */
  next(state: State): Iterable<readonly [Move, State]>;
  isGoal(state: State): boolean;
  /** A lower bound of the moves to the goal that falls by at most 1 a move; Infinity where the goal is out of reach. */
  estimate(state: State): number;
}

interface Node<State, Move> {
  readonly state: State;
  readonly key: string;
  readonly cost: number;
  readonly move?: Move;
  readonly from?: Node<State, Move>;
}

/**
 * The fewest moves to a goal, by A* (Hart, Nilsson and Raphael, 1968), each with the key of the state that it is made in; undefined
 * where there is no way, or where none is found before `most` states are looked at.
 */
export function shortestPath<State, Move>(
  start: State,
  space: Space<State, Move>,
  most: number,
): { key: string; move: Move }[] | undefined {
  // One stack for each sum of cost and estimate. Those are whole numbers, and none is less than that of the start.
  const open: Node<State, Move>[][] = [];
  const cheapest = new Map<string, number>();
  const add = (node: Node<State, Move>) => {
    const sum = node.cost + space.estimate(node.state);
    if (sum === Infinity) return;
    cheapest.set(node.key, node.cost);
    (open[sum] ??= []).push(node);
  };
  add({ state: start, key: space.key(start), cost: 0 });
  let looked = 0;
  for (let sum = 0; sum < open.length; sum++) {
    for (let node = open[sum]?.pop(); node; node = open[sum]?.pop()) {
      if (cheapest.get(node.key) !== node.cost) continue;
      if (space.isGoal(node.state)) return stepsTo(node);
      if (++looked > most) return undefined;
      const cost = node.cost + 1;
      for (const [move, state] of space.next(node.state)) {
        const key = space.key(state);
        if ((cheapest.get(key) ?? Infinity) > cost) add({ state, key, cost, move, from: node });
      }
    }
  }
  return undefined;
}

function stepsTo<State, Move>(goal: Node<State, Move>): { key: string; move: Move }[] {
  const steps: { key: string; move: Move }[] = [];
  for (let node = goal; node.from && node.move !== undefined; node = node.from) {
    steps.push({ key: node.from.key, move: node.move });
  }
  return steps.reverse();
}

/** Solutions that were found, so that a scripted solution searches once and not at every move. */
export class Plans<State, Move> {
  readonly #moves = new Map<string, Move | undefined>();
  readonly #spaceFrom: (start: State) => Space<State, Move>;
  readonly #most: number;

  /** `spaceFrom` gives what is searched from a start; `most` is how many states a search looks at before it gives up. */
  constructor(spaceFrom: (start: State) => Space<State, Move>, most: number) {
    this.#spaceFrom = spaceFrom;
    this.#most = most;
  }

  /** The next move from a state; undefined where no solution is found. */
  next(state: State): Move | undefined {
    const space = this.#spaceFrom(state);
    const key = space.key(state);
    if (!this.#moves.has(key)) {
      this.#moves.set(key, undefined);
      for (const step of shortestPath(state, space, this.#most) ?? []) this.#moves.set(step.key, step.move);
    }
    return this.#moves.get(key);
  }
}

/** What is made of a level once, and kept as long as the level. */
export function perLevel<Level extends object, Made>(make: (level: Level) => Made): (level: Level) => Made {
  const made = new WeakMap<Level, Made>();
  return (level) => {
    const known = made.get(level);
    if (known !== undefined) return known;
    const fresh = make(level);
    made.set(level, fresh);
    return fresh;
  };
}
