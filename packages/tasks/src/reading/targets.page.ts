import type { PixelBox, Point } from '@gyre/protocol';

/** Elements that the tasks' pages, ordinary pages and their scripts react to. */
const interactive = [
  '[data-name],[data-control],[data-do],[data-to],[data-press],[data-submit],[data-checks],[data-link],[data-field]',
  'button,a,input,select,textarea,label,option,summary,[role],[tabindex],[onclick],[contenteditable]',
].join(',');

/**
 * Returns the box in px of the interactive element at each point, as far as it is on the screen; null without one. Of a
 * slider it is the part that sets the same value. The second point, where a drag ends, may lie on what covers a place to
 * drop things.
 */
export default function targetsAt(points: readonly Point[]): (PixelBox | null)[] {
  return points.map(({ x, y }, index) => {
    const [width, height] = [window.innerWidth, window.innerHeight];
    const hit = document.elementFromPoint(Math.min(x * width, width - 1), Math.min(y * height, height - 1));
    if (!hit || hit instanceof HTMLCanvasElement) return null;
    const element = (index > 0 && hit.closest('[data-drop]')) || hit.closest(interactive);
    if (!element) return null;
    const rect = tickAt(hit, x * width) ?? element.getBoundingClientRect();
    const [left, top] = [Math.max(0, rect.left), Math.max(0, rect.top)];
    const [right, bottom] = [Math.min(width, rect.right), Math.min(height, rect.bottom)];
    if (right <= left || bottom <= top) return null;
    return { x: left, y: top, width: right - left, height: bottom - top };
  });
}

function tickAt(hit: Element, x: number): DOMRect | undefined {
  const track = hit.closest<HTMLElement>('[data-ticks]');
  if (!track) return undefined;
  const { left, top, width, height } = track.getBoundingClientRect();
  const step = width / Number(track.dataset.ticks);
  return new DOMRect(left + (Math.round((x - left) / step) - 0.5) * step, top, step, height);
}
