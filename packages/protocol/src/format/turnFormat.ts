import { type ClassicDialect, parseClassicPrefix, classicDialects, parseClassic, printClassic } from './classic.js';
import { GyreError } from '../error.js';
import { parseEnvironmentTagsPrefix, parseEnvironmentTags, printEnvironmentTags } from './environmentTags.js';
import type { Size } from '../action/point.js';
import { parseT5Prefix, parseT5, printT5 } from './t5.js';
import type { TurnMessage, TurnResult } from './turn.js';
import type { TurnReader } from './turnStream.js';

export const turnFormatNames = ['t5', ...classicDialects, 'environment-tags'] as const;
export type TurnFormatName = (typeof turnFormatNames)[number];

/** Classic formats cannot express SDK calls. */
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
  if (name === 't5') return { name, print: printT5, parse: parseT5, beginning: parseT5Prefix, closing: />/ };
  if (name === 'environment-tags') {
    return {
      name,
      print: (message) => printEnvironmentTags(message, screen),
      parse: (source) => parseEnvironmentTags(source, screen),
      beginning: (source) => parseEnvironmentTagsPrefix(source, screen),
      closing: /[\n>)]/,
    };
  }
  return classicFormat(name, screen);
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
