import { shownLines } from '@gyre/protocol';

/** A piece of HTML or SVG that may be put into a page as it is. Anything else is escaped on the way in. */
export class Markup {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

type Piece = Markup | string | number | undefined | readonly (Markup | undefined)[];

/** A template whose values are escaped unless they are markup themselves. `undefined` leaves nothing. */
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
/** Nothing of a text is markup, and nothing of it reorders or hides what stands beside it. */
const escape = (text: string) =>
  shownLines(text)
    .join('\n')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
