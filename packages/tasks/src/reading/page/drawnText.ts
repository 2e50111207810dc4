import { advancesOf, widthOf } from './advances.js';
import type { TextSurface } from './visibility.js';
import type { Character } from './wordCutter.js';

/** The start of a line, in px. */
export interface LineStart {
  readonly x: number;
  /** Vertical middle of the line. */
  readonly middle: number;
}

/** Returns the words of a line that no range can measure, such as a field's value. */
export function* drawnWords(
  line: string,
  { x: start, middle }: LineStart,
  surface: Pick<TextSurface, 'style' | 'fontSize'>,
): Generator<Character[]> {
  const [top, bottom] = [middle - 0.6 * surface.fontSize, middle + 0.6 * surface.fontSize];
  const advances = advancesOf(line, surface);
  let word: Character[] = [];
  let x = start;
  for (const [index, text] of [...line].entries()) {
    const right = x + (advances[index] ?? 0);
    if (text.trim() !== '') word.push({ text, left: x, right, top, bottom });
    else if (word.length > 0) {
      yield word;
      word = [];
    }
    x = right;
  }
  if (word.length > 0) yield word;
}

/** Breaks a text as a browser does: at spaces and between ideographs. */
export function wrapped(text: string, width: number, surface: Pick<TextSurface, 'style'>): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const [token] of paragraph.matchAll(/\s+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+/g)) {
      if (line !== '' && token.trim() !== '' && widthOf(line + token, surface) > width) {
        lines.push(line);
        line = '';
      }
      line += token;
    }
    return [...lines, line];
  });
}
