import { Point, type Size } from '../action/point.js';

const around = /<\/?(?:point|bbox|box|coord)>|<\|(?:box|point)_(?:start|end)\|>|[()[\]]/g;

/**
 * Reads two numbers, or the middle of a box's four, in units of `size`. Undefined for other texts and points outside.
 */
export function parsePoint(text: string, { width, height }: Size): Point | undefined {
  const bare = text.replace(around, ' ').replace(/^[\s,]+|[\s,]+$/g, '');
  if (!/^\d+(?:\.\d*)?(?:(?:\s*,\s*|\s+)\d+(?:\.\d*)?)*$/.test(bare)) return undefined;
  const numbers = bare.split(/[\s,]+/).map(Number);
  if (numbers.length !== 2 && numbers.length !== 4) return undefined;
  const [left = NaN, top = NaN, right = left, bottom = top] = numbers;
  return Point.safeParse({ x: (left + right) / 2 / width, y: (top + bottom) / 2 / height }).data;
}
