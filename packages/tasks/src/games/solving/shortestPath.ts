/** Moves cost 1 each. */
export interface Space<State, Move> {
  /** Equal for equivalent states. */
  key(state: State): string;
  next(state: State): Iterable<readonly [Move, State]>;
  isGoal(state: State): boolean;
  /** An admissible bound that falls by at most 1 per move; Infinity if unreachable. */
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
 * A* (Hart, Nilsson and Raphael, 1968); returns moves with the keys of their states. Undefined if none is found within
 * `maxStates` expanded states.
 */
function shortestPath<State, Move>(
  start: State,
  space: Space<State, Move>,
  maxStates: number,
): { key: string; move: Move }[] | undefined {
  // A stack per sum of cost and estimate; sums are integers and never below the start's.
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
      if (++looked > maxStates) return undefined;
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

/** Caches solutions, so that a scripted solution does not search at every move. */
export class SolutionCache<State, Move> {
  readonly #moves = new Map<string, Move | undefined>();
  readonly #spaceFrom: (start: State) => Space<State, Move>;
  readonly #maxStates: number;

  /** `maxStates` limits the expanded states. */
  constructor(spaceFrom: (start: State) => Space<State, Move>, maxStates: number) {
    this.#spaceFrom = spaceFrom;
    this.#maxStates = maxStates;
  }

  next(state: State): Move | undefined {
    const space = this.#spaceFrom(state);
    const key = space.key(state);
    if (!this.#moves.has(key)) {
      this.#moves.set(key, undefined);
      for (const step of shortestPath(state, space, this.#maxStates) ?? []) this.#moves.set(step.key, step.move);
    }
    return this.#moves.get(key);
  }
}

export function memoizeByLevel<Level extends object, Made>(make: (level: Level) => Made): (level: Level) => Made {
  const cache = new WeakMap<Level, Made>();
  return (level) => {
    const known = cache.get(level);
    if (known !== undefined) return known;
    const fresh = make(level);
    cache.set(level, fresh);
    return fresh;
  };
}
