import type { Game } from '../game.js';

/** Minimum frames per action in a session. */
export const framesOfAction = 6;

export function afterAction<Level, State, Move>(
  game: Game<Level, State, Move>,
  state: State,
  move: Move,
  level: Level,
): State {
  let after = game.move(state, move, level);
  for (let frame = 0; game.tick && frame < framesOfAction; frame++) after = game.tick(after, level);
  return after;
}

/** Runs the scripted solution; undefined if it needs more than `maxMoves` moves. */
export function movesToWin<Level, State, Move>(
  game: Game<Level, State, Move>,
  level: Level,
  maxMoves: number,
): number | undefined {
  let state = game.start(level);
  for (let moves = 0; moves <= maxMoves; moves++) {
    const { won, over } = game.status(state, level);
    if (won) return moves;
    if (over || moves === maxMoves) return undefined;
    const move = game.hint(state, level);
    if (move === undefined) return undefined;
    state = afterAction(game, state, move, level);
  }
  return undefined;
}
