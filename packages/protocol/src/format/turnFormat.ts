import { type ClassicDialect, parseClassicPrefix, classicDialects, parseClassic, printClassic } from './classic.js';
import { GyreError } from '../error.js';
import { parseEnvironmentTagsPrefix, parseEnvironmentTags, printEnvironmentTags } from './environmentTags.js';
import { parseOpenCua, parseOpenCuaPrefix, printOpenCua } from './openCua/openCua.js';
import type { Size } from '../action/point.js';
import { parseQwen3Vl, parseQwen3VlPrefix, printQwen3Vl } from './qwen/qwen3Vl.js';
import { parseT5Prefix, parseT5, printT5 } from './t5.js';
import type { TurnMessage, TurnResult } from './turn.js';
import type { TurnReader } from './turnStream.js';

export const turnFormatNames = ['t5', ...classicDialects, 'environment-tags', 'qwen3-vl', 'opencua'] as const;
export type TurnFormatName = (typeof turnFormatNames)[number];

/** Only these formats have SDK calls. */
export function expressesSdkCalls(name: TurnFormatName): boolean {
  return name === 't5' || name === 'environment-tags';
}

export interface TurnFormat extends TurnReader<TurnResult> {
  readonly name: TurnFormatName;
  /** @throws GyreError `bad_input` for anything inexpressible. */
  print(message: TurnMessage): string;
}

/** Prints a turn; undefined if the format cannot express it. */
export function printIfExpressible({ print }: Pick<TurnFormat, 'print'>, message: TurnMessage): string | undefined {
  try {
    return print(message);
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return undefined;
    throw error;
  }
}

/** `screen` is the screenshots' size. */
export function turnFormat(name: TurnFormatName, screen: Size): TurnFormat {
  switch (name) {
    case 't5':
      return { name, print: printT5, parse: parseT5, beginning: parseT5Prefix, closing: />/ };
    case 'qwen3-vl':
      return { name, print: printQwen3Vl, parse: parseQwen3Vl, beginning: parseQwen3VlPrefix, closing: />/ };
    case 'environment-tags':
      return {
        name,
        print: (message) => printEnvironmentTags(message, screen),
        parse: (source) => parseEnvironmentTags(source, screen),
        beginning: (source) => parseEnvironmentTagsPrefix(source, screen),
        closing: /[\n>)]/,
      };
    case 'opencua':
      return {
        name,
        print: (message) => printOpenCua(message, screen),
        parse: (source) => parseOpenCua(source, screen),
        beginning: (source) => parseOpenCuaPrefix(source, screen),
        closing: /`/,
      };
    default:
      return classicFormat(name, screen);
  }
}

function classicFormat(dialect: ClassicDialect, screen: Size): TurnFormat {
  const options = { dialect, screen };
  return {
    name: dialect,
    print: (message) => printClassic(message, options),
    parse: (source) => parseClassic(source, options),
    beginning: (source) => parseClassicPrefix(source, options),
    closing: /[\n()]/,
  };
}
