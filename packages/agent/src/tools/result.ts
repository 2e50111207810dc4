import { shortenText } from '@gyre/sandbox';

/** Characters: the first and last half. */
export const maxResult = 16_384;

export function result(text: string, ...notes: readonly string[]): string {
  return withNotes(shortenText({ head: text.trimEnd(), cap: maxResult }).text, ...notes);
}

export function withNotes(text: string, ...notes: readonly string[]): string {
  if (notes.length === 0) return text;
  return `${text}${text === '' ? '' : '\n'}(${notes.join('; ')})`;
}
