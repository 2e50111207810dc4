import { ScreenSize } from '@gyre/sandbox';
import { z } from 'zod';
import { expectPlace, type PlaceUse } from './place.js';

/** A flag of a command: its schema, and what `--help` and error messages say about it. */
export interface Flag<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly description: string;
  /** What stands for the value in `--help`; undefined for a switch, which takes none. */
  readonly placeholder?: string;
  /** A value that fits, for the fix of an error message. */
  readonly example?: string;
  /** Looks at what a value names, before the command begins: throws a GyreError that names the flag. */
  readonly check?: (flag: string, value: unknown, values: Readonly<Record<string, unknown>>) => void;
}

/** The values of flags once they are parsed. */
export type Values<F extends Record<string, Flag>> = { [K in keyof F]: z.infer<F[K]['schema']> };

/** A number as typed, in the given range. */
const typedNumber = (expected: string, fits: (value: number) => boolean) =>
  z
    .string()
    .refine((text) => text.trim() !== '' && Number.isFinite(Number(text)) && fits(Number(text)), {
      error: `must be ${expected}`,
    })
    .transform(Number);

/** A whole number of at least `min`. */
export function count(description: string, options: { default?: number; min?: number; example?: string } = {}) {
  const { min = 1, example = String(options.default ?? Math.max(min, 8)) } = options;
  const schema = typedNumber(`a whole number of at least ${min}`, (n) => Number.isSafeInteger(n) && n >= min);
  return { schema: schema.default(options.default ?? min), description, placeholder: 'N', example };
}

/** A whole number of at least `min`, or nothing. */
export function optionalCount(description: string, options: { min?: number; example?: string } = {}) {
  const { min = 1, example = String(Math.max(min, 8)) } = options;
  const schema = typedNumber(`a whole number of at least ${min}`, (n) => Number.isSafeInteger(n) && n >= min);
  return { schema: schema.optional(), description, placeholder: 'N', example };
}

/** A number above 0. */
export function positive(description: string, options: { default: number }) {
  return {
    schema: typedNumber('a number above 0', (n) => n > 0).default(options.default),
    description,
    placeholder: 'N',
    example: String(options.default),
  };
}

/** A number above 0, or nothing. */
export function optionalPositive(description: string, options: { example: string }) {
  const schema = typedNumber('a number above 0', (n) => n > 0).optional();
  return { schema, description, placeholder: 'N', ...options };
}

/** One of a few words. */
export function oneOf<const W extends readonly [string, ...string[]]>(
  words: W,
  description: string,
  options: { default: W[number] },
) {
  const schema = z.enum(words, { error: `must be one of ${words.join(', ')}` }).default(options.default as never);
  return { schema, description, placeholder: words.join('|'), example: options.default };
}

/** One of a few words, or nothing. */
export function optionalOneOf<const W extends readonly [string, ...string[]]>(words: W, description: string) {
  const schema = z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();
  return { schema, description, placeholder: words.join('|'), example: words[0] };
}

/** A secret, or nothing. No error message repeats it. */
export function token(description: string) {
  const schema = z.string().min(1, { error: 'must not be empty' }).optional();
  return { schema, description, placeholder: 'TOKEN', example: '"$(openssl rand -hex 24)"' };
}

/** Numbers, separated by commas, or nothing. */
export function optionalNumbers(description: string, options: { example: string }) {
  const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));
  const schema = z
    .string()
    .refine((text) => text.split(',').every(isNumber), { error: 'must be numbers, separated by commas' })
    .transform((text) => text.split(',').map(Number))
    .optional();
  return { schema, description, placeholder: 'A,B', ...options };
}

/** Words from a list, separated by commas; by default all of them. */
export function someOf<const W extends readonly [string, ...string[]]>(words: W, description: string) {
  const error = `must be one or more of ${words.join(', ')}, separated by commas`;
  const schema = z
    .string()
    .default(words.join(','))
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(words, { error })).min(1));
  return { schema, description, placeholder: 'A,B', example: words.join(',') };
}

/** A word, or nothing. */
export function optionalWord(description: string, options: { example: string }) {
  const schema = z.string().min(1, { error: 'must not be empty' }).optional();
  return { schema, description, placeholder: 'WORD', ...options };
}

/** Whole numbers of at least 1 that rise, separated by commas, or nothing. */
export function optionalCounts(description: string, options: { example: string }) {
  const schema = z
    .string()
    .transform((text) => text.split(',').map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : NaN)))
    .refine((counts) => counts.every((value, i) => value > (counts[i - 1] ?? 0)), {
      error: 'must be whole numbers of at least 1 that rise, separated by commas',
    })
    .optional();
  return { schema, description, placeholder: 'A,B', ...options };
}

/** Words, separated by commas, or nothing. */
export function optionalWords(description: string, options: { example: string }) {
  const schema = z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .refine((words) => !words.includes(''), { error: 'must be words, separated by commas' })
    .optional();
  return { schema, description, placeholder: 'A,B', ...options };
}

/** Width and height in px, such as 320x240, or nothing. */
export function optionalSize(description: string) {
  const schema = z
    .string()
    .regex(/^\d{1,9}x\d{1,9}$/, { error: 'must be WIDTHxHEIGHT in px' })
    .transform((text) => {
      const [width = 0, height = 0] = text.split('x').map(Number);
      return { width, height };
    })
    .pipe(ScreenSize)
    .optional();
  return { schema, description, placeholder: 'WxH', example: '320x240' };
}

/** Bytes, such as 512M or 4G (of 1024), or nothing. */
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

/** Any text, named for what it is in `--help`. */
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

/** The path of something that is used in a way, which is looked at before the command begins. */
const placeFlag =
  (use: PlaceUse) =>
  <D extends string | undefined>(
    description: string,
    options: {
      default: D;
      /** Whether what is read may not be there: it is then said by whoever reads it. */
      mayBeMissing?: boolean;
      /** Words that are no paths. */
      words?: readonly string[];
      /** A switch with which nothing is done there. */
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
/** What is listened at. */
export const host = textFlag('HOST', '127.0.0.1');
export const name = textFlag('NAME', 'mine');

/** A flag that is there or not. */
export function toggle(description: string) {
  return { schema: z.boolean().default(false), description };
}
