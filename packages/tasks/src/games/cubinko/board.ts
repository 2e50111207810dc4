import { type Way, stepOf, turns } from './cube.js';

/** A grid with coloured tiles, and a cube on it. */
export interface CubeLevel {
  readonly difficulty: number;
  readonly columns: number;
  readonly rows: number;
  /** Whether there is a tile, in reading order. */
  readonly tiles: readonly boolean[];
  readonly start: number;
  /** The colours (0..5) at the cube's bottom, north, east, south, west and top. */
  readonly faces: readonly number[];
  readonly goals: readonly Goal[];
}

/** A coloured tile. */
export interface Goal {
  readonly place: number;
  readonly colour: number;
}

export interface CubeState {
  readonly at: number;
  /** How the cube lies: a number of `turns`. */
  readonly turn: number;
  /** Goals that are lit, by their numbers in the level. */
  readonly lit: readonly number[];
}

/** The colours at the six sides. */
export const facesOf = ({ turn }: CubeState, { faces }: CubeLevel): number[] =>
  (turns[turn] ?? []).map((face) => faces[face] ?? 0);

/** The place that a roll leads to; undefined where no tile is. */
export function placeAfter({ columns, rows, tiles }: CubeLevel, at: number, way: Way): number | undefined {
  const { across, down } = stepOf[way];
  const column = (at % columns) + across;
  const row = Math.floor(at / columns) + down;
  if (column < 0 || row < 0 || column >= columns || row >= rows) return undefined;
  const place = row * columns + column;
  return tiles[place] ? place : undefined;
}
