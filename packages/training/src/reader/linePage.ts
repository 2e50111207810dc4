import type { Random } from '@gyre/engine';
import { type NormalisedLine, type Screen, normaliseLine } from '@gyre/reader';
import type { SheetLine } from '@gyre/tasks';

/** A page of lines, in RGB. */
export interface LinePage {
  readonly screen: Screen;
  readonly lines: readonly SheetLine[];
}

/** A line as a recogniser sees it. */
export interface CutLine extends NormalisedLine {
  readonly characters: readonly string[];
  /** Horizontal centre of each character, in px of the normalised line. */
  readonly centres: readonly number[];
}

/** Cuts a line as a detector would: its box is off by up to a tenth of the line's height, and includes some background. */
export function cutLine({ screen }: LinePage, line: SheetLine, random: Random): CutLine {
  const height = line.bottom - line.top;
  const from = Math.min(...line.sides);
  const to = Math.max(...line.sides);
  const off = (low: number, high: number): number => (low + (high - low) * random.next()) * height;
  const top = line.top + off(-0.12, 0.05);
  const bottom = line.bottom + off(-0.05, 0.12);
  const x = from - off(-0.02, 0.35);
  const box = { x, y: top, width: to + off(-0.02, 0.35) - x, height: bottom - top };
  const stretch = random.next() < 0.4 ? 0.88 + 0.26 * random.next() : 1;
  const cut = normaliseLine(screen, { box, stretch });
  const centres = Array.from({ length: line.sides.length / 2 }, (_, i) => {
    return ((line.sides[2 * i]! + line.sides[2 * i + 1]!) / 2 - box.x) * cut.scale;
  });
  return { ...cut, characters: [...line.text], centres };
}
