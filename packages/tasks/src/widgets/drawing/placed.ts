import type { Box } from '../../family/box.js';

export function placed(name: string, { x, y, width, height }: Box, html = ''): string {
  return `<div class="at ${name}" style="left:${x}px;top:${y}px;width:${width}px;height:${height}px">${html}</div>`;
}
