/** Units per tile. Integers keep the physics deterministic. */
export const tile = 256;

/** In tiles. */
export const rows = 10;

export interface Slime {
  /** Turning points, in units. */
  readonly from: number;
  readonly to: number;
  /** Units walked since `from` at the start. */
  // eslint-disable-next-line gyre/vague-name -- checksums cover the name
  readonly at: number;
  /** Tiles from below. */
  readonly row: number;
}

export interface Cell {
  readonly column: number;
  readonly row: number;
}

export interface World {
  /** Height in tiles per column; 0 is a pit. */
  readonly ground: readonly number[];
  /** Floating tiles. */
  readonly blocks: readonly Cell[];
  readonly coins: readonly Cell[];
  readonly slimes: readonly Slime[];
  /** Columns that become respawn points once visited. */
  readonly rests: readonly number[];
  readonly flag: number;
}

/** Half widths and heights, in units. */
export const heroSize = { half: 88, height: 220 };
export const slimeSize = { half: 100, height: 150 };

/** Units per frame. */
const slimeSpeed = 7;

export function isSolid({ ground, blocks }: World, column: number, row: number): boolean {
  if (column < 0 || column >= ground.length) return true;
  if (row < (ground[column] ?? 0)) return row >= 0;
  return blocks.some((block) => block.column === column && block.row === row);
}

/** Returns a slime's centre and direction. */
export function slimeAt({ from, to, at: offset }: Slime, frame: number): { x: number; direction: 1 | -1 } {
  const length = to - from;
  const come = (offset + frame * slimeSpeed) % (2 * length);
  return come < length ? { x: from + come, direction: 1 } : { x: to - (come - length), direction: -1 };
}
