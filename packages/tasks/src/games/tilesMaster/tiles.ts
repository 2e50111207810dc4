/** Each tile lies over up to four of the layer below. */
export interface TilesLevel {
  readonly difficulty: number;
  readonly tiles: readonly Tile[];
}

export interface Tile {
  /** Upper left corner, in half tiles. */
  readonly x: number;
  readonly y: number;
  readonly layer: number;
  readonly kind: number;
}

export interface TilesState {
  /** Remaining tiles. */
  // eslint-disable-next-line gyre/vague-name -- checksums cover the name
  readonly left: readonly number[];
  /** Equal kinds are adjacent. */
  readonly tray: readonly number[];
}

export const traySize = 7;

const covers = (upper: Tile, lower: Tile) =>
  upper.layer > lower.layer && Math.abs(upper.x - lower.x) < 2 && Math.abs(upper.y - lower.y) < 2;

export const coversOf = (tiles: readonly Tile[]): number[][] =>
  tiles.map((lower) => [...tiles.keys()].filter((index) => covers(tiles[index] ?? lower, lower)));

export function isFree({ left: remaining }: TilesState, { tiles }: TilesLevel, index: number): boolean {
  const tile = tiles[index];
  return tile !== undefined && !remaining.some((other) => covers(tiles[other] ?? tile, tile));
}

/** Adds a tile behind the last of its kind; three vanish. */
export function addToTray(tray: readonly number[], kind: number): number[] {
  if (tray.filter((other) => other === kind).length === 2) return tray.filter((other) => other !== kind);
  const lastIndex = tray.lastIndexOf(kind);
  return lastIndex < 0 ? [...tray, kind] : tray.toSpliced(lastIndex, 0, kind);
}
