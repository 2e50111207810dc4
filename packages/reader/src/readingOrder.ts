import type { TextLine } from '@gyre/protocol';

/** Sorts lines from top to bottom, then from left to right. Lines are in one row if the first one spans their middles. */
export function readingOrder(lines: readonly TextLine[]): TextLine[] {
  const sorted = lines.toSorted((a, b) => middle(a) - middle(b) || a.box.x - b.box.x || a.box.width - b.box.width);
  const rows: TextLine[][] = [];
  for (const line of sorted) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row !== undefined && first !== undefined && middle(line) <= middle(first) + first.box.height / 4)
      row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.box.x - b.box.x));
}

function middle({ box }: TextLine): number {
  return box.y + box.height / 2;
}
