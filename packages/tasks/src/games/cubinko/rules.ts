import { type CubeLevel, type CubeState, placeAfter } from './board.js';
import { type Way, afterRoll, turns, ways } from './cube.js';
import { wayToAll } from './solver.js';
import type { Game } from '../game.js';

/**
 * Cubinko, after the genre of rolling cubes: a cube with six faces of different colours lies on a grid and rolls over an edge to a
 * tile beside it. A coloured tile is lit for good when the cube comes to lie on it with the face of its colour. Won when all are
 * lit. The cube cannot roll where no tile is. It can always be rolled back, so nothing is ever lost.
 */
export const cubinko: Game<CubeLevel, CubeState, Way> = {
  name: 'cubinko',
  version: 1,
  start: ({ start }) => ({ at: start, turn: 0, lit: [] }),
  move(state, way, level) {
    const at = placeAfter(level, state.at, way);
    if (at === undefined) return state;
    const turn = afterRoll[state.turn]?.[ways.indexOf(way)] ?? 0;
    const bottom = level.faces[turns[turn]?.[0] ?? 0];
    const goal = level.goals.findIndex(({ place, colour }) => place === at && colour === bottom);
    const isNew = goal >= 0 && !state.lit.includes(goal);
    return { at, turn, lit: isNew ? [...state.lit, goal].sort((a, b) => a - b) : state.lit };
  },
  standing({ lit }, { goals }) {
    const won = lit.length === goals.length;
    return { score: lit.length, progress: lit.length / goals.length, won, over: won, lives: 1 };
  },
  hint: (state, level) => wayToAll(state, level)?.[0],
};
