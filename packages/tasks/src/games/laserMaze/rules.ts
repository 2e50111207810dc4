import type { Game } from '../game.js';
import { beamOf } from './beam.js';
import type { Face, LaserLevel, Mirror } from './level.js';

export interface LaserState {
  readonly faces: readonly Face[];
}

/** Turns a mirror; a socket cycles through both faces and empty. */
export type LaserMove = number;

export const laserMaze: Game<LaserLevel, LaserState, LaserMove> = {
  name: 'laserMaze',
  version: 1,
  start: ({ faces }) => ({ faces }),
  move(state, index, { mirrors }) {
    const mirror = mirrors[index];
    const face = state.faces[index];
    if (!mirror || face === undefined) return state;
    return { faces: state.faces.with(index, nextFace(mirror, face)) };
  },
  status({ faces }, level) {
    const lit = litCrystals(level, faces).length;
    const won = lit === level.crystals.length;
    return { score: lit, progress: lit / level.crystals.length, won, over: won, lives: 1 };
  },
  /** Sets the first wrong mirror along the solved beam. */
  hint({ faces }, level) {
    return mirrorsOnWay(level).find((mirror) => faces[mirror] !== level.solved[mirror]);
  },
};

export function nextFace({ kind }: Mirror, face: Face): Face {
  if (kind === 'socket') return ((face + 1) % 3) as Face;
  return face === 1 ? 2 : 1;
}

export function litCrystals(level: LaserLevel, faces: readonly Face[]): number[] {
  const hit = new Set(beamOf(level, faces).map(({ to }) => to));
  return level.crystals.filter((crystal) => hit.has(crystal));
}

/** In the order of the solved beam. */
function mirrorsOnWay(level: LaserLevel): number[] {
  const mirrorIndices = new Set<number>();
  for (const { to } of beamOf(level, level.solved)) {
    const index = level.mirrors.findIndex(({ place }) => place === to);
    if (index >= 0) mirrorIndices.add(index);
  }
  return [...mirrorIndices];
}
