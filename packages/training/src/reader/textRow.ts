import type { PerceptionSample, SheetLine } from '@gyre/tasks';

/** Text that a detector finds as one line, in px. */
export interface TextRow {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Words that are farther apart, relative to their height, are lines of their own. */
const widestGap = 0.62;

/** Joins the words of a page to lines. */
export function rowsOfWords(words: readonly TextRow[]): TextRow[] {
  const sorted = words.toSorted((a, b) => a.left - b.left);
  const rows: TextRow[] = [];
  for (const word of sorted) {
    const index = rows.findIndex((row) => continues(row, word));
    const row = rows[index];
    if (row === undefined) rows.push(word);
    else {
      rows[index] = {
        left: row.left,
        right: Math.max(row.right, word.right),
        top: Math.min(row.top, word.top),
        bottom: Math.max(row.bottom, word.bottom),
      };
    }
  }
  return rows;
}

function continues(row: TextRow, word: TextRow): boolean {
  const height = Math.min(row.bottom - row.top, word.bottom - word.top);
  const aligned = Math.abs(row.top - word.top) + Math.abs(row.bottom - word.bottom) < 0.3 * height;
  const gap = word.left - row.right;
  return aligned && gap > -0.5 * height && gap < widestGap * height;
}

/** Returns the visible parts of a sample's words. */
export function wordsOf({ glyphs }: PerceptionSample): TextRow[] {
  const words: TextRow[] = [];
  let last = -2;
  for (const { box, index } of glyphs) {
    const glyph = { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
    const word = words.at(-1);
    const follows = index === last + 1 && word !== undefined && glyph.top < word.bottom && glyph.bottom > word.top;
    if (follows) words[words.length - 1] = { ...word, right: Math.max(word.right, glyph.right) };
    else words.push(glyph);
    last = index;
  }
  return words;
}

export function rowOfLine({ top, bottom, sides }: SheetLine): TextRow {
  return { left: Math.min(...sides), right: Math.max(...sides), top, bottom };
}
