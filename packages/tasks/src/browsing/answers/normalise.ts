import { months } from '../world/institutions.js';
import { withDigits } from './numberWords.js';

const monthNumbers = new Map(months.map((month, index): [string, number] => [month.toLowerCase(), index + 1]));
const units = new Set(
  'km kilometres kilometers m metres meters km2 square years year minutes pages people inhabitants'.split(' '),
);
const prefixes = new Set('the a an in on at about it is was year answer'.split(' '));

/**
 * Lowercases; removes accents, quotes, punctuation, leading articles, prepositions and phrases such as "it was", and
 * units. Numbers become digits without commas, a date `yyyy-mm-dd`. Idempotent.
 */
export function normalise(answer: string): string {
  const plain = answer
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/(\d)[,\u00a0\u202f '’](?=\d{3}(?!\d))/g, '$1')
    .replace(/['’]/g, '');
  const date = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(plain);
  if (date?.[0] === plain.trim()) return date[0];
  let words = withDigits(plain.match(/[\p{L}\p{N}]+/gu) ?? []);
  const first = words.findIndex((word) => !prefixes.has(word));
  words = first < 0 ? words : words.slice(first);
  const written = dateOf(words);
  if (written !== undefined) return written;
  while (words.length > 1 && /^\d+$/.test(words[0] ?? '') && units.has(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
}

/** Compares an answer with the reference, both normalised. An empty answer is never right. */
export function isRight(answer: string | undefined, reference: string): boolean {
  const normalised = normalise(answer ?? '');
  return normalised !== '' && normalised === normalise(reference);
}

/** Parses "12 march 1843", "march 12 1843" and "12th of march 1843". */
function dateOf(words: readonly string[]): string | undefined {
  const parts = words
    .filter((word) => word !== 'of' && word !== 'the')
    .map((word) => word.replace(/^(\d+)(st|nd|rd|th)$/, '$1'));
  if (parts.length !== 3) return undefined;
  const named = parts.findIndex((part) => monthNumbers.has(part));
  if (named < 0 || named > 1) return undefined;
  const month = monthNumbers.get(parts[named] ?? '') ?? 0;
  const day = Number(parts[1 - named]);
  const year = parts[2] ?? '';
  if (!/^\d{3,4}$/.test(year) || !(day >= 1 && day <= 31)) return undefined;
  const padded = (value: number | string, digits: number) => String(value).padStart(digits, '0');
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}
