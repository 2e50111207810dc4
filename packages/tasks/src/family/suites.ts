import { GyreError } from '@gyre/protocol';
import { appFamilies } from '../apps/families.js';
import { browsingFamilies } from '../browsing/families.js';
import { desktopFamilies } from '../desktop/families.js';
import { families } from './families.js';
import { gameFamilies } from '../games/families.js';
import { hybridFamilies } from '../hybrid/families.js';
import type { AnyFamily } from './family.js';
import { suggestNames } from './suggestNames.js';
import { widgetFamilies } from '../widgets/families.js';

/** Task families by name that are evaluated and listed together. */
export type Suite = Readonly<Record<string, AnyFamily>>;

const builtIn: Readonly<Record<string, Suite>> = {
  basics: families,
  widgets: widgetFamilies,
  games: gameFamilies,
  apps: appFamilies,
  browsing: browsingFamilies,
  desktop: desktopFamilies,
  hybrid: hybridFamilies,
};

const added = new Map<string, Suite>();

/** Returns every suite by name, added ones last. */
export function suites(): Readonly<Record<string, Suite>> {
  return { ...builtIn, ...Object.fromEntries(added) };
}

/** Adds a suite to this process, or replaces an added one. Throws `bad_input` if a name is taken. */
export function addSuite(name: string, suite: Suite): void {
  const others = Object.entries(suites()).filter(([other]) => other !== name);
  const taken = others.flatMap(([, other]) => Object.keys(other)).find((family) => family in suite);
  if (name in builtIn || taken !== undefined) {
    throw new GyreError('bad_input', `the name "${taken ?? name}" is taken`, {
      field: 'name',
      fix: 'use unique names for suites, and for families across all suites',
    });
  }
  added.set(name, suite);
}

/** Returns a suite by name. Throws `bad_input` if there is none. */
export function suiteOf(name: string): Suite {
  const every = suites();
  const suite = Object.hasOwn(every, name) ? every[name] : undefined;
  if (suite) return suite;
  const names = Object.keys(every);
  throw new GyreError('bad_input', `unknown suite "${name}"`, {
    field: 'suite',
    fix: `use one of ${names.join(', ')}`,
  });
}

/** Returns a family by name, from any suite. Throws `bad_input` if there is none. */
export function familyOf(name: string): AnyFamily {
  for (const suite of Object.values(suites())) {
    const family = Object.hasOwn(suite, name) ? suite[name] : undefined;
    if (family) return family;
  }
  throw unknownFamily(name);
}

/** Returns the families of a name or prefix pattern (`mail.*`), in suite order. Throws `bad_input` if none match. */
export function familiesOf(pattern: string): AnyFamily[] {
  if (!pattern.endsWith('*')) return [familyOf(pattern)];
  const beginning = pattern.slice(0, -1);
  const matches = everyFamily().filter(({ name }) => name.startsWith(beginning));
  if (matches.length === 0) throw unknownFamily(pattern);
  return matches;
}

function everyFamily(): AnyFamily[] {
  return Object.values(suites()).flatMap((suite) => Object.values(suite));
}

function unknownFamily(name: string): GyreError {
  const names = everyFamily().map((family) => family.name);
  const groups = new Set(names.filter((known) => known.includes('.')).map((known) => known.replace(/\..*/, '.*')));
  const near = suggestNames(name, [...names, ...groups]);
  const every = Object.keys(suites());
  return new GyreError('bad_input', `unknown task family "${name}"`, {
    field: 'family',
    fix: every.includes(name)
      ? `${name} is a suite: use --suite ${name}`
      : near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `list the families of the suites ${every.join(', ')} with \`gyre tasks list\``,
  });
}
