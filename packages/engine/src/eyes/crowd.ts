import type { TextLine } from '@gyre/protocol';
import type { Bounds } from './specks.js';

/** Cost of a line of text at the same place, in natural logarithms of the area. */
const textCost = 1.5;
/** Cost of each region of the same size, such as the cells of a table. */
const repeatCost = 0.02;

/**
 * Returns the `count` most useful targets. A box costs more if it is far from a typical control in size, if it holds a
 * line of text, which is a target itself, and if many boxes have its size.
 */
export function mostUseful<T extends Bounds>(
  boxes: readonly T[],
  count: number,
  { typicalArea, lines }: { typicalArea: number; lines: readonly TextLine[] },
): T[] {
  if (boxes.length <= count) return [...boxes];
  const sizes = new Map<string, number>();
  for (const box of boxes) sizes.set(sizeOf(box), (sizes.get(sizeOf(box)) ?? 0) + 1);
  const costed = boxes.map((box, index) => {
    const area = (box.right - box.left) * (box.bottom - box.top);
    const labelled = lines.some((line) => area < 8 * line.box.width * line.box.height && isCentredIn(line, box));
    const repeats = sizes.get(sizeOf(box)) ?? 0;
    const cost = Math.abs(Math.log(area / typicalArea)) + (labelled ? textCost : 0) + repeatCost * repeats;
    return { box, index, cost };
  });
  return costed
    .sort((a, b) => a.cost - b.cost || a.index - b.index)
    .slice(0, count)
    .map(({ box }) => box);
}

function isCentredIn({ box }: TextLine, { left, top, right, bottom }: Bounds): boolean {
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  return x > left && x < right && y > top && y < bottom;
}

/** Borders differ by a pixel from cell to cell. */
function sizeOf({ left, top, right, bottom }: Bounds): string {
  return `${(right - left) >> 1} ${(bottom - top) >> 1}`;
}
