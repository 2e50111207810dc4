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
  const all = [...document.querySelectorAll<HTMLElement>('[data-name^="block-"]')];
  const distance = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return Math.max(0, top - y, y - bottom);
  };
  const element = all.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  const block = all.indexOf(element);
  let best = { at: 0, far: Infinity };
  let passed = 0;
  for (const node of textNodes(element)) {
    for (let letter = 0; letter < node.length; letter++) {
      const range = document.createRange();
      range.setStart(node, letter);
      range.setEnd(node, letter + 1);
      for (const { left, right, top, bottom } of range.getClientRects()) {
        const down = 1000 * Math.max(0, top - y, y - bottom);
        for (const [at, edge] of [
          [passed + letter, left],
          [passed + letter + 1, right],
        ] as const) {
          const far = down + Math.abs(edge - x);
          if (far < best.far) best = { at, far };
        }
      }
    }
    passed += node.length;
  }
  return { block, at: best.at };
}

/** Returns the middle of the place's line, in px. */
export function pointOf({ block, at }: Place): { x: number; y: number } | undefined {
  const element = blockElement(block);
  if (!element) return undefined;
  let left = at;
  for (const node of textNodes(element)) {
    if (left <= node.length && node.length > 0) {
      const range = document.createRange();
      const before = left === node.length;
      range.setStart(node, before ? left - 1 : left);
      range.setEnd(node, before ? left : left + 1);
      const rect = range.getBoundingClientRect();
      return { x: before ? rect.right - 0.5 : rect.left + 0.5, y: (rect.top + rect.bottom) / 2 };
    }
    left -= node.length;
  }
  const { left: x, top, bottom } = element.getBoundingClientRect();
  return { x: x + 30, y: (top + bottom) / 2 };
}
