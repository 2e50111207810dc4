import { GyreError, Split } from '@gyre/protocol';
import { missingForDesktop } from '@gyre/sandbox';
import {
  addSuite,
  familiesOf,
  familyOf,
  importSuite,
  miniwobSuite,
  poolSuite,
  readPool,
  suiteOf,
  suites,
  type AnyFamily,
  type AnyInstance,
  type TaskFamily,
} from '@gyre/tasks';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from './command.js';
import { inputFile, inputFolder, optionalWords } from './flag.js';

export const splitNames = Split.options;

/** Names task families. `fallback` says which they are without the flag. */
export const familyFlag = (fallback: string) =>
  optionalWords(`task families by name, or by a prefix as in mail.* (default: ${fallback})`, {
    example: 'click,menu',
  });

/** Adds the suite `miniwob`, which does not come with gyre. */
export const miniwobFlag = inputFolder('the html folder of MiniWoB++, whose tasks are then the suite miniwob', {
  default: undefined,
});

/** Adds the suite `synth`. */
export const poolFlag = inputFile('a pool of `gyre tasks synth`, a JSONL file, whose tasks are then the suite synth', {
  default: undefined,
});

/** Add suites that do not come with gyre, to commands that take the id of a task or an episode. */
export const addedSuiteFlags = {
  suite: optionalWords('modules that export a suite of their own', { example: './my-suite.js' }),
  miniwob: miniwobFlag,
  tasks: poolFlag,
};

/** Choose task families. `otherwise` says which they are without any flag. */
export const familyFlags = (otherwise = 'those of the suite basics') => ({
  family: familyFlag(otherwise),
  suite: optionalWords('suites of task families, or all; or modules that export one, such as ./my-suite.js', {
    example: 'basics,widgets',
  }),
  miniwob: miniwobFlag,
  tasks: poolFlag,
});

interface AddedSuites {
  readonly suite?: readonly string[] | undefined;
  readonly miniwob?: string | undefined;
  readonly tasks?: string | undefined;
}

/**
 * Makes the suites known that flags bring in. Returns the names of those in `--suite`.
 *
 * @throws GyreError `bad_input` for a folder, file or module that has no tasks.
 * @throws UsageError for a name that is no suite.
 */
export async function addSuites({ suite: named, miniwob, tasks }: AddedSuites): Promise<string[] | undefined> {
  readMiniwob(miniwob);
  readTasks(tasks);
  if (named === undefined) return undefined;
  const names: string[] = [];
  for (const name of named) {
    if (isModule(name)) names.push(await importSuite(name));
    else names.push(...(name === 'all' ? Object.keys(suites()) : [name]));
  }
  for (const name of names) understood('--suite', () => suiteOf(name));
  return names;
}

/** Tells a module's path from the name of a suite. */
const isModule = (name: string): boolean => /[/\\]|\.[cm]?[jt]s$/.test(name);

function readMiniwob(directory: string | undefined): void {
  if (directory !== undefined) addSuite('miniwob', miniwobSuite(directory));
}

function readTasks(file: string | undefined): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const fix = 'name a file that `gyre tasks synth` wrote';
    throw new GyreError('bad_input', `${file} cannot be read`, { field: '--tasks', fix, cause });
  }
  addSuite('synth', poolSuite(readPool(text)));
}

/**
 * Returns the families that flags choose: those of the suites, then those by name, each once. Without either, those of `miniwob` or of the
 * pool where one is given, else those of `otherwise`.
 *
 * @throws what `addSuites` throws, and UsageError for a name that is no family.
 */
