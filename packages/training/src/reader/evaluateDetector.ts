import type { OwnDetector } from '@gyre/reader';
import type { LabelledScreen } from './detectorLesson.js';
import type { TextRow } from './textRow.js';

export interface DetectorScores {
  readonly lines: number;
  /** Share of the lines that a box shows from end to end, at about their height. */
  readonly recall: number;
  /** Share of the boxes that show no line. */
  readonly empty: number;
  /** Mean distance of top and bottom from the truth, per height. */
  readonly off: number;
}

/** Detects the lines of labelled screens. */
export async function evaluateDetector(
  detector: OwnDetector,
  screens: readonly LabelledScreen[],
): Promise<DetectorScores> {
  let [lines, hits, boxes, empty, off] = [0, 0, 0, 0, 0];
  for (const { screen, rows } of screens) {
    const detected = await detector.detect(screen, { x: 0, y: 0, ...screen.size });
    const edges = detected.map(({ x, y, width, height }) => ({
      left: x,
      right: x + width,
      top: y,
      bottom: y + height,
    }));
    lines += rows.length;
    boxes += edges.length;
    for (const row of rows) {
      const match = edges.find(
        (box) => overlap(box, row) > 0.6 && box.left < row.left + 2 && box.right > row.right - 2,
      );
      if (!match) continue;
      hits++;
      off += (Math.abs(match.top - row.top) + Math.abs(match.bottom - row.bottom)) / 2 / (row.bottom - row.top);
    }
    empty += edges.filter(
      (box) => !rows.some((row) => overlap(box, row) > 0.3 && box.left < row.right && box.right > row.left),
    ).length;
  }
  return { lines, recall: hits / Math.max(1, lines), empty: empty / Math.max(1, boxes), off: off / Math.max(1, hits) };
}

/** Returns the intersection of two rows' heights over their union. */
function overlap(a: TextRow, b: TextRow): number {
  const both = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, both) / (Math.max(a.bottom, b.bottom) - Math.min(a.top, b.top));
}
