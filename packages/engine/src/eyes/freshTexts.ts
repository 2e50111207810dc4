import type { PixelBox, TextLine } from '@gyre/protocol';
import { canonical, likenessOf } from './strings.js';

/** Below, a text is another one and not the same misread. */
const sameness = 0.6;

/** Tells whether a text was not on the screen before the last turn, or not in this place. */
export function isFresh(text: string, box: PixelBox, before: readonly TextLine[]): boolean {
  const key = canonical(text);
  const isSame = (line: string): boolean =>
    canonical(line).includes(key) || (digitsIn(line) === digitsIn(text) && likenessOf(line, text) > sameness);
  return !before.some((line) => overlap(line.box, box) && isSame(line.text));
}

const digitsIn = (text: string): string => text.replace(/\D/gu, '');

function overlap(a: PixelBox, b: PixelBox): boolean {
  const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return across > 0 && down > 0.5 * Math.min(a.height, b.height);
}
