import { advancesOf } from './advances.js';
import type { TextSurface, Visibility } from './visibility.js';
import type { Character, WordCutter } from './wordCutter.js';

/** Adds the words of the page's text nodes. */
export function addTextNodes(visibility: Visibility, cutter: WordCutter): void {
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const value = node.nodeValue ?? '';
    const parent = node.parentElement;
    if (!parent || !/\S/.test(value) || parent.matches('script,style,textarea,option')) continue;
    const surface = visibility.surfaceOf(parent);
    if (!surface) continue;
    const { clip, fontSize } = surface;
    for (const { index, 0: word } of value.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const rect = range.getBoundingClientRect();
      const { left, right, top, bottom } = rect;
      if (right <= left || right < clip.left || left > clip.right || bottom < clip.top || top > clip.bottom) continue;
      const isBroken = bottom - top > 1.9 * fontSize;
      const characters = isBroken
        ? measuredCharacters(range, node, index, word)
        : spreadCharacters(transformed(word, surface), rect, surface);
      cutter.add(characters, parent, surface);
    }
  }
}

/** Measures each character, ten times slower: for words that a line break parts, as Chinese text. */
function measuredCharacters(range: Range, node: Node, start: number, word: string): Character[] {
  let offset = start;
  return Array.from(word, (text) => {
    range.setStart(node, offset);
    offset += text.length;
    range.setEnd(node, offset);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { text, left, right, top, bottom };
  });
}

/** Fits the characters' widths in the word's, which includes kerning. */
function spreadCharacters(word: string, { left, width, top, bottom }: DOMRect, surface: TextSurface): Character[] {
  const advances = advancesOf(word, surface);
  const scale =
    width /
    Math.max(
      1,
      advances.reduce((sum, advance) => sum + advance, 0),
    );
  let x = left;
  return Array.from(word, (text, index) => {
    const start = x;
    x += (advances[index] ?? 0) * scale;
    return { text, left: start, right: x, top, bottom };
  });
}

function transformed(word: string, { style: { textTransform } }: TextSurface): string {
  if (textTransform === 'uppercase') return word.toUpperCase();
  if (textTransform === 'lowercase') return word.toLowerCase();
  return textTransform === 'capitalize' ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
