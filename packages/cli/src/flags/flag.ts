import { z } from 'zod';
import { checkPath, type PathUse } from './checkPath.js';

export interface Flag<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly description: string;
  /** Undefined for a switch, which takes no value. */
  readonly placeholder?: string;
  readonly example?: string;
  readonly heading?: string;
  /** Throws a GyreError that names the flag. */
  readonly check?: (flag: string, value: unknown, values: Readonly<Record<string, unknown>>) => void;
}

export function headed<F extends Record<string, Flag>>(heading: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, heading }])) as F;
}

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

function describeWords(words: readonly string[], description: string) {
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
  return { schema, ...describeWords(words, description), example: options.default };
}

export function optionalOneOf<const W extends readonly [string, ...string[]]>(words: W, description: string) {
  const schema = z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();
  return { schema, ...describeWords(words, description), example: words[0] };
}

/** A secret, which no error message repeats. */
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

/** The URL of a server. */
export function optionalUrl(description: string, options: { example: string }) {
  const schema = z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), { error: 'must be a URL of http or https' })
    .optional();
  return { schema, description, placeholder: 'URL', ...options };
}

/** Ascending, comma-separated counts. */
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

/** A size such as 512M or 4G (powers of 1024). */
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

const checkedPathFlag =
  (use: PathUse) =>
  <D extends string | undefined>(
    description: string,
    options: {
      default: D;
      mayBeMissing?: boolean;
      /** Values that are not paths, or their beginnings if they end in `://`. */
      words?: readonly string[];
      /** A switch that makes the path unused. */
      unless?: string;
    },
  ) => {
    const { mayBeMissing = false, words = [], unless, ...rest } = options;
    return {
      ...path(description, rest),
      check(flag: string, value: unknown, values: Readonly<Record<string, unknown>>): void {
        if (typeof value !== 'string') return;
        if (words.some((word) => (word.endsWith('://') ? value.startsWith(word) : value === word))) return;
        if (unless !== undefined && values[unless] === true) return;
        checkPath(flag, value, use, { mayBeMissing });
      },
    };
  };

export const inputFile = checkedPathFlag('read a file');
export const inputFolder = checkedPathFlag('read a folder');
export const outputFile = checkedPathFlag('write a file');
export const outputFolder = checkedPathFlag('write a folder');
export const address = textFlag('URL', 'http://127.0.0.1:8000/v1');
export const host = textFlag('HOST', '127.0.0.1');
export const name = textFlag('NAME', 'mine');

export function toggle(description: string) {
  return { schema: z.boolean().default(false), description };
}
