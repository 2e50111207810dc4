import type { Place } from './editorStore.js';

const blockElement = (block: number): HTMLElement | null => document.querySelector(`[data-name="block-${block}"]`);

function textNodes(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** Takes px of the screen. */
export function placeAt(x: number, y: number): Place {
  const blocks = [...document.querySelectorAll<HTMLElement>('[data-name^="block-"]')];
  const distance = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return Math.max(0, top - y, y - bottom);
  };
  const element = blocks.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  const block = blocks.indexOf(element);
  let best = { offset: 0, far: Infinity };
  let passed = 0;
  for (const node of textNodes(element)) {
    for (let letter = 0; letter < node.length; letter++) {
      const range = document.createRange();
      range.setStart(node, letter);
      range.setEnd(node, letter + 1);
      for (const { left, right, top, bottom } of range.getClientRects()) {
        const down = 1000 * Math.max(0, top - y, y - bottom);
        for (const [offset, edge] of [
          [passed + letter, left],
          [passed + letter + 1, right],
        ] as const) {
          const far = down + Math.abs(edge - x);
          if (far < best.far) best = { offset, far };
        }
      }
    }
    passed += node.length;
  }
  return { block, offset: best.offset };
}

/** Returns the middle of the place's line, in px. */
export function pointOf({ block, offset }: Place): { x: number; y: number } | undefined {
  const element = blockElement(block);
  if (!element) return undefined;
  let remaining = offset;
  for (const node of textNodes(element)) {
    if (remaining <= node.length && node.length > 0) {
      const range = document.createRange();
      const before = remaining === node.length;
      range.setStart(node, before ? remaining - 1 : remaining);
      range.setEnd(node, before ? remaining : remaining + 1);
      const rect = range.getBoundingClientRect();
      return { x: before ? rect.right - 0.5 : rect.left + 0.5, y: (rect.top + rect.bottom) / 2 };
    }
    remaining -= node.length;
  }
  const { left: x, top, bottom } = element.getBoundingClientRect();
  return { x: x + 30, y: (top + bottom) / 2 };
}
