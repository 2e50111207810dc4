import type { AppKind } from '../app.js';
import type { editorWords } from './editorWords.js';

export const styles = ['text', 'h1', 'h2', 'quote', 'bullet', 'number'] as const;
export type Style = (typeof styles)[number];

export const marks = { bold: 1, italic: 2, underline: 4 } as const;
export type Mark = keyof typeof marks;

export interface Block {
  style: Style;
  centred: boolean;
  text: string;
  /** Bits of `marks` per letter. */
  marks: number[];
  /** Address per letter; '' for none. */
  links: string[];
}

export interface EditorStore {
  title: string;
  blocks: Block[];
}

export interface Place {
  block: number;
  offset: number;
}

export interface EditorUi {
  /** Start of the selection; equals `caret` if nothing is selected. */
  anchor: Place;
  caret: Place;
  /** Earlier documents, as JSON. */
  undo: string[];
  link?: string | undefined;
  find?: { text: string; by: string } | undefined;
  clipboard: string;
}

export interface EditorApp extends AppKind {
  store: EditorStore;
  ui: EditorUi;
  word: keyof typeof editorWords;
}

export const plainBlock = (text: string, style: Style = 'text'): Block => ({
  ...{ style, centred: false, text },
  marks: [...text].map(() => 0),
  links: [...text].map(() => ''),
});

const isBefore = (a: Place, b: Place): boolean => a.block < b.block || (a.block === b.block && a.offset < b.offset);

export function endsOf({ anchor, caret }: EditorUi): [Place, Place] {
  return isBefore(caret, anchor) ? [caret, anchor] : [anchor, caret];
}

export function partsBetween(
  { blocks }: EditorStore,
  from: Place,
  to: Place,
): { block: Block; from: number; to: number }[] {
  return blocks.slice(from.block, to.block + 1).map((block, index) => ({
    block,
    from: index === 0 ? from.offset : 0,
    to: from.block + index === to.block ? to.offset : block.text.length,
  }));
}

function splice(block: Block, from: number, to: number, text: string, mark: number, link: string): void {
  block.text = block.text.slice(0, from) + text + block.text.slice(to);
  block.marks.splice(from, to - from, ...Array.from({ length: text.length }, () => mark));
  block.links.splice(from, to - from, ...Array.from({ length: text.length }, () => link));
}

/** Deletes a range and joins the blocks at its ends. */
export function cut(store: EditorStore, from: Place, to: Place): void {
  const [first, last] = [store.blocks[from.block], store.blocks[to.block]];
  if (!first || !last) return;
  if (first === last) return splice(first, from.offset, to.offset, '', 0, '');
  splice(first, from.offset, first.text.length, '', 0, '');
  splice(last, 0, to.offset, '', 0, '');
  first.text += last.text;
  first.marks.push(...last.marks);
  first.links.push(...last.links);
  store.blocks.splice(from.block + 1, to.block - from.block);
}

/** Inserts text with the look of the preceding letter; returns the place after it. */
export function insert(store: EditorStore, place: Place, text: string): Place {
  const block = store.blocks[place.block];
  if (!block) return place;
  const link = block.links[place.offset - 1] === block.links[place.offset] ? (block.links[place.offset] ?? '') : '';
  splice(block, place.offset, place.offset, text, block.marks[place.offset - 1] ?? 0, link);
  return { block: place.block, offset: place.offset + text.length };
}

/** Splits a block; a heading is followed by plain text. */
export function split(store: EditorStore, place: Place): Place {
  const block = store.blocks[place.block];
  if (!block) return place;
  const rest: Block = {
    ...block,
    style: block.style === 'h1' || block.style === 'h2' ? 'text' : block.style,
    ...{
      text: block.text.slice(place.offset),
      marks: block.marks.slice(place.offset),
      links: block.links.slice(place.offset),
    },
  };
  splice(block, place.offset, block.text.length, '', 0, '');
  store.blocks.splice(place.block + 1, 0, rest);
  return { block: place.block + 1, offset: 0 };
}

/** Applies a mark, or removes it if all letters have it. */
export function toggleMark(store: EditorStore, from: Place, to: Place, mark: Mark): void {
  const parts = partsBetween(store, from, to);
  const bit = marks[mark];
  const isMarked = parts.every(({ block, from, to }) => block.marks.slice(from, to).every((bits) => bits & bit));
  for (const { block, from, to } of parts) {
    for (let offset = from; offset < to; offset++)
      block.marks[offset] = isMarked ? (block.marks[offset] ?? 0) & ~bit : (block.marks[offset] ?? 0) | bit;
  }
}

export function setLink(store: EditorStore, from: Place, to: Place, link: string): void {
  for (const part of partsBetween(store, from, to)) part.block.links.fill(link, part.from, part.to);
}

export function replaceAll(store: EditorStore, text: string, by: string): number {
  let count = 0;
  if (text === '') return 0;
  for (const block of store.blocks) {
    for (let offset = block.text.indexOf(text); offset >= 0; offset = block.text.indexOf(text, offset + by.length)) {
      splice(block, offset, offset + text.length, by, block.marks[offset] ?? 0, block.links[offset] ?? '');
      count++;
    }
  }
  return count;
}

export const timesIn = ({ blocks }: EditorStore, text: string): number =>
  text === '' ? 0 : blocks.reduce((count, block) => count + block.text.split(text).length - 1, 0);

/** Counts words, or characters in Chinese. */
export function lengthOf({ blocks }: EditorStore, chinese: boolean): number {
  const texts = blocks.map(({ text }) => text);
  if (chinese) return texts.join('').replace(/\s/g, '').length;
  return texts.join(' ').split(/\s+/).filter(Boolean).length;
}

/** Returns a word's ends; adjacent Chinese characters count as one word. */
export function wordAround(text: string, offset: number): [number, number] {
  const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}-]/u.test(letter);
  const middle = isWord(text[offset]) ? offset : offset - 1;
  if (!isWord(text[middle])) return [offset, offset];
  let [from, to] = [middle, middle + 1];
  while (from > 0 && isWord(text[from - 1])) from--;
  while (isWord(text[to])) to++;
  return [from, to];
}
