import { type CubeLevel, type CubeState, placeAfter } from './board.js';
import { type Way, afterRoll, turns, ways } from './cube.js';
import { solveCubinko } from './solver.js';
import type { Game } from '../game.js';

/**
 * Cubinko: a cube with six coloured faces rolls over tiles. A goal is lit for good once the cube lies on it with the
 * face of its colour. Rolls can be undone, so the game is never lost.
 */
export const cubinko: Game<CubeLevel, CubeState, Way> = {
  name: 'cubinko',
  version: 1,
  start: ({ start }) => ({ at: start, turn: 0, lit: [] }),
  move(state, direction, level) {
    const destination = placeAfter(level, state.at, direction);
    if (destination === undefined) return state;
    const turn = afterRoll[state.turn]?.[ways.indexOf(direction)] ?? 0;
    const bottom = level.faces[turns[turn]?.[0] ?? 0];
    const goal = level.goals.findIndex(({ place, colour }) => place === destination && colour === bottom);
    const isNew = goal >= 0 && !state.lit.includes(goal);
    return { at: destination, turn, lit: isNew ? [...state.lit, goal].sort((a, b) => a - b) : state.lit };
  },
  status({ lit }, { goals }) {
    const won = lit.length === goals.length;
    return { score: lit.length, progress: lit.length / goals.length, won, over: won, lives: 1 };
  },
  hint: (state, level) => solveCubinko(state, level)?.[0],
};
