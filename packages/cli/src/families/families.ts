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
 * Returns the names in `--suite`.
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
  for (const name of names) resolveFlag('--suite', () => suiteOf(name));
  return names;
}

/** Returns absolute paths of external suites. */
export function suitePaths({ suite = [], miniwob, tasks }: AddedSuites): string[] {
  return [...suite.filter(isSuiteModule), miniwob, tasks]
    .filter((path) => path !== undefined)
    .map((path) => resolve(path));
}

export interface FamilyChoice extends AddedSuites {
  readonly family?: readonly string[] | undefined;
}

/**
 * Returns the chosen families. Without `--suite` and `--family`, those of `--miniwob` or `--tasks`, else of `fallback`.
 *
 * @throws what `addSuites` throws.
 */
export async function chosenFamilies(flags: FamilyChoice, fallback: 'basics' | 'all' = 'basics'): Promise<AnyFamily[]> {
  const defaultSuites = fallback === 'all' ? Object.keys(suites()) : [fallback];
  const [ofSuites, named] = await familiesOfFlags(flags, defaultSuites);
  return expectSome([...new Set([...ofSuites, ...named])], flags);
}

/** Returns undefined if no flag chooses any. Suites contribute only browser families that are not held out. */
export async function trainingFamilies(flags: FamilyChoice): Promise<string[] | undefined> {
  const { family, suite, miniwob, tasks } = flags;
  if ([family, suite, miniwob, tasks].every((flag) => flag === undefined)) return undefined;
  const [ofSuites, named] = await familiesOfFlags(flags, []);
  const trainable = ofSuites.filter(({ heldOut = false, kind = 'browser' }) => kind === 'browser' && !heldOut);
  return expectSome([...new Set([...trainable, ...named])], flags).map(({ name }) => name);
}

async function familiesOfFlags(
  flags: FamilyChoice,
  defaultSuites: readonly string[],
): Promise<[ofSuites: AnyFamily[], named: AnyFamily[]]> {
  const { family, miniwob, tasks } = flags;
  const chosen = await addSuites(flags);
  const added = [...(miniwob === undefined ? [] : ['miniwob']), ...(tasks === undefined ? [] : ['synth'])];
  const fallback = added.length > 0 ? added : defaultSuites;
  const ofSuites = (chosen ?? (family ? [] : fallback)).flatMap((name) => Object.values(suiteOf(name)));
  return [ofSuites, (family ?? []).flatMap((pattern) => familiesNamed('--family', pattern))];
}

function expectSome(families: AnyFamily[], { tasks }: AddedSuites): AnyFamily[] {
  if (families.length > 0) return families;
  throw new UsageError('no task families are selected', {
    field: tasks === undefined ? '--suite' : '--tasks',
    fix: 'name a suite with families, or a pool with tasks',
  });
}

export function expectInstalled(name: string): void {
  const missing = familyOf(name).missing?.() ?? [];
  if (missing.length === 0) return;
  throw new GyreError('missing', `${name} cannot be played: this machine has no ${missing.join(', ')}`, {
    field: 'task',
    fix: `apt install ${missing.join(' ')}`,
  });
}

export function expectDesktop(): void {
  const missing = missingForDesktop();
  if (missing.length === 0) return;
  throw new GyreError('missing', `desktops need ${missing.map(({ name }) => name).join(', ')}`, {
    field: 'desktop',
    fix: `apt install ${missing.map(({ debian }) => debian).join(' ')}`,
  });
}

/** Throws `UsageError` if no family runs on pages. */
export function pageFamilies(families: readonly AnyFamily[]): TaskFamily[] {
  const pages = families.filter((family): family is TaskFamily => family.kind === undefined);
  if (pages.length > 0) return pages;
  throw new UsageError('these families run on machines, not on pages', {
    field: '--suite',
    fix: 'choose other families, such as --suite games',
  });
}

const familiesNamed = (flag: string, pattern: string) => resolveFlag(flag, () => familiesOf(pattern));

function resolveFlag<T>(flag: string, read: () => T): T {
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
