import type { Game } from '../game.js';
import { connectedTiles, isConnected, turned } from '../rules/pipeNet.js';
import { type Plane, sides } from '../rules/sides.js';
import { fewestTurns } from './fewestTurns.js';

/** Turn pipe tiles until no end is open. */
export interface LoopLevel extends Plane {
  readonly difficulty: number;
  readonly tiles: readonly number[];
}

export interface LoopState {
  readonly tiles: readonly number[];
}

/** The tile to turn a quarter clockwise. */
export type LoopMove = number;

export const infinityLoop: Game<LoopLevel, LoopState, LoopMove> = {
  name: 'infinityLoop',
  version: 1,
  start: ({ tiles }) => ({ tiles }),
  move(state, place) {
    const ends = state.tiles[place] ?? 0;
    // Turning a symmetric tile is no move.
    if (turned(ends) === ends) return state;
    return { tiles: state.tiles.with(place, turned(ends)) };
  },
  status({ tiles }, level) {
    let [ends, met] = [0, 0];
    for (const place of tiles.keys()) {
      for (const side of sides) {
        if ((tiles[place] ?? 0) & side) ends++;
        if (isConnected(level, tiles, place, side)) met++;
      }
    }
    const won = met === ends;
    return { score: met / 2, progress: won ? 1 : met / ends, won, over: won, lives: 1 };
  },
  hint({ tiles }, level) {
    const place = fewestTurns(level, tiles)?.findIndex((turns) => turns > 0);
    return place === undefined || place < 0 ? undefined : place;
  },
};

/** Returns the cells of closed loops. */
export function closedPlaces(level: Plane, tiles: readonly number[]): Set<number> {
  const closed = new Set<number>();
  const seen = new Set<number>();
  for (const first of tiles.keys()) {
    if (seen.has(first)) continue;
    const loop = connectedTiles(level, tiles, first);
    for (const place of loop) seen.add(place);
    const isOpen = (place: number) => openEnds(level, tiles, place).length > 0;
    if (loop.length > 1 && !loop.some(isOpen)) for (const place of loop) closed.add(place);
  }
  return closed;
}

export const openEnds = (level: Plane, tiles: readonly number[], place: number) =>
  sides.filter((side) => (tiles[place] ?? 0) & side && !isConnected(level, tiles, place, side));
