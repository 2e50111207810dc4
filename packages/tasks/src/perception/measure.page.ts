/** Measurements of one slot, in px from its corner. */
export interface MeasuredSlot {
  /** Characters without a space, with left, top, width and height of each; width 0 unless wholly visible. */
  readonly words: readonly (readonly [word: string, rects: readonly number[]])[];
  /** The draft's id, left, top, width and height, then 0 if wholly visible, else 1. */
  readonly elements: readonly (readonly [
    id: number,
    x: number,
    y: number,
    width: number,
    height: number,
    seen: 0 | 1,
  ])[];
}

/** Measures a sheet's slots. Clipped or covered parts are not wholly visible. */
export default function measureSlots(): MeasuredSlot[] {
  type Rect = { left: number; top: number; right: number; bottom: number };
  const range = document.createRange();
  return [...document.querySelectorAll('.slot')].map((slot) => {
    const origin = slot.getBoundingClientRect();
    const layered = slot.querySelector('.over,.popup,.tip') !== null;
    const bounds = new Map<Element, Rect>([[slot, origin]]);
    const round = (value: number): number => Math.round(value * 100) / 100;

    function boundsOf(element: Element): Rect {
      const known = bounds.get(element);
      if (known) return known;
      let bound = element.parentElement ? boundsOf(element.parentElement) : origin;
      if (element.matches('.clip,.items,.progress,.photo,.stepper,.screen .field')) {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        bound = {
          left: Math.max(left, bound.left),
          top: Math.max(top, bound.top),
          right: Math.min(right, bound.right),
          bottom: Math.min(bottom, bound.bottom),
        };
      }
      bounds.set(element, bound);
      return bound;
    }

    const hits = (element: Element, x: number, y: number): boolean => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (element.contains(hit) || hit.contains(element));
    };

    const cut = new Set<Element>();
    const words: [string, number[]][] = [];
    const texts = document.createTreeWalker(slot, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (!parent) continue;
      const limit = boundsOf(parent);
      for (const match of (node.nodeValue ?? '').matchAll(/\S+/g)) {
        const rects: number[] = [];
        for (let offset = match.index; offset < match.index + match[0].length; offset++) {
          range.setStart(node, offset);
          range.setEnd(node, offset + 1);
          const { left, top, right, bottom, width, height } = range.getBoundingClientRect();
          // A character's box is taller than its ink.
          const seen =
            width > 0 &&
            left >= limit.left - 0.5 &&
            right <= limit.right + 0.5 &&
            top + height * 0.16 >= limit.top &&
            bottom - height * 0.16 <= limit.bottom &&
            (!layered || hits(parent, (left + right) / 2, (top + bottom) / 2));
          if (!seen) cut.add(parent);
          const [x, y] = [Math.max(left, limit.left), Math.max(top, limit.top)];
          rects.push(
            round(x - origin.left),
            round(y - origin.top),
            seen ? round(Math.min(right, limit.right) - x) : 0,
            round(Math.min(bottom, limit.bottom) - y),
          );
        }
        words.push([match[0], rects]);
      }
    }
    for (const element of [...cut]) {
      for (let above: Element | null = element; above && above !== slot; above = above.parentElement) cut.add(above);
    }

    const elements: [number, number, number, number, number, 0 | 1][] = [];
    for (const element of slot.querySelectorAll<HTMLElement>('[data-e]')) {
      const rect = element.getBoundingClientRect();
      const limit = boundsOf(element);
      const [x, y] = [Math.max(rect.left, limit.left), Math.max(rect.top, limit.top)];
      const [width, height] = [Math.min(rect.right, limit.right) - x, Math.min(rect.bottom, limit.bottom) - y];
      if (width < 1 || height < 1) continue;
      const [middle, centre] = [x + width / 2, y + height / 2];
      const whole =
        width >= rect.width - 1.5 &&
        height >= rect.height - 1.5 &&
        !cut.has(element) &&
        hits(element, middle, centre) &&
        (!layered ||
          (hits(element, x + 1.5, centre) &&
            hits(element, x + width - 1.5, centre) &&
            hits(element, middle, y + 1.5) &&
            hits(element, middle, y + height - 1.5)));
      elements.push([
        Number(element.dataset.e),
        round(x - origin.left),
        round(y - origin.top),
        round(width),
        round(height),
        whole ? 0 : 1,
      ]);
    }
    return { words, elements };
  });
}
