import { GyreError } from '@gyre/protocol';
import { loadSuite } from '@gyre/tasks';
import { type GivenSettings, Settings } from '@gyre/training';
import { z } from 'zod';
import { type FamilyChoice, suitePaths, trainingFamilies } from '../families/families.js';
import { familyFlags } from './familyFlags.js';
import { headed, inputFile, optionalCount, optionalOneOf, optionalPositive } from './flag.js';
import { readerFlag } from '../policies/policies.js';
import { mergeSettings, readSettingsFile, type SettingsFile } from './mergeSettings.js';

/** Precedence: flags, then the file, then defaults. */
const settingsFlags = headed('Settings:', {
  settings: inputFile('JSON file of settings, such as settings.json of an earlier run', { default: undefined }),
  minutes: optionalPositive(`time budget in minutes (default: ${Settings.parse({}).minutes})`, { example: '10' }),
  threads: optionalCount('engine threads', { example: '2' }),
  browsers: optionalCount('browser processes', { example: '2' }),
  sessions: optionalCount('parallel episodes', { example: '32' }),
  reader: readerFlag,
});

export const architectureFlag = optionalOneOf(
  ['pixels', 'nano', 'micro'],
  'with --from-scratch: architecture; nano and micro have a reader (default: pixels)',
);

export const trainingFlags = (fallback = 'those of the settings') => ({ ...settingsFlags, ...familyFlags(fallback) });

export function readSettings(
  path: string | undefined,
  {
    family,
    suite,
    miniwob,
    tasks,
    ...typed
  }: FamilyChoice & { [K in keyof GivenSettings]?: GivenSettings[K] | undefined },
): Promise<Settings> {
  const file = { path, flag: '--settings', example: 'the settings.json of an earlier run' };
  return readTraining(Settings, file, { family, suite, miniwob, tasks }, typed);
}

const NamedSuites = z.looseObject({ suites: z.array(z.string()).default([]) });

/** Loads external suites before it validates. See `mergeSettings`. */
export async function readTraining<Schema extends z.ZodType>(
  schema: Schema,
  file: SettingsFile,
  choice: FamilyChoice,
  typed: object,
): Promise<z.output<Schema>> {
  const { data } = NamedSuites.safeParse(file.path === undefined ? {} : await readSettingsFile(file.path, file));
  const named = data?.suites ?? [];
  for (const path of named) await loadSuite(path);
  const families = await trainingFamilies(choice);
  const suites = [...new Set([...named, ...suitePaths(choice)])];
  return mergeSettings(schema, file, {
    ...typed,
    ...(families && { families }),
    ...(suites.length > named.length && { suites }),
  });
}

/** Keeps flag defaults from hiding a preset. */
export function withoutUndefined<T extends object>(flags: T): Partial<T> {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export const exclusive = (flag: string, other: string) =>
  new GyreError('bad_input', `${other} and ${flag} cannot be combined`, { field: flag, fix: 'omit one of them' });
