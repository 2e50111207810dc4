import type { TextSurface } from './visibility.js';
import type { Character } from './wordCutter.js';

const pen = new OffscreenCanvas(1, 1).getContext('2d');

/** Where text without a DOM range begins, in px. */
export interface TextPlace {
  readonly left: number;
  /** Vertical middle of the line. */
  readonly middle: number;
}

/** Returns the width of a text in a style, in px. */
export function widthOf(text: string, { style }: Pick<TextSurface, 'style'>): number {
  if (!pen) return 0;
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.letterSpacing = style.letterSpacing === 'normal' ? '0px' : style.letterSpacing;
  return pen.measureText(text).width;
}

/** Returns the words of a line that no range can measure, such as a field's value. */
export function* drawnWords(
  line: string,
  { left, middle }: TextPlace,
  surface: Pick<TextSurface, 'style' | 'fontSize'>,
): Generator<Character[]> {
  const [top, bottom] = [middle - 0.6 * surface.fontSize, middle + 0.6 * surface.fontSize];
  for (const { index, 0: word } of line.matchAll(/\S+/g)) {
    let end = index;
    let x = left + widthOf(line.slice(0, index), surface);
    yield [...word].map((text) => {
      end += text.length;
      const start = x;
      x = left + widthOf(line.slice(0, end), surface);
      return { text, left: start, right: x, top, bottom };
    });
  }
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
