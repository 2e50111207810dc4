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
  type TaskFamily,
} from '@gyre/tasks';
import { readFileSync } from 'node:fs';
import { UsageError } from '../command.js';

export const splitNames = Split.options;

interface AddedSuites {
  readonly suite?: readonly string[] | undefined;
  readonly miniwob?: string | undefined;
  readonly tasks?: string | undefined;
}

/**
 * Adds the suites that flags bring in. Returns the names of those in `--suite`.
 *
 * @throws GyreError `bad_input` for a folder, file or module without tasks.
 * @throws UsageError for an unknown name.
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
 * Returns the chosen families, each once: those of the suites, then those by name. Without either, those of `miniwob` or the pool if
 * given, and of `otherwise` if not.
 *
 * @throws what `addSuites` throws, and UsageError for an unknown name.
 */
export async function chosenFamilies(
  flags: AddedSuites & { readonly family?: readonly string[] | undefined },
  otherwise: 'basics' | 'all' = 'basics',
): Promise<AnyFamily[]> {
  const { miniwob, tasks } = flags;
  const named = await addSuites(flags);
  const added = [...(miniwob === undefined ? [] : ['miniwob']), ...(tasks === undefined ? [] : ['synth'])];
  const usual = added.length > 0 ? added : otherwise === 'all' ? Object.keys(suites()) : [otherwise];
  const ofSuites = (named ?? (flags.family ? [] : usual)).flatMap((name) => Object.values(suiteOf(name)));
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

/** Throws `missing` if this machine lacks a program that the family needs. */
export function expectInstalled(name: string): void {
  const missing = familyOf(name).missing?.() ?? [];
  if (missing.length === 0) return;
  throw new GyreError('missing', `${name} cannot be played: this machine has no ${missing.join(', ')}`, {
    field: 'task',
    fix: `apt install ${missing.join(' ')}`,
  });
}

/** Throws `missing` if this machine lacks a program that desktops need. */
export function expectDesktop(): void {
  const missing = missingForDesktop();
  if (missing.length === 0) return;
  throw new GyreError('missing', `desktops need ${missing.map(({ name }) => name).join(', ')}`, {
    field: 'desktop',
    fix: `apt install ${missing.map(({ debian }) => debian).join(' ')}`,
  });
}

/** Returns the families that run on pages. Throws `UsageError` if there are none. */
export function onPages(families: readonly AnyFamily[]): TaskFamily[] {
  const pages = families.filter((family): family is TaskFamily => family.kind === undefined);
  if (pages.length > 0) return pages;
  throw new UsageError('these families run on machines, not on pages', {
    field: '--suite',
    fix: 'name others, such as --suite games',
  });
}

/** Returns the names that patterns match; undefined without patterns. Throws `UsageError` for an unknown name. */
export function chosenNames(patterns: readonly string[] | undefined, flag = '--family'): string[] | undefined {
  return patterns && [...new Set(patterns.flatMap((pattern) => familiesNamed(flag, pattern)))].map(({ name }) => name);
}

const familiesNamed = (flag: string, pattern: string) => understood(flag, () => familiesOf(pattern));

/** Resolves a flag to families. Throws `UsageError` for an unknown name. */
function understood<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    throw new UsageError(error.message, { field: flag, fix: error.detail.fix ?? 'see --help' });
  }
}

export function suiteNameOf(name: string): string {
  return Object.entries(suites()).find(([, suite]) => Object.hasOwn(suite, name))?.[0] ?? '';
}
