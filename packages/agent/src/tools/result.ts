import { shortenText } from '@gyre/sandbox';

/** Characters of a result that an agent sees: the first half and the last. */
export const mostResult = 16_384;

/** A text, as much as an agent sees of it, and in brackets below what is to be said of it. */
export function result(text: string, ...notes: readonly string[]): string {
  return noted(shortenText({ head: text.trimEnd(), cap: mostResult }).text, ...notes);
}

/** A text that is short enough, and in brackets below what is to be said of it. */
export function noted(text: string, ...notes: readonly string[]): string {
  if (notes.length === 0) return text;
  return `${text}${text === '' ? '' : '\n'}(${notes.join('; ')})`;
}
