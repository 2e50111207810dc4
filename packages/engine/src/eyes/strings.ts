/** Length of a string's vector. */
export const stringWidth = 512;
/** Number of rows of the table of words; row 0 is no word. */
export const wordRows = 2048;

const alike: Readonly<Record<string, string>> = { '1': 'l', i: 'l', '|': 'l', '!': 'l', o: '0' };

/** Folds spaces, case, full-width forms and characters that look alike: what remains is comparable with a reading. */
export function canonical(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().replace(/\s+/gu, '');
  return folded.replace(/[1i|!o]/g, (char) => alike[char] ?? char);
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  // Mixes the high bits: short texts differ in the low ones only.
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 12)) >>> 0;
}

const vectors = new Map<string, Float32Array>();
const maxVectors = 20_000;

/**
 * Returns the vector of a string, of norm 1: signed hashes (Weinberger et al. 2009) of the character 1- to 3-grams of its
 * canonical form, and with a third of the weight the bigrams of its own case. The inner product of two tells how alike
 * two strings are. Cached; do not modify.
 */
export function stringVector(text: string): Float32Array {
  const known = vectors.get(text);
  if (known) return known;
  const vector = new Float32Array(stringWidth);
  const count = (gram: string, weight: number): void => {
    const value = hash(gram);
    vector[value % stringWidth]! += (value >>> 16) & 1 ? weight : -weight;
  };
  const chars = ['^', ...canonical(text), '$'];
  for (let i = 0; i < chars.length; i++) {
    if (i > 0 && i < chars.length - 1) count(`1${chars[i]}`, 0.5);
    if (i + 2 <= chars.length) count(`2${chars[i]}${chars[i + 1]}`, 1);
    if (i + 3 <= chars.length) count(`3${chars[i]}${chars[i + 1]}${chars[i + 2]}`, 1);
  }
  const cased = [...text.replace(/\s+/gu, '')];
  if (cased.length === 1) count(`C${cased[0]}`, 1);
  for (let i = 0; i + 1 < cased.length; i++) count(`C${cased[i]}${cased[i + 1]}`, 0.35);
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares) || 1;
  for (let i = 0; i < vector.length; i++) vector[i]! /= norm;
  if (vectors.size >= maxVectors) vectors.delete(vectors.keys().next().value ?? '');
  vectors.set(text, vector);
  return vector;
}

/** Returns the inner product of two strings' vectors. */
export function likenessOf(a: string, b: string): number {
  const [left, right] = [stringVector(a), stringVector(b)];
  return left.reduce((sum, value, i) => sum + value * right[i]!, 0);
}

/** Returns the row of a string in the table of words. */
export function wordRow(text: string): number {
  const word = text.trim().toLowerCase();
  return word === '' ? 0 : 1 + (hash(`w${word}`) % (wordRows - 1));
}