export async function chosenFamilies(
  flags: AddedSuites & { readonly family?: readonly string[] | undefined },
  otherwise: 'basics' | 'all' = 'basics',
): Promise<AnyFamily[]> {
  const { miniwob, tasks } = flags;
  const added = [...(miniwob === undefined ? [] : ['miniwob']), ...(tasks === undefined ? [] : ['synth'])];
  const named = await addSuites(flags);
  const usual = flags.family
    ? []
    : added.length > 0
      ? added
      : otherwise === 'all'
        ? Object.keys(suites())
        : [otherwise];
  const ofSuites = (named ?? usual).flatMap((name) => Object.values(suiteOf(name)));
  const chosen = new Set([
    ...ofSuites,
    ...(flags.family ?? []).flatMap((pattern) => familiesNamed('--family', pattern)),
  ]);
  if (chosen.size > 0) return [...chosen];
  throw new UsageError('no task family is chosen', {
    field: flags.tasks === undefined ? '--suite' : '--tasks',
    fix: 'name a suite that has families, or a pool that has tasks',
  });
}

/** Throws `missing` where this machine lacks what the tasks of a family need, before anything is leased for them. */
export function expectInstalled(name: string): void {
  const missing = familyOf(name).missing?.() ?? [];
  if (missing.length === 0) return;
  throw new GyreError('missing', `${name} cannot be played: this machine has no ${missing.join(', ')}`, {
    field: 'task',
    fix: `apt install ${missing.join(' ')}`,
  });
}

/** Throws `missing` where this machine lacks what the screen of a desktop needs. */
export function expectDesktop(): void {
  const missing = missingForDesktop();
  if (missing.length === 0) return;
  throw new GyreError('missing', `there is no desktop without ${missing.map(({ name }) => name).join(', ')}`, {
    field: 'desktop',
    fix: `apt install ${missing.map(({ debian }) => debian).join(' ')}`,
  });
}

/** Returns the families that are played on a page. Throws `UsageError` where there is none. */
export function onPages(families: readonly AnyFamily[]): TaskFamily[] {
  const pages = families.filter((family): family is TaskFamily => family.kind === undefined);
  if (pages.length > 0) return pages;
  throw new UsageError('these families are played on machines, not on pages', {
    field: '--suite',
    fix: 'name others, such as --suite games',
  });
}

/** Returns the names of the families that patterns match; undefined without patterns. Throws `UsageError` for one without a match. */
export function chosenNames(patterns: readonly string[] | undefined, flag = '--family'): string[] | undefined {
  return patterns && [...new Set(patterns.flatMap((pattern) => familiesNamed(flag, pattern)))].map(({ name }) => name);
}

const familiesNamed = (flag: string, pattern: string) => understood(flag, () => familiesOf(pattern));

/** Reads the value of a flag. An error in it becomes a `UsageError` of that flag. */
function understood<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    throw new UsageError(error.message, { field: flag, fix: error.detail.fix ?? 'see --help' });
  }
}

/** The argument that names a task. */
export const taskArgument = {
  name: 'task',
  description: 'FAMILY/SPLIT/SEED',
  schema: z.string(),
  example: 'click/test/7',
};

/** Tells the id of a task, valid or not, from an instruction, which has several words. */
export const isTaskId = (text: string): boolean => /^\S+\/\S*$/.test(text);

/** Returns the name of a family's suite. */
export function suiteNameOf(name: string): string {
  return Object.entries(suites()).find(([, suite]) => Object.hasOwn(suite, name))?.[0] ?? '';
}

/**
 * Creates the task of an id: `click/test/7`, or with the size of the screen `menu/test/7/640x480`.
 *
 * @throws GyreError `bad_input` when the id does not name one.
 */
export function taskOf(id: string): AnyInstance {
  const [family = '', split = '', seed = '', sides, ...more] = id.split('/');
  const parsedSplit = Split.safeParse(split);
  const [, width, height] = /^(\d{1,4})x(\d{1,4})$/.exec(sides ?? '') ?? [];
  const misread = (sides !== undefined && width === undefined) || more.length > 0 || !/^\d{1,9}$/.test(seed);
  if (misread || !parsedSplit.success) {
    throw new GyreError('bad_input', `"${id}" is no task`, {
      field: 'task',
      fix: `write FAMILY/SPLIT/SEED with a family of \`gyre tasks list\` and a split of ${splitNames.join(', ')}: click/test/7`,
    });
  }
  const size = width === undefined ? undefined : { width: Number(width), height: Number(height) };
  return familyOf(family).create(parsedSplit.data, Number(seed), size);
}
