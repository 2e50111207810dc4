/** What the page says of one slot. All numbers are px from the slot's corner. */
export interface MeasuredSlot {
  /** A run of characters without a space, and the left, top, width and height of each; 0 wide where it is not wholly seen. */
  readonly words: readonly (readonly [word: string, rects: readonly number[]])[];
  /** Number of the draft, its left, top, width and height, and whether it is seen: 0 wholly, 1 in part or from under something. */
  readonly elements: readonly (readonly [
    id: number,
    x: number,
    y: number,
    width: number,
    height: number,
    seen: 0 | 1,
  ])[];
}

/**
 * Measures every character and element of every slot of a sheet. Runs in the page: it refers to nothing outside itself.
 * What reaches out of a slot or of an ancestor of class `clip`, or is under something else, is not wholly seen.
 */
export function measureSlots(): MeasuredSlot[] {
  type Rect = { left: number; top: number; right: number; bottom: number };
  const range = document.createRange();
  return [...document.querySelectorAll('.slot')].map((slot) => {
    const origin = slot.getBoundingClientRect();
    const layered = slot.querySelector('.over,.popup,.tip') !== null;
    const bounds = new Map<Element, Rect>([[slot, origin]]);
    const round = (value: number): number => Math.round(value * 100) / 100;

    /** What an element's contents can be seen through. */
    function boundsOf(element: Element): Rect {
      const known = bounds.get(element);
      if (known) return known;
      let found = element.parentElement ? boundsOf(element.parentElement) : origin;
      if (element.matches('.clip,.items,.progress,.photo,.stepper,.screen .field')) {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        found = {
          left: Math.max(left, found.left),
          top: Math.max(top, found.top),
          right: Math.min(right, found.right),
          bottom: Math.min(bottom, found.bottom),
        };
      }
      bounds.set(element, found);
      return found;
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
          // The box of a character reaches further up and down than its ink.
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
    // An element whose words are cut is not wholly seen either.
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
