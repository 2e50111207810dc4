import type { Word } from '../word.js';
import type { TextSurface, Visibility } from './visibility.js';

/** A code point with its box, in px of the screen. */
export interface Character {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Share of a line box that may be cut off above or below: it is taller than the ink. */
const blank = 0.22;

const round = (value: number): number => Math.round(value * 10) / 10;

/** Collects the visible parts of words. */
export class WordCutter {
  readonly words: Word[] = [];
  readonly #visibility: Visibility;
  readonly #shortened = new Set<Element>();

  constructor(visibility: Visibility) {
    this.#visibility = visibility;
  }

  /** Adds the visible parts of one word; a break of the line splits it. */
  add(characters: readonly Character[], element: Element, surface: TextSurface): void {
    const { clip, fontSize, ellipsis } = surface;
    const limit = ellipsis ? clip.right - 0.9 * fontSize : clip.right;
    const isInside = ({ left, right, top, bottom }: Character): boolean => {
      const slack = (bottom - top) * blank;
      return (
        right <= limit + 0.5 && left >= clip.left - 0.5 && top + slack >= clip.top && bottom - slack <= clip.bottom
      );
    };
    const isClipped = !ellipsis && !characters.every(isInside);
    let part: Character[] = [];
    const end = () => {
      this.#addPart(part, element, surface, isClipped);
      part = [];
    };
    for (const character of characters) {
      const { left, right, top, bottom } = character;
      const before = part.at(-1);
      if (before && Math.abs(before.top - top) > (bottom - top) / 2) end();
      if (right > limit + 0.5 && left < right && ellipsis && !this.#shortened.has(element)) {
        this.#shortened.add(element);
        const x = Math.min(left, limit);
        part.push({ text: '…', left: x, right: x + 0.9 * fontSize, top, bottom });
      }
      const inside = isInside(character);
      if (inside && (right > left || part.length > 0)) part.push(character);
      else if (!inside) end();
    }
    end();
  }

  #addPart(part: readonly Character[], element: Element, surface: TextSurface, isClipped: boolean): void {
    const [first, last] = [part[0], part.at(-1)];
    if (!first || !last) return;
    const shows = ({ left, right, top, bottom }: Character) =>
      this.#visibility.isUncovered(surface, element, (left + right) / 2, (top + bottom) / 2);
    const isFirstShown = shows(first);
    const isLastShown = part.length < 3 ? isFirstShown : shows(last);
    if (isFirstShown && isLastShown) {
      this.#push(part, surface, isClipped);
      return;
    }
    if (!isFirstShown && !isLastShown) return;
    let rest: Character[] = [];
    for (const character of part) {
      if (shows(character)) rest.push(character);
      else {
        this.#push(rest, surface, true);
        rest = [];
      }
    }
    this.#push(rest, surface, true);
  }

  #push(part: readonly Character[], { fontSize, frame }: TextSurface, isClipped: boolean): void {
    const [first, last] = [part[0], part.at(-1)];
    if (!first || !last) return;
    this.words.push({
      text: part.map(({ text }) => text).join(''),
      top: round(first.top),
      height: round(first.bottom - first.top),
      fontSize,
      edges: [...part.map(({ left }) => round(left)), round(last.right)],
      ...(isClipped && { clipped: true }),
      ...(frame > 0 && { frame }),
    });
  }
}
