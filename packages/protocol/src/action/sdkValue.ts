import { fileCommands } from './fileEdit.js';

export const sdkKinds = ['command', 'boolean', 'integer', 'lines', 'json'] as const;
export type SdkKind = (typeof sdkKinds)[number];

export const sdkExpected: Readonly<Record<SdkKind, string>> = {
  command: 'view, create, str_replace, insert or undo_edit',
  boolean: 'true or false',
  integer: 'a whole number from 0',
  lines: 'two numbers of lines such as [1, 20]',
  json: 'a JSON object',
};

/** Readers recurse. */
const maxDepth = 64;

/** Parses `2`, `2.5` or `2s`. */
export function readSeconds(text: string): number | undefined {
  const number = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?:s|secs?|seconds?)?$/i.exec(text.trim())?.[1];
  return number === undefined ? undefined : Number(number);
}

export function readSdkValue(kind: SdkKind, text: string): unknown {
  switch (kind) {
    case 'command':
      return fileCommands.find((command) => command === text.trim());
    case 'boolean': {
      const word = text.trim().toLowerCase();
      return word === 'true' || word === 'false' ? word === 'true' : undefined;
    }
    case 'integer':
      return /^\d{1,16}$/.test(text.trim()) ? Number(text.trim()) : undefined;
    case 'lines': {
      const [, from, to] = /^\[?\s*(\d{1,16})\s*,\s*(-1|\d{1,16})\s*\]?$/.exec(text.trim()) ?? [];
      return from === undefined ? undefined : [Number(from), Number(to)];
    }
    case 'json': {
      const value = readJson(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
    }
  }
}

/** Rejects what would not survive a round trip. */
export function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isPlain(value, maxDepth) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.values(value).every((part) => isPlain(part, depth - 1));
}
