import { cell, glyphHeads } from './architecture.js';
import type { GlyphTargets } from './engine.js';
import type { Cells } from './vocabulary.js';

/** A letter on a screenshot: its box in px, the word it is part of (the same object for all letters of one word) and its place there. */
export interface Letter {
  char: string;
  box: { x: number; y: number; width: number; height: number };
  word: string;
  index: number;
}

/** Weight of a cell without text: most cells have none, and they would drown the others. */
const emptyWeight = 0.1;

/**
 * Reading targets: head 0 is the letter at the centre of a cell, heads 1 to 7 are the first seven letters of the word that
 * the cell belongs to. Class 0 is "nothing", 1..26 are a..z; other characters have no target.
 */
export function glyphLabels(cells: Cells, letters: readonly Letter[]): GlyphTargets {
  const n = cells.columns * cells.rows;
  const classes = new Int32Array(n * glyphHeads);
  const weights = new Float32Array(n * glyphHeads).fill(emptyWeight);
  for (const run of runs(letters)) {
    const top = Math.min(...run.map(({ box }) => box.y));
    const bottom = Math.max(...run.map(({ box }) => box.y + box.height));
    for (const row of rowsOf(cells, top, bottom)) {
      for (const letter of run) {
        const { x, width } = letter.box;
        const first = Math.ceil(x / cell.width - 0.5);
        const last = Math.ceil((x + width) / cell.width - 0.5) - 1;
        for (let column = Math.max(0, first); column <= Math.min(cells.columns - 1, last); column++) {
          const at = (row * cells.columns + column) * glyphHeads;
          classes[at] = classOf(letter.char);
          weights[at] = 1;
          for (let k = 1; k < glyphHeads; k++) {
            const char = letter.word[k - 1];
            classes[at + k] = char === undefined ? 0 : classOf(char);
            weights[at + k] = k <= letter.word.length + 1 ? 1 : 0.3;
          }
        }
      }
    }
  }
  return { classes, weights };
}

/** Letters of one word on one line, in the order given. */
function runs(letters: readonly Letter[]): Letter[][] {
  const out: Letter[][] = [];
  let last: Letter | undefined;
  for (const letter of letters) {
    const continues = last && letter.word === last.word && letter.index === last.index + 1;
    if (continues) out.at(-1)?.push(letter);
    else out.push([letter]);
    last = letter;
  }
  return out;
}

/** Rows of cells whose centre is between `top` and `bottom`; where there is none, the row that overlaps most. */
function rowsOf(cells: Cells, top: number, bottom: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < cells.rows; row++) {
    const centre = (row + 0.5) * cell.height;
    if (centre >= top && centre < bottom) rows.push(row);
  }
  if (rows.length > 0) return rows;
  const nearest = Math.floor((top + bottom) / 2 / cell.height);
  return nearest >= 0 && nearest < cells.rows ? [nearest] : [];
}

function classOf(char: string): number {
  const code = char.toLowerCase().charCodeAt(0) - 96;
  return code >= 1 && code <= 26 ? code : 0;
}
