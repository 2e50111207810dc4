import { GyreError, Split } from '@gyre/protocol';
import { missingForDesktop } from '@gyre/sandbox';
import {
  familiesOf,
  familyOf,
  importSuite,
  isSuiteModule,
  loadSuite,
  suiteOf,
  suites,
  type AnyFamily,
  type TaskFamily,
} from '@gyre/tasks';
import { resolve } from 'node:path';
import { UsageError } from '../command.js';

export const splitNames = Split.options;

export interface AddedSuites {
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
export async function addSuites(flags: AddedSuites): Promise<string[] | undefined> {
  const { suite, miniwob, tasks } = flags;
  if (miniwob !== undefined) await loadSuite(miniwob);
  if (tasks !== undefined) await loadSuite(tasks);
  if (suite === undefined) return undefined;
  const names: string[] = [];
  for (const name of suite) {
    if (isSuiteModule(name)) names.push(await importSuite(name));
    else names.push(...(name === 'all' ? Object.keys(suites()) : [name]));
  }
  for (const name of names) understood('--suite', () => suiteOf(name));
  return names;
}

/** Returns the absolute paths of the suites from outside gyre that flags bring in, for the settings of a run. */
export function suitePaths({ suite = [], miniwob, tasks }: AddedSuites): string[] {
  return [...suite.filter(isSuiteModule), miniwob, tasks]
    .filter((path) => path !== undefined)
    .map((path) => resolve(path));
}

/** Flags that choose families. */
export interface FamilyChoice extends AddedSuites {
  readonly family?: readonly string[] | undefined;
}

/**
 * Returns the chosen families, each once: those of the suites, then those by name. Without either, those of `miniwob` or the pool if
 * given, and of `otherwise` if not.
 *
 * @throws what `addSuites` throws, and UsageError for an unknown name.
 */
export async function chosenFamilies(
  flags: FamilyChoice,
  otherwise: 'basics' | 'all' = 'basics',
): Promise<AnyFamily[]> {
  const usual = otherwise === 'all' ? Object.keys(suites()) : [otherwise];
  const [ofSuites, named] = await familiesOfFlags(flags, usual);
  return expectSome([...new Set([...ofSuites, ...named])], flags);
}

/**
 * Returns the names of the families to train on, or undefined if no flag chooses any. Suites contribute those that can be trained on:
 * played in a browser, and not held out.
 *
 * @throws what `chosenFamilies` throws.
 */
export async function trainingFamilies(flags: FamilyChoice): Promise<string[] | undefined> {
  const { family, suite, miniwob, tasks } = flags;
  if ([family, suite, miniwob, tasks].every((flag) => flag === undefined)) return undefined;
  const [ofSuites, named] = await familiesOfFlags(flags, []);
  const trainable = ofSuites.filter(({ heldOut = false, kind = 'browser' }) => kind === 'browser' && !heldOut);
  return expectSome([...new Set([...trainable, ...named])], flags).map(({ name }) => name);
}

/** Returns the families of the suites that flags choose, or else of `usual`, and those chosen by name. */
async function familiesOfFlags(
  flags: FamilyChoice,
  usual: readonly string[],
): Promise<[ofSuites: AnyFamily[], named: AnyFamily[]]> {
  const { family, miniwob, tasks } = flags;
  const chosen = await addSuites(flags);
  const added = [...(miniwob === undefined ? [] : ['miniwob']), ...(tasks === undefined ? [] : ['synth'])];
  const fallback = added.length > 0 ? added : usual;
  const ofSuites = (chosen ?? (family ? [] : fallback)).flatMap((name) => Object.values(suiteOf(name)));
  return [ofSuites, (family ?? []).flatMap((pattern) => familiesNamed('--family', pattern))];
}

function expectSome(families: AnyFamily[], { tasks }: AddedSuites): AnyFamily[] {
  if (families.length > 0) return families;
  throw new UsageError('no task family is chosen', {
    field: tasks === undefined ? '--suite' : '--tasks',
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
