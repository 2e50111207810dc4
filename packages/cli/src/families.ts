import { GyreError, Split } from '@gyre/protocol';
import { missingForDesktop } from '@gyre/sandbox';
import {
  addSuite,
  familiesOf,
  familyOf,
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

/** The flag that names task families. `fallback` says which they are without it. */
export const familyFlag = (fallback: string) =>
  optionalWords(`task families by name, or by its beginning as in mail.* (default: ${fallback})`, {
    example: 'click,menu',
  });

/** The flag that brings in MiniWoB++, which does not come with gyre. */
export const miniwobFlag = inputFolder(
  'the html folder of MiniWoB++, whose tasks are then those of the suite miniwob',
  {
    default: undefined,
  },
);

/** The flag that brings in tasks that a model made up. */
export const poolFlag = inputFile(
  'a pool of `gyre tasks synth`, a JSONL file, whose tasks are then those of the suite synth',
  {
    default: undefined,
  },
);

/** The flags that choose task families. @param otherwise which they are without any. */
export const familyFlags = (otherwise = 'those of the suite basics') => ({
  family: familyFlag(otherwise),
  suite: optionalWords('suites of task families, or all', { example: 'basics,widgets' }),
  miniwob: miniwobFlag,
  tasks: poolFlag,
});

/** Makes the tasks of MiniWoB++ known where its folder was named. Throws `bad_input` where it is none. */
export function readMiniwob(directory: string | undefined): void {
  if (directory !== undefined) addSuite('miniwob', miniwobSuite(directory));
}

/** Makes the tasks of a pool known where one was named. Throws `bad_input` where it is none. */
export function readTasks(file: string | undefined): void {
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
 * The families that were asked for: those of the suites, then those by name, each once. Those of `miniwob` or of a pool where only
 * that was named, and of `otherwise` where nothing was.
 *
 * @throws UsageError for a name that is none.
 */
export function chosenFamilies(
  flags: {
    family?: readonly string[] | undefined;
    suite?: readonly string[] | undefined;
    miniwob?: string | undefined;
    tasks?: string | undefined;
  },
  otherwise: 'basics' | 'all' = 'basics',
): AnyFamily[] {
  const { miniwob, tasks } = flags;
  readMiniwob(miniwob);
  readTasks(tasks);
  const own = [...(miniwob === undefined ? [] : ['miniwob']), ...(tasks === undefined ? [] : ['synth'])];
  const usual = flags.family ? [] : own.length > 0 ? own : [otherwise];
  const named = (flags.suite ?? usual).flatMap((name) => (name === 'all' ? Object.keys(suites()) : [name]));
  const ofSuites = named.flatMap((name) => Object.values(understood('--suite', () => suiteOf(name))));
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

/** Those of the families that are played on a page. Throws `UsageError` where there is none. */
export function onPages(families: readonly AnyFamily[]): TaskFamily[] {
  const pages = families.filter((family): family is TaskFamily => family.kind === undefined);
  if (pages.length > 0) return pages;
  throw new UsageError('these families are played on machines, not on pages', {
    field: '--suite',
    fix: 'name others, such as --suite games',
  });
}

/** The names of families that were asked for by name; undefined where none was. Throws `UsageError` for a name that is none. */
export function chosenNames(patterns: readonly string[] | undefined, flag = '--family'): string[] | undefined {
  return patterns && [...new Set(patterns.flatMap((pattern) => familiesNamed(flag, pattern)))].map(({ name }) => name);
}

const familiesNamed = (flag: string, pattern: string) => understood(flag, () => familiesOf(pattern));

/** What a flag means; what it does not is a mistake of who typed it. */
function understood<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    throw new UsageError(error.message, { field: flag, fix: error.detail.fix ?? 'see --help' });
  }
}

/** The word that names a task. */
export const taskArgument = {
  name: 'task',
  description: 'FAMILY/SPLIT/SEED',
  schema: z.string(),
  example: 'click/test/7',
};

/** Is it written like the name of a task, well or not? An instruction has words. */
export const isTaskId = (text: string): boolean => /^\S+\/\S*$/.test(text);

/** The suite that a family is of. */
export function suiteNameOf(name: string): string {
  return Object.entries(suites()).find(([, suite]) => Object.hasOwn(suite, name))?.[0] ?? '';
}

/**
 * The task of an id such as `click/test/7`, or `menu/test/7/640x480` of a family that has screens of several sizes.
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
