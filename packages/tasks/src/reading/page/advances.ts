import type { TextSurface } from './visibility.js';

const pen = new OffscreenCanvas(1, 1).getContext('2d');
/** Widths of characters in px, by font. */
const known = new Map<string, Map<string, number>>();

/** Returns the width of each code point in a style, in px, without kerning. */
export function advancesOf(text: string, { style }: Pick<TextSurface, 'style'>): number[] {
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const spacing = Number.parseFloat(style.letterSpacing) || 0;
  let widths = known.get(font);
  if (!widths) known.set(font, (widths = new Map<string, number>()));
  const measured = widths;
  return Array.from(text, (character) => {
    const width = measured.get(character) ?? measure(character, font);
    measured.set(character, width);
    return width + spacing;
  });
}

export const widthOf = (text: string, surface: Pick<TextSurface, 'style'>): number =>
  advancesOf(text, surface).reduce((sum, width) => sum + width, 0);

function measure(character: string, font: string): number {
  if (!pen) return 0;
  pen.font = font;
  return pen.measureText(character).width;
}
