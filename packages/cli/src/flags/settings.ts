import { GyreError } from '@gyre/protocol';
import { type GivenSettings, Settings } from '@gyre/training';
import { headed, inputFile, optionalCount, optionalPositive } from './flag.js';
import { given } from './given.js';

/** Flags of every training command. Untyped ones come from the file, then from the defaults. */
export const settingsFlags = headed('Settings:', {
  settings: inputFile('JSON file of settings, such as settings.json of an earlier run', { default: undefined }),
  minutes: optionalPositive(`time budget in minutes (default: ${Settings.parse({}).minutes})`, { example: '10' }),
  threads: optionalCount('engine threads', { example: '2' }),
  browsers: optionalCount('browser processes', { example: '2' }),
  sessions: optionalCount('parallel episodes', { example: '32' }),
});

/** Returns the settings of a run. See `given`. */
export function readSettings(
  file: string | undefined,
  typed: { [K in keyof GivenSettings]?: GivenSettings[K] | undefined },
): Promise<Settings> {
  const example = 'the settings.json of an earlier run';
  return given(Settings, { path: file, flag: '--settings', example }, typed);
}

/** Returns the typed flags, so that defaults do not hide a preset. */
export function withoutUndefined<T extends object>(flags: T): Partial<T> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export const exclusive = (flag: string, other: string) =>
  new GyreError('bad_input', `${other} and ${flag} exclude each other`, { field: flag, fix: 'give one of them' });
