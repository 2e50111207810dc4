import type { PixelBox, TextLine } from '@gyre/protocol';
import { isNumeral, namesIn } from './instruction.js';
import { canonical } from './strings.js';

/** Something on the screen that a policy can point at: a line of text, a piece or a span of one, or a flat region. */
export interface ScreenToken {
  /** Empty for a region. */
  readonly text: string;
  readonly kind: 'line' | 'piece' | 'span' | 'region';
  readonly box: PixelBox;
}

export const maxScreenTokens = 256;
const maxTexts = 176;
/** Names and numbers within lines of prose. */
const maxNames = 40;
/** Lines with fewer words are labels, not prose. */
const minProse = 5;

/** A character of a line, with the place of its middle in px. */
export interface Char {
  readonly char: string;
  readonly centre: number;
}

/**
 * Cuts lines into the tokens of a screen: at wide gaps, and at every space where most words are numbers. Each quoted
 * string of the instruction, and each word of one, that stands within a line is a token of its own, and so are numbers
 * within a line and names within prose.
 */
export function textTokens(lines: readonly TextLine[], quoted: readonly string[]): ScreenToken[] {
  const tokens: ScreenToken[] = [];
  const sought = [...new Set(quoted)].flatMap((text) => {
    const key = canonical(text);
    return [...key].length >= 2 ? [{ text, key }] : [];
  });
  let named = 0;
  for (const line of lines) {
    const chars = charsOf(line);
    const parts = cut(chars, line.box.height);
    const [only] = parts;
    if (!only) continue;
    if (parts.length === 1) tokens.push({ text: line.text.trim(), kind: 'line', box: line.box });
    else {
      for (const part of parts) {
        tokens.push({ text: textOf(part), kind: 'piece', box: spanBox(part, line.box) });
      }
    }
    for (const { text, key } of sought) {
      const span = spanOf(chars, key);
      if (span && (parts.length > 1 || canonical(line.text) !== key)) {
        tokens.push({ text, kind: 'span', box: spanBox(span, line.box) });
      }
    }
    if (parts.length === 1 && named < maxNames) {
      for (const [start, end] of namedIn(line.text)) {
        const text = line.text.slice(start, end);
        if (sought.some(({ key }) => key === canonical(text))) continue;
        const span = chars.slice([...line.text.slice(0, start)].length, [...line.text.slice(0, end)].length);
        tokens.push({ text, kind: 'span', box: spanBox(span, line.box) });
        named++;
      }
    }
    if (tokens.length >= maxTexts) break;
  }
  return tokens.slice(0, maxTexts);
}

/** Returns where numbers, and in prose names, begin and end, unless one is the whole line. */
function namedIn(text: string): [number, number][] {
  const words = [...text.matchAll(/[^\s()"“”\p{Script=Han}，。：；！？、（）《》]+/gu)];
  const numerals = words.flatMap(({ 0: word, index }): [number, number][] => {
    const bare = word.replace(/[.,;:!?]+$/u, '');
    return isNumeral(bare) ? [[index, index + bare.length]] : [];
  });
  const names = words.length < minProse ? [] : namesIn(text).filter(({ text: name }) => name.length > 2);
  const runs = names.flatMap(({ text: name, end, opensSentence }): [number, number][] =>
    opensSentence && !name.includes(' ') ? [] : [[end - name.length, end]],
  );
  return [...numerals, ...runs].filter(([start, end]) => end - start < text.trim().length);
}

export const charsOf = (line: TextLine): Char[] =>
  [...line.text].map((char, i) => ({ char, centre: line.centres[i] ?? line.box.x }));

export const textOf = (chars: readonly Char[]): string =>
  chars
    .map(({ char }) => char)
    .join('')
    .trim();

export const isSpace = (char: string): boolean => /\s/u.test(char);

/** Letter-spaced fonts have wide spaces, so the pitch of the characters decides. */
function cut(chars: readonly Char[], height: number): Char[][] {
  const visible = chars.filter(({ char }) => !isSpace(char));
  const steps = chars
    .flatMap(({ char, centre }, i) => {
      const before = chars[i - 1];
      return before && !isSpace(char) && !isSpace(before.char) ? [centre - before.centre] : [];
    })
    .sort((a, b) => a - b);
  const pitch = Math.min(Math.max(steps[steps.length >> 1] ?? height / 2, 0.35 * height), 0.62 * height);
  const words = textOf(chars).split(/\s+/u);
  const digits = words.filter((word) => /^\d+$/.test(word)).length;
  const short = words.filter((word) => word.length < 3 || /^\d+$/.test(word)).length;
  const isNumeric = words.length > 1 && digits > 1 && short >= 0.75 * words.length;
  const parts: Char[][] = [];
  let spaced = false;
  let last: Char | undefined;
  for (const char of chars) {
    if (isSpace(char.char)) {
      spaced = true;
      parts.at(-1)?.push(char);
      continue;
    }
    const gap = last ? char.centre - last.centre : 0;
    const isNew = !last || gap > Math.max(2.3 * pitch, 0.9 * height) || (isNumeric && spaced);
    if (isNew) parts.push([]);
    parts.at(-1)?.push(char);
    last = char;
    spaced = false;
  }
  return visible.length === 0 ? [] : parts;
}

export function spanBox(chars: readonly Char[], line: PixelBox): PixelBox {
  const visible = chars.filter(({ char }) => !isSpace(char));
  const reach = 0.35 * line.height;
  const left = Math.max(line.x, (visible[0]?.centre ?? line.x) - reach);
  const right = Math.min(line.x + line.width, (visible.at(-1)?.centre ?? line.x) + reach);
  return { x: left, y: line.y, width: Math.max(1, right - left), height: line.height };
}

function spanOf(chars: readonly Char[], key: string): Char[] | undefined {
  const folded: { char: Char; piece: string }[] = chars.map((char) => ({ char, piece: canonical(char.char) }));
  const whole = folded.map(({ piece }) => piece).join('');
  const from = whole.indexOf(key);
  if (from < 0) return undefined;
  let position = 0;
  return folded.flatMap(({ char, piece }) => {
    const start = position;
    position += piece.length;
    return piece !== '' && start < from + key.length && position > from ? [char] : [];
  });
}
