import { type Way, stepOf, turns } from './cube.js';

export interface CubeLevel {
  readonly difficulty: number;
  readonly columns: number;
  readonly rows: number;
  readonly tiles: readonly boolean[];
  readonly start: number;
  /** Colours (0..5) in the order of `sides`. */
  readonly faces: readonly number[];
  readonly goals: readonly Goal[];
}

export interface Goal {
  readonly place: number;
  readonly colour: number;
}

export interface CubeState {
  // eslint-disable-next-line gyre/vague-name -- checksums cover the name
  readonly at: number;
  readonly turn: number;
  readonly lit: readonly number[];
}

export const facesOf = ({ turn }: CubeState, { faces }: CubeLevel): number[] =>
  (turns[turn] ?? []).map((face) => faces[face] ?? 0);

/** Returns undefined if there is no tile. */
export function placeAfter({ columns, rows, tiles }: CubeLevel, start: number, direction: Way): number | undefined {
  const { across, down } = stepOf[direction];
  const column = (start % columns) + across;
  const row = Math.floor(start / columns) + down;
  if (column < 0 || row < 0 || column >= columns || row >= rows) return undefined;
  const place = row * columns + column;
  return tiles[place] ? place : undefined;
}
