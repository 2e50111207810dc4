import { turned } from '../rules/pipeNet.js';
import type { Plane } from '../rules/sides.js';

/**
 * Returns quarter turns per tile that leave no end open, with the fewest in total; undefined if impossible. Dynamic
 * programming in reading order over the ends that face unvisited cells: a bit per column for those facing down, one for
 * the last cell's facing right.
 */
export function fewestTurns({ columns, rows }: Plane, tiles: readonly number[]): number[] | undefined {
  const sets = 2 ** (columns + 1);
  const right = 2 ** columns;
  let fewest = new Int32Array(sets).fill(-1);
  fewest[0] = 0;
  /** Per cell and set: 4 times the previous set, plus the turns. */
  const choices: Int32Array[] = [];
  for (let place = 0; place < columns * rows; place++) {
    const [column, row] = [place % columns, Math.floor(place / columns)];
    const next = new Int32Array(sets).fill(-1);
    const choice = new Int32Array(sets);
    for (let set = 0; set < sets; set++) {
      const soFar = fewest[set]!;
      if (soFar < 0) continue;
      const requiredEnds = ((set >> column) & 1) | (set & right ? 8 : 0);
      for (let turns = 0; turns < 4; turns++) {
        const ends = turned(tiles[place] ?? 0, turns);
        if ((ends & 9) !== requiredEnds) continue;
        if ((ends & 2 && column === columns - 1) || (ends & 4 && row === rows - 1)) continue;
        const after = (set & ~right & ~(1 << column)) | (ends & 4 ? 1 << column : 0) | (ends & 2 ? right : 0);
        if (next[after]! >= 0 && next[after]! <= soFar + turns) continue;
        next[after] = soFar + turns;
        choice[after] = set * 4 + turns;
      }
    }
    fewest = next;
    choices.push(choice);
  }
  if (fewest[0]! < 0) return undefined;
  const turns: number[] = [];
  let set = 0;
  for (const choice of choices.reverse()) {
    turns.push(choice[set]! % 4);
    set = Math.floor(choice[set]! / 4);
  }
  return turns.reverse();
}
