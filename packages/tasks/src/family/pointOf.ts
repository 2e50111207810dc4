import type { Point } from '@gyre/protocol';

/** Returns a point at fractions of an element's size, by default its centre. Runs in pages. */
export function pointOf(element: Element, across = 0.5, down = 0.5): Point {
  const box = element.getBoundingClientRect();
  return {
    x: (box.left + box.width * across) / window.innerWidth,
    y: (box.top + box.height * down) / window.innerHeight,
  };
}
