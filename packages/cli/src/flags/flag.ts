import { z } from 'zod';
import { expectPlace, type PlaceUse } from './place.js';

/** A flag of a command: its schema, and the texts of `--help` and error messages. */
export interface Flag<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly description: string;
  /** The value's placeholder in `--help`; undefined for a switch, which takes none. */
  readonly placeholder?: string;
  /** A valid value, for error messages. */
  readonly example?: string;
  /** The heading in `--help`. */
  readonly heading?: string;
  /** Checks a parsed value before the command runs. Throws a GyreError that names the flag. */
  readonly check?: (flag: string, value: unknown, values: Readonly<Record<string, unknown>>) => void;
}

/** Puts flags under a heading of `--help`. */
export function headed<F extends Record<string, Flag>>(heading: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, heading }])) as F;
}

/** Parsed flags. */
export type Values<F extends Record<string, Flag>> = { [K in keyof F]: z.infer<F[K]['schema']> };

const typedNumber = (expected: string, fits: (value: number) => boolean) =>
  z
    .string()
    .refine((text) => text.trim() !== '' && Number.isFinite(Number(text)) && fits(Number(text)), {
      error: `must be ${expected}`,
    })
    .transform(Number);

export function count(description: string, options: { default?: number; min?: number; example?: string } = {}) {
  const { min = 1, example = String(options.default ?? Math.max(min, 8)) } = options;
  const schema = typedNumber(`a whole number of at least ${min}`, (n) => Number.isSafeInteger(n) && n >= min);
  return { schema: schema.default(options.default ?? min), description, placeholder: 'N', example };
}

export function optionalCount(description: string, options: { min?: number; example?: string } = {}) {
  const { min = 1, example = String(Math.max(min, 8)) } = options;
  const schema = typedNumber(`a whole number of at least ${min}`, (n) => Number.isSafeInteger(n) && n >= min);
  return { schema: schema.optional(), description, placeholder: 'N', example };
}

export function positive(description: string, options: { default: number }) {
  return {
    schema: typedNumber('a number above 0', (n) => n > 0).default(options.default),
    description,
    placeholder: 'N',
    example: String(options.default),
  };
}

export function optionalPositive(description: string, options: { example: string }) {
  const schema = typedNumber('a number above 0', (n) => n > 0).optional();
  return { schema, description, placeholder: 'N', ...options };
}

/** Shows the words in the placeholder, or after the description where they are too long for that. */
function shownWords(words: readonly string[], description: string) {
  const placeholder = words.join('|');
  if (placeholder.length <= 24) return { description, placeholder };
  return { description: `${description}: ${words.join(', ')}`, placeholder: 'NAME' };
}

export function oneOf<const W extends readonly [string, ...string[]]>(
  words: W,
  description: string,
  options: { default: W[number] },
) {
  const schema = z.enum(words, { error: `must be one of ${words.join(', ')}` }).default(options.default as never);
  return { schema, ...shownWords(words, description), example: options.default };
}

export function optionalOneOf<const W extends readonly [string, ...string[]]>(words: W, description: string) {
  const schema = z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();
  return { schema, ...shownWords(words, description), example: words[0] };
}

/** A secret. No error message repeats it. */
export function token(description: string) {
  const schema = z.string().min(1, { error: 'must not be empty' }).optional();
  return { schema, description, placeholder: 'TOKEN', example: '"$(openssl rand -hex 24)"' };
}

export function optionalNumbers(description: string, options: { example: string }) {
  const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));
  const schema = z
    .string()
    .refine((text) => text.split(',').every(isNumber), { error: 'must be numbers, separated by commas' })
    .transform((text) => text.split(',').map(Number))
    .optional();
  return { schema, description, placeholder: 'A,B', ...options };
}

/** Some words of a list, separated by commas; by default all of them. */
export function someOf<const W extends readonly [string, ...string[]]>(words: W, description: string) {
  const error = `must be one or more of ${words.join(', ')}, separated by commas`;
  const schema = z
    .string()
    .default(words.join(','))
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(words, { error })).min(1));
  return { schema, description, placeholder: 'A,B', example: words.join(',') };
}

export function optionalWord(description: string, options: { example: string }) {
  const schema = z.string().min(1, { error: 'must not be empty' }).optional();
  return { schema, description, placeholder: 'WORD', ...options };
}

/** Ascending whole numbers of at least 1, separated by commas. */
export function optionalCounts(description: string, options: { example: string }) {
  const schema = z
    .string()
    .transform((text) => text.split(',').map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : NaN)))
    .refine((counts) => counts.every((value, i) => value > (counts[i - 1] ?? 0)), {
      error: 'must be ascending whole numbers of at least 1, separated by commas',
    })
    .optional();
  return { schema, description, placeholder: 'A,B', ...options };
}

export function optionalWords(description: string, options: { example: string }) {
  const schema = z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .refine((words) => !words.includes(''), { error: 'must be words, separated by commas' })
    .optional();
  return { schema, description, placeholder: 'A,B', ...options };
}

/** A number of bytes, such as 512M or 4G (powers of 1024). */
export function optionalBytes(description: string, options: { example: string }) {
  const schema = z
    .string()
    .regex(/^\d{1,9}[KMGT]?$/i, { error: 'must be a whole number of bytes, or of K, M, G or T' })
    .transform(
      (text) => Number.parseInt(text, 10) * 1_024 ** ' KMGT'.indexOf(text.slice(-1).replace(/\d/, ' ').toUpperCase()),
    )
    .optional();
  return { schema, description, placeholder: 'BYTES', ...options };
}

const textFlag =
  (placeholder: string, example: string) =>
  <D extends string | undefined>(description: string, options: { default: D }) => {
    const text = z.string().min(1, { error: 'must not be empty' });
    const schema = (options.default === undefined
      ? text.optional()
      : text.default(options.default)) as unknown as z.ZodType<D extends string ? string : string | undefined>;
    return { schema, description, placeholder, example: options.default ?? example };
  };

export const path = textFlag('PATH', './out');

/** A path that is checked for its use before the command runs. */
const placeFlag =
  (use: PlaceUse) =>
  <D extends string | undefined>(
    description: string,
    options: {
      default: D;
      /** Accepts a path that does not exist: its reader handles that. */
      mayBeMissing?: boolean;
      /** Words that name something other than a path. */
      words?: readonly string[];
      /** A switch that makes the path unused. */
      unless?: string;
    },
  ) => {
    const { mayBeMissing = false, words = [], unless, ...rest } = options;
    return {
      ...path(description, rest),
      check(flag: string, value: unknown, values: Readonly<Record<string, unknown>>): void {
        if (typeof value !== 'string' || words.includes(value)) return;
        if (unless !== undefined && values[unless] === true) return;
        expectPlace(flag, value, use, { mayBeMissing });
      },
    };
  };

export const inputFile = placeFlag('read a file');
export const inputFolder = placeFlag('read a folder');
export const outputFile = placeFlag('write a file');
export const outputFolder = placeFlag('write a folder');
export const address = textFlag('URL', 'http://127.0.0.1:8000/v1');
export const host = textFlag('HOST', '127.0.0.1');
export const name = textFlag('NAME', 'mine');

export function toggle(description: string) {
  return { schema: z.boolean().default(false), description };
}
