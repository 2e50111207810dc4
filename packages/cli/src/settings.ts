import { GyreError } from '@gyre/protocol';
import { type GivenSettings, Settings } from '@gyre/training';
import { readFile } from 'node:fs/promises';
import { optionalCount, optionalPositive, path } from './flag.js';

/** The flags of every command that trains. What is not typed comes from the file, and else from the defaults. */
export const settingsFlags = {
  settings: path('a JSON file of settings, such as the settings.json of an earlier run', { default: undefined }),
  minutes: optionalPositive(`how long it may take (default: ${Settings.parse({}).minutes})`, { example: '10' }),
  threads: optionalCount('threads of the engine', { example: '2' }),
  browsers: optionalCount('browser processes', { example: '2' }),
  sessions: optionalCount('episodes at once', { example: '32' }),
};

/**
 * @param typed values of flags; undefined where none was typed.
 * @throws GyreError `bad_input` naming the setting that does not fit, or the file that cannot be read.
 */
export async function readSettings(
  file: string | undefined,
  typed: { [K in keyof GivenSettings]?: GivenSettings[K] | undefined },
): Promise<Settings> {
  const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined));
  const base = file === undefined ? {} : await readJson(file);
  const parsed = Settings.safeParse({ ...base, ...given });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') || 'settings';
  throw new GyreError('bad_input', `the setting ${field} does not fit: ${issue?.message}`, {
    field,
    fix: file === undefined ? 'see --help' : `correct it in ${file}`,
  });
}

async function readJson(file: string): Promise<object> {
  const wrong = (problem: string, cause?: unknown) =>
    new GyreError('bad_input', `${file} ${problem}`, {
      field: '--settings',
      fix: 'name a JSON file such as the settings.json of an earlier run',
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw wrong(cause instanceof SyntaxError ? 'is no JSON' : 'cannot be read', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('holds no JSON object');
  return value;
}
