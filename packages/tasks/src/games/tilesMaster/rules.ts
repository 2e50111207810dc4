import { solveTiles } from './solver.js';
import { type TilesLevel, type TilesState, isFree, traySize, trayWith } from './tiles.js';
import type { Game } from '../game.js';

/**
 * Tiles-master: tiles lie in layers, each over up to four of the layer below. A free tile, one that nothing lies on, is pressed and
 * goes to a tray of seven; three equal ones in the tray vanish. Won when no tile is left; lost when the tray is full.
 */
export const tilesMaster: Game<TilesLevel, TilesState, number> = {
  name: 'tilesMaster',
  version: 1,
  start: ({ tiles }) => ({ left: [...tiles.keys()], tray: [] }),
  move(state, index, level) {
    const tile = level.tiles[index];
    if (!tile || state.tray.length >= traySize || !state.left.includes(index) || !isFree(state, level, index))
      return state;
    return { left: state.left.filter((other) => other !== index), tray: trayWith(state.tray, tile.kind) };
  },
  standing({ left, tray }, { tiles }) {
    const gone = tiles.length - left.length - tray.length;
    const won = left.length === 0 && tray.length === 0;
    const lost = tray.length >= traySize;
    return { score: gone, progress: gone / tiles.length, won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint: (state, level) => solveTiles(state, level)?.[0],
};
