/** Tiles in layers, each over up to four of the layer below. */
export interface TilesLevel {
  readonly difficulty: number;
  readonly tiles: readonly Tile[];
}

export interface Tile {
  /** Of the left upper corner, in halves of a tile. */
  readonly x: number;
  readonly y: number;
  readonly layer: number;
  /** From 0 on. */
  readonly kind: number;
}

export interface TilesState {
  /** Tiles that still lie on the table, by their numbers in the level. */
  readonly left: readonly number[];
  /** Kinds in the tray, equal ones beside each other. */
  readonly tray: readonly number[];
}

export const traySize = 7;

/** Whether a tile lies on another. */
const covers = (upper: Tile, lower: Tile) =>
  upper.layer > lower.layer && Math.abs(upper.x - lower.x) < 2 && Math.abs(upper.y - lower.y) < 2;

/** Of each tile the tiles that lie on it. */
export const coversOf = (tiles: readonly Tile[]): number[][] =>
  tiles.map((lower) => [...tiles.keys()].filter((index) => covers(tiles[index] ?? lower, lower)));

/** Whether nothing lies on a tile of those that are left. */
export function isFree({ left }: TilesState, { tiles }: TilesLevel, index: number): boolean {
  const tile = tiles[index];
  return tile !== undefined && !left.some((other) => covers(tiles[other] ?? tile, tile));
}

/** A tray with one tile more: it goes behind the last of its kind, and three of a kind vanish. */
export function trayWith(tray: readonly number[], kind: number): number[] {
  if (tray.filter((other) => other === kind).length === 2) return tray.filter((other) => other !== kind);
  const at = tray.lastIndexOf(kind);
  return at < 0 ? [...tray, kind] : tray.toSpliced(at, 0, kind);
}
