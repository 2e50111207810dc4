import { shownLines } from '@gyre/protocol';

/** HTML or SVG that needs no escaping. */
export class Markup {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

type Piece = Markup | string | number | undefined | readonly (Markup | undefined)[];

/** Escapes values that are not `Markup`. `undefined` is empty. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0] ?? '';
  pieces.forEach((piece, i) => {
    text += render(piece) + (strings[i + 1] ?? '');
  });
  return new Markup(text);
}

function render(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'number') return String(Math.round(piece * 100) / 100);
  if (typeof piece === 'string') return escape(piece);
  return piece.map(render).join('');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Escapes markup, and characters that reorder or hide text. */
const escape = (text: string) =>
  shownLines(text)
    .join('\n')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
