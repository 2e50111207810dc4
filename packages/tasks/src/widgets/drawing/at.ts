import type { Box } from '../../family/box.js';

/** HTML of a box at its place. */
export function at(name: string, { x, y, width, height }: Box, html = ''): string {
  return `<div class="at ${name}" style="left:${x}px;top:${y}px;width:${width}px;height:${height}px">${html}</div>`;
}
