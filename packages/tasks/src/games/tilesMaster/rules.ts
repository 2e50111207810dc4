import { solveTiles } from './solver.js';
import { type TilesLevel, type TilesState, isFree, traySize, addToTray } from './tiles.js';
import type { Game } from '../game.js';

/**
 * Tiles-master: pressing an uncovered tile moves it to a tray of seven, where three equal tiles vanish. Lost when the
 * tray is full.
 */
export const tilesMaster: Game<TilesLevel, TilesState, number> = {
  name: 'tilesMaster',
  version: 1,
  start: ({ tiles }) => ({ left: [...tiles.keys()], tray: [] }),
  move(state, index, level) {
    const tile = level.tiles[index];
    if (!tile || state.tray.length >= traySize || !state.left.includes(index) || !isFree(state, level, index))
      return state;
    return { left: state.left.filter((other) => other !== index), tray: addToTray(state.tray, tile.kind) };
  },
  status({ left: remaining, tray }, { tiles }) {
    const gone = tiles.length - remaining.length - tray.length;
    const won = remaining.length === 0 && tray.length === 0;
    const lost = tray.length >= traySize;
    return { score: gone, progress: gone / tiles.length, won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint: (state, level) => solveTiles(state, level)?.[0],
};
