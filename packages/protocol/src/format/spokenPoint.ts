import { Point, type Size } from '../action/point.js';

/** What models put around the numbers of a point. */
const around = /<\/?(?:point|bbox|box|coord)>|<\|(?:box|point)_(?:start|end)\|>|[()[\]]/g;

/**
 * Returns the point that a text says in units of a space of `size`: two numbers, or the middle of the four of a box, in any of the brackets
 * and tags that models print around them. Returns undefined for other texts, and for a point outside.
 */
export function spokenPoint(text: string, { width, height }: Size): Point | undefined {
  const bare = text.replace(around, ' ').replace(/^[\s,]+|[\s,]+$/g, '');
  if (!/^\d+(?:\.\d*)?(?:(?:\s*,\s*|\s+)\d+(?:\.\d*)?)*$/.test(bare)) return undefined;
  const numbers = bare.split(/[\s,]+/).map(Number);
  if (numbers.length !== 2 && numbers.length !== 4) return undefined;
  const [left = NaN, top = NaN, right = left, bottom = top] = numbers;
  return Point.safeParse({ x: (left + right) / 2 / width, y: (top + bottom) / 2 / height }).data;
}
