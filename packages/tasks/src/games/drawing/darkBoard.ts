import type { Palette } from '../game.js';
import { shade } from './kit.js';

/** A board colour dark enough that light shows on it. */
export const darkBoard = ({ board }: Palette): string => shade(board, lightness(board) < 0.5 ? -0.45 : -0.72);

/** Perceived lightness (0..1). */
function lightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  return 0.3 * red + 0.6 * green + 0.1 * blue;
}
