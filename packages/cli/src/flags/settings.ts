import { GyreError, turnFormatNames } from '@gyre/protocol';
import { loadSuite } from '@gyre/tasks';
import { type GivenSettings, Settings, scratch } from '@gyre/training';
import { z } from 'zod';
import { type FamilyChoice, suitePaths, trainingFamilies } from '../families/families.js';
import { familyFlags } from './familyFlags.js';
import { headed, inputFile, optionalCount, optionalOneOf, optionalPositive, type Values } from './flag.js';
import { serverFlags } from './serverFlags.js';
import { screenReaderFlag } from '../policies/policies.js';
import { mergeSettings, readSettingsFile, type SettingsFile } from './mergeSettings.js';

/** Precedence: flags, then the file, then defaults. */
const settingsFlags = headed('Settings:', {
  settings: inputFile('JSON file of settings, such as settings.json of an earlier run', { default: undefined }),
  minutes: optionalPositive(`time budget in minutes (default: ${Settings.parse({}).minutes})`, { example: '10' }),
  threads: optionalCount('engine threads', { example: '2' }),
  browsers: optionalCount('browser processes', { example: '2' }),
  sessions: optionalCount('parallel episodes', { example: '32' }),
  screenReader: screenReaderFlag,
});

export const architectureFlag = optionalOneOf(
  ['pixels', 'nano', 'micro'],
  'with --from-scratch: architecture; nano and micro have a reader (default: pixels)',
);

export const trainingFlags = (fallback = 'those of the settings') => ({ ...settingsFlags, ...familyFlags(fallback) });

/** Those of a policy behind servers; without `engine` it is native. */
export const servedFlags = headed('Served policy:', {
  ...serverFlags({
    engine: "train a model behind this server of Tinker's API, such as SkyRL, instead of a native policy",
    sampler: 'vLLM behind it, which samples (default: the engine, if it is gyre serve tinker)',
    model: 'base model, as both servers name it',
  }),
  format: optionalOneOf(turnFormatNames, 'turn format of the model'),
});

type ServedChoice = Partial<Values<typeof servedFlags>> & { readonly criticEngine?: string | undefined };

/** Reads the settings of a run. A critic's engine means advantages by a critic. */
export async function readSettings(
  path: string | undefined,
  {
    family,
    suite,
    miniwob,
    tasks,
    engine,
    sampler,
    model,
    format,
    criticEngine,
    ...typed
  }: FamilyChoice & ServedChoice & { [K in keyof GivenSettings]?: GivenSettings[K] | undefined },
): Promise<Settings> {
  const file = settingsFile(path);
  const served = await servedSettings(file, { engine, sampler, model, format, criticEngine });
  const settings = await readTraining(
    Settings,
    file,
    { family, suite, miniwob, tasks },
    { ...typed, ...(served && { served }) },
  );
  return criticEngine === undefined ? settings : { ...settings, ppo: { ...settings.ppo, advantage: 'critic' } };
}

const settingsFile = (path: string | undefined): SettingsFile => ({
  path,
  flag: '--settings',
  example: 'the settings.json of an earlier run',
});

/** Merges flags over the file's served policy. */
async function servedSettings(file: SettingsFile, { criticEngine, ...typed }: ServedChoice) {
  const flags = withoutUndefined(typed);
  if (criticEngine === undefined && Object.keys(flags).length === 0) return undefined;
  const { served = {} } = file.path === undefined ? {} : ServedFile.parse(await readSettingsFile(file.path, file));
  const critic = criticEngine === undefined ? {} : { critic: { ...served.critic, engine: criticEngine } };
  return { ...served, ...flags, ...critic } as GivenSettings['served'];
}

const record = z.record(z.string(), z.unknown());
/** Catches what the whole schema refuses later, with its place. */
const ServedFile = z.looseObject({
  served: z
    .looseObject({ critic: record.optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Returns the weights that a file of settings names, if there are any. */
export async function weightsNamed(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const { from } = NamedWeights.parse(await readSettingsFile(path, settingsFile(path)));
  return from === scratch ? undefined : from;
}

/** Catches what the whole schema refuses later, with its place. */
const NamedWeights = z.looseObject({ from: z.string().optional().catch(undefined) });

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
