import { type GivenSettings, Settings } from '@gyre/training';
import { optionalCount, optionalPositive, path } from './flag.js';
import { given } from './given.js';

/** The flags of every command that trains. What is not typed comes from the file, and else from the defaults. */
export const settingsFlags = {
  settings: path('a JSON file of settings, such as the settings.json of an earlier run', { default: undefined }),
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
