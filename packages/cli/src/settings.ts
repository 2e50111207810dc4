import { GyreError } from '@gyre/protocol';
import { type GivenSettings, Settings } from '@gyre/training';
import { inputFile, optionalCount, optionalPositive } from './flag.js';
import { given } from './given.js';

/** The flags of every command that trains. What is not typed comes from the file, and else from the defaults. */
export const settingsFlags = {
  settings: inputFile('a JSON file of settings, such as the settings.json of an earlier run', { default: undefined }),
  minutes: optionalPositive(`how long it may take (default: ${Settings.parse({}).minutes})`, { example: '10' }),
  threads: optionalCount('threads of the engine', { example: '2' }),
  browsers: optionalCount('browser processes', { example: '2' }),
  sessions: optionalCount('episodes at once', { example: '32' }),
};

/** The settings of a run. See `given`. */
export function readSettings(
  file: string | undefined,
  typed: { [K in keyof GivenSettings]?: GivenSettings[K] | undefined },
): Promise<Settings> {
  const example = 'the settings.json of an earlier run';
  return given(Settings, { path: file, flag: '--settings', example }, typed);
}

/** Of flags, those that were typed, so that they do not hide what a preset says. */
export function withoutUndefined<T extends object>(flags: T): Partial<T> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export const exclusive = (flag: string, other: string) =>
  new GyreError('bad_input', `${other} and ${flag} exclude each other`, { field: flag, fix: 'give one of them' });
