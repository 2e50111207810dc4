import { GyreError } from '@gyre/protocol';
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';

export interface SettingsFile {
  readonly path: string | undefined;
  readonly flag: string;
  readonly example: string;
}

/** Merges flags over the file over the schema's defaults. Throws `bad_input`. */
export async function mergeSettings<Schema extends z.ZodType>(
  schema: Schema,
  file: SettingsFile,
  typed: Readonly<Record<string, unknown>>,
): Promise<z.output<Schema>> {
  const flags = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined));
  const base = file.path === undefined ? {} : await readSettingsFile(file.path, file);
  const parsed = schema.safeParse({ ...base, ...flags });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') || 'settings';
  throw new GyreError('bad_input', `the setting ${field} is invalid: ${issue?.message}`, {
    field,
    fix: file.path === undefined ? 'see --help' : `correct it in ${file.path}`,
  });
}

export async function readSettingsFile(path: string, { flag, example }: SettingsFile): Promise<object> {
  const wrong = (message: string, cause?: unknown) =>
    new GyreError('bad_input', message, {
      field: flag,
      fix: `name a JSON file such as ${example}`,
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw wrong(cause instanceof SyntaxError ? `${path} is not JSON` : `cannot read ${path}`, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(`${path} is not a JSON object`);
  return value;
}
