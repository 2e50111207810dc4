/** A game as its scripted solution sees it: what a player can see, and nothing of what chance will bring. */
export interface Outlook<State, Move> {
  moves(state: State): Iterable<Move>;
  after(state: State, move: Move): State;
  /** How good a state is, more being better; `Infinity` where it is won. */
  worth(state: State): number;
}

/**
 * The first move of the best line of at most `depth` moves, keeping the `width` best states after each (beam search); undefined
 * where there is no move. Of equals the one that was found first.
 */
export function lookAhead<State, Move>(
  outlook: Outlook<State, Move>,
  state: State,
  { width, depth }: { readonly width: number; readonly depth: number },
): Move | undefined {
  let front: readonly { state: State; first: Move | undefined; worth: number }[] = [
    { state, first: undefined, worth: 0 },
  ];
  for (let ply = 0; ply < depth; ply++) {
    const found: { state: State; first: Move; worth: number }[] = [];
    for (const { state: before, first } of front) {
      for (const move of outlook.moves(before)) {
        const after = outlook.after(before, move);
        const worth = outlook.worth(after);
        if (worth === Infinity) return first ?? move;
        found.push({ state: after, first: first ?? move, worth });
      }
    }
    if (found.length === 0) break;
    front = found.sort((a, b) => b.worth - a.worth).slice(0, width);
  }
  return front[0]?.first;
}
