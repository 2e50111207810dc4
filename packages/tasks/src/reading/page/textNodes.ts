import type { Visibility } from './visibility.js';
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
    const { clip, style } = surface;
    for (const { index, 0: word } of value.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      if (right <= left || right < clip.left || left > clip.right || bottom < clip.top || top > clip.bottom) continue;
      cutter.add(charactersOf(range, node, index, word, style.textTransform), parent, surface);
    }
  }
}

function charactersOf(range: Range, node: Node, start: number, word: string, transform: string): Character[] {
  const characters: Character[] = [];
  let offset = start;
  for (const text of word) {
    range.setStart(node, offset);
    offset += text.length;
    range.setEnd(node, offset);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    characters.push({ text: transformed(text, transform, characters.length === 0), left, right, top, bottom });
  }
  return characters;
}

function transformed(text: string, transform: string, isFirst: boolean): string {
  if (transform === 'lowercase') return text.toLowerCase();
  const rises = transform === 'uppercase' || (transform === 'capitalize' && isFirst);
  const upper = rises ? text.toUpperCase() : text;
  // A letter such as ß has no single upper-case form.
  return upper.length === text.length ? upper : text;
}
