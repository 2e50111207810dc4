import { shortenText } from '@gyre/sandbox';

/** Maximum characters of a result: the first and last half. */
export const mostResult = 16_384;

/** Elides a text and appends bracketed notes. */
export function result(text: string, ...notes: readonly string[]): string {
  return noted(shortenText({ head: text.trimEnd(), cap: mostResult }).text, ...notes);
}

/** Appends bracketed notes. */
export function noted(text: string, ...notes: readonly string[]): string {
  if (notes.length === 0) return text;
  return `${text}${text === '' ? '' : '\n'}(${notes.join('; ')})`;
}
