import type { Game } from '../game.js';
import { joinedTo, meets, turned } from '../rules/pipeNet.js';
import { type Plane, sides } from '../rules/sides.js';
import { fewestTurns } from './fewestTurns.js';

/** Pipe tiles to turn until no end is open. */
export interface LoopLevel extends Plane {
  readonly difficulty: number;
  /** The tiles at first; 0 is an empty place. */
  readonly tiles: readonly number[];
}

export interface LoopState {
  readonly tiles: readonly number[];
}

/** A place: its tile turns a quarter clockwise. */
export type LoopMove = number;

export const infinityLoop: Game<LoopLevel, LoopState, LoopMove> = {
  name: 'infinityLoop',
  version: 1,
  start: ({ tiles }) => ({ tiles }),
  move(state, place) {
    const ends = state.tiles[place] ?? 0;
    // What looks the same when it is turned is not turned.
    if (turned(ends) === ends) return state;
    return { tiles: state.tiles.with(place, turned(ends)) };
  },
  standing({ tiles }, level) {
    let [ends, met] = [0, 0];
    for (const place of tiles.keys()) {
      for (const side of sides) {
        if ((tiles[place] ?? 0) & side) ends++;
        if (meets(level, tiles, place, side)) met++;
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

/** The places of the loops that have no open end. */
export function closedPlaces(level: Plane, tiles: readonly number[]): Set<number> {
  const closed = new Set<number>();
  const seen = new Set<number>();
  for (const first of tiles.keys()) {
    if (seen.has(first)) continue;
    const loop = joinedTo(level, tiles, first);
    for (const place of loop) seen.add(place);
    const isOpen = (place: number) => openEnds(level, tiles, place).length > 0;
    if (loop.length > 1 && !loop.some(isOpen)) for (const place of loop) closed.add(place);
  }
  return closed;
}

/** The sides at which a tile has an end that meets none. */
export const openEnds = (level: Plane, tiles: readonly number[], place: number) =>
  sides.filter((side) => (tiles[place] ?? 0) & side && !meets(level, tiles, place, side));
