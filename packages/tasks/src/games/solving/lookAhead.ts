/** A game as a player sees it, without chance. */
export interface SearchProblem<State, Move> {
  moves(state: State): Iterable<Move>;
  after(state: State, move: Move): State;
  /** `Infinity` if won. */
  worth(state: State): number;
}

/** Beam search: returns the first move of the best line of at most `depth` moves; the first of equals wins. */
export function lookAhead<State, Move>(
  problem: SearchProblem<State, Move>,
  state: State,
  { width, depth }: { readonly width: number; readonly depth: number },
): Move | undefined {
  let front: readonly { state: State; first: Move | undefined; worth: number }[] = [
    { state, first: undefined, worth: 0 },
  ];
  for (let ply = 0; ply < depth; ply++) {
    const candidates: { state: State; first: Move; worth: number }[] = [];
    for (const { state: before, first } of front) {
      for (const move of problem.moves(before)) {
        const after = problem.after(before, move);
        const worth = problem.worth(after);
        if (worth === Infinity) return first ?? move;
        candidates.push({ state: after, first: first ?? move, worth });
      }
    }
    if (candidates.length === 0) break;
    front = candidates.sort((a, b) => b.worth - a.worth).slice(0, width);
  }
  return front[0]?.first;
}
