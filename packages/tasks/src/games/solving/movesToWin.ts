import type { Game } from '../game.js';

/** Game frames that an action passes in a session, at least. */
export const framesOfAction = 6;

/** The state after a move and the game frames that pass with it. */
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

/** How many moves the scripted solution takes to win a level; undefined where it does not within `most`. */
export function movesToWin<Level, State, Move>(
  game: Game<Level, State, Move>,
  level: Level,
  most: number,
): number | undefined {
  let state = game.start(level);
  for (let moves = 0; moves <= most; moves++) {
    const { won, over } = game.standing(state, level);
    if (won) return moves;
    if (over || moves === most) return undefined;
    const move = game.hint(state, level);
    if (move === undefined) return undefined;
    state = afterAction(game, state, move, level);
  }
  return undefined;
}
