import type { PixelBox, Point, TextLine } from '@gyre/protocol';
import { type Char, charsOf, isSpace, type ScreenToken, spanBox, textOf } from './screenTokens.js';

/** How far the middle of a text may be from a point that names it, in heights of its line. */
const reach = 0.6;
/** Gap between two lines of a paragraph, in heights of a line. */
const maxGap = 0.7;
/** Longer lines and paragraphs are no answer. */
const maxWords = 12;
const maxLines = 4;

/**
 * Returns the texts that a place named by the instruction may mean, in addition to whole lines: the word there, other
 * runs of words of a line and of lines of a paragraph with their middle there, and the whole paragraph.
 *
 * @param texts the lines, or the pieces that they are cut into
 * @param points in px
 */
export function pointedTexts(
  lines: readonly TextLine[],
  texts: readonly ScreenToken[],
  points: readonly Point[],
): ScreenToken[] {
  const known = new Set(texts.map(nameOf));
  return points
    .flatMap((point) => [...runsOfWords(lines, point), ...runsOfLines(texts, point)])
    .filter((token) => {
      const isNew = !known.has(nameOf(token));
      known.add(nameOf(token));
      return isNew;
    });
}

const nameOf = ({ text, box }: ScreenToken): string => `${Math.round(box.y)} ${text}`;

function runsOfWords(lines: readonly TextLine[], { x, y }: Point): ScreenToken[] {
  return lines.flatMap((line) => {
    const { box } = line;
    if (y < box.y || y > box.y + box.height || x < box.x || x > box.x + box.width) return [];
    const words = wordsOf(charsOf(line));
    if (words.length > maxWords) return [];
    return runs(words).flatMap((run): ScreenToken[] => {
      const chars = run.flat();
      const span = spanBox(chars, box);
      const isMeant =
        Math.abs(span.x + span.width / 2 - x) < reach * box.height ||
        (run.length === 1 && x >= span.x && x <= span.x + span.width);
      return isMeant ? [{ text: textOf(chars), kind: 'span', box: span }] : [];
    });
  });
}

/** Each word keeps the spaces after it. */
function wordsOf(chars: readonly Char[]): Char[][] {
  const words: Char[][] = [];
  for (const [i, char] of chars.entries()) {
    const before = chars[i - 1];
    if (!before || (isSpace(before.char) && !isSpace(char.char))) words.push([]);
    words.at(-1)?.push(char);
  }
  return words;
}

function runsOfLines(texts: readonly ScreenToken[], { x, y }: Point): ScreenToken[] {
  const paragraph = paragraphAt(texts, { x, y });
  return runs(paragraph).flatMap((run): ScreenToken[] => {
    if (run.length === 1) return [];
    const box = union(run.map((line) => line.box));
    const isMeant =
      Math.abs(box.y + box.height / 2 - y) < reach * run[0]!.box.height || run.length === paragraph.length;
    return isMeant ? [{ text: run.map(({ text }) => text).reduce(joined), kind: 'span', box }] : [];
  });
}

/** Returns the line nearest to the point with those above and below that continue it, from top to bottom. */
function paragraphAt(texts: readonly ScreenToken[], { x, y }: Point): ScreenToken[] {
  const whole = texts.filter(({ kind }) => kind !== 'span');
  const distance = ({ box }: ScreenToken): number => Math.abs(box.y + box.height / 2 - y);
  const [nearest] = whole
    .filter((text) => x >= text.box.x && x <= text.box.x + text.box.width && distance(text) <= text.box.height)
    .sort((a, b) => distance(a) - distance(b));
  if (!nearest) return [];
  const paragraph = [nearest];
  while (paragraph.length < maxLines) {
    const above = whole.find((text) => continues(text, paragraph[0]!));
    const below = whole.find((text) => continues(paragraph.at(-1)!, text));
    if (above) paragraph.unshift(above);
    if (below) paragraph.push(below);
    if (!above && !below) break;
  }
  return paragraph;
}

function continues({ box: above }: ScreenToken, { box: below }: ScreenToken): boolean {
  const height = Math.min(above.height, below.height);
  const gap = (below.y - above.y - above.height) / height;
  const isBelow = below.y + below.height / 2 > above.y + above.height;
  const isAlike = Math.max(above.height, below.height) < 1.4 * height;
  const offsets = [above.x - below.x, above.x + above.width / 2 - below.x - below.width / 2];
  return isBelow && isAlike && gap < maxGap && offsets.some((offset) => Math.abs(offset) < height);
}

/** Returns every run of consecutive items. */
function runs<T>(items: readonly T[]): T[][] {
  return items.flatMap((_, from) => items.slice(from).map((_, more) => items.slice(from, from + more + 1)));
}

function union(boxes: readonly PixelBox[]): PixelBox {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Chinese is continued without a space. */
function joined(above: string, below: string): string {
  const isChinese = /\p{Script=Han}$/u.test(above) && /^\p{Script=Han}/u.test(below);
  return isChinese ? above + below : `${above} ${below}`;
}
