import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GyreError, Size, Task } from '@gyre/protocol';
import type { MachineKind } from '@gyre/sandbox';
import { z } from 'zod';
import type { AnyFamily, AnyInstance } from './family.js';
import { addSuite } from './suites.js';

/** A module's `suite` or default export. */
export interface SuiteModule {
  readonly name: string;
  readonly families: readonly AnyFamily[];
}

type Callable = (...given: never[]) => unknown;
const method = z.custom<Callable>((value) => typeof value === 'function', { error: 'must be a function' });
const kinds: readonly MachineKind[] = ['browser', 'desktop', 'vm'];
const familyName = z
  .string()
  .regex(/^[A-Za-z][\w.-]*$/, { error: 'must be a name of letters, digits, dots and dashes, such as "mine.count"' });

const Family = z
  .looseObject({
    name: familyName,
    description: z.string().min(1),
    smallest: Size.optional(),
    heldOut: z.boolean().optional(),
    wordings: z.int().positive().optional(),
    unscripted: z.boolean().optional(),
    kind: z.enum(kinds).optional(),
    missing: method.optional(),
    create: method,
    start: method.optional(),
    open: method.optional(),
  })
  .superRefine(({ kind, start }, context) => {
    if (kind === undefined || start) return;
    context.addIssue({
      code: 'custom',
      path: ['start'],
      message: `is missing: a family for a ${kind} needs the method \`start\`, which \`templated\` provides`,
    });
  });

const Exported = z.looseObject({ name: familyName, families: z.array(Family).min(1) });

/**
 * Imports a module's suite and registers its families in this process.
 *
 * @param path a JavaScript module: `./my-suite.js`.
 * @returns the suite's name.
 * @throws GyreError `bad_input`, with the field and the fix, for an invalid module.
 */
export async function importSuite(path: string): Promise<string> {
  const file = resolve(path);
  if (!existsSync(file))
    throw refusal(path, 'the file does not exist', 'use a JavaScript module, such as ./my-suite.js');
  let module: unknown;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    const fix = 'check that `node` can import it: compile TypeScript first, and install the packages that it imports';
    throw refusal(path, `cannot import it: ${(cause as Error).message}`, fix, cause);
  }
  const { name, families } = checkedSuite(module, path);
  addSuite(name, Object.fromEntries(families.map((family) => [family.name, family])));
  return name;
}

/** Validates a module's exports. `source` names it in errors. */
export function checkedSuite(module: unknown, source: string): SuiteModule {
  const { suite, default: fallback } = module as { suite?: unknown; default?: unknown };
  const exported = suite ?? fallback;
  if (exported === undefined) {
    throw refusal(source, 'it exports no suite', "write `export const suite = { name: 'mine', families: [...] }`");
  }
  const { error } = Exported.safeParse(exported);
  const [issue] = error?.issues ?? [];
  if (issue) {
    const field = ['suite', ...issue.path].join('.');
    throw refusal(source, `${field} ${issue.message}`, `fix ${field}`, undefined, field);
  }
  // Not copies: their methods may use `this`.
  const checked = exported as SuiteModule;
  for (const [index, family] of checked.families.entries()) {
    const field = `suite.families.${index}`;
    if (checked.families.findIndex(({ name }) => name === family.name) < index) {
      const fix = 'give every family a unique name';
      throw refusal(source, `two families are named "${family.name}"`, fix, undefined, `${field}.name`);
    }
    checkTask(family, source, field);
  }
  return checked;
}

/** Reports mistakes before anything is played. */
function checkTask(family: AnyFamily, source: string, field: string): void {
  const created = `${field}.create('train', 0)`;
  const wrong = (what: string, fix: string, inside = '', cause?: unknown) =>
    refusal(source, `${created}${inside} ${what}`, fix, cause, `${field}.create`);
  let instance: AnyInstance;
  try {
    instance = family.create('train', 0);
  } catch (cause) {
    throw wrong(`throws: ${(cause as Error).message}`, 'return a task for every seed of every split', '', cause);
  }
  const { error } = Task.safeParse((instance as Partial<AnyInstance> | undefined)?.task);
  const [issue] = error?.issues ?? [];
  if (issue) {
    const inside = ['.task', ...issue.path].join('.');
    throw wrong(`is invalid: ${issue.message}`, `fix \`${inside.slice(1)}\` in the result of \`create\``, inside);
  }
  const { id, family: name, split, seed } = instance.task;
  const expected = `${family.name}/train/0`;
  if (name !== family.name || split !== 'train' || seed !== 0 || (id !== expected && !id.startsWith(`${expected}/`))) {
    const fix = `derive \`id\`, \`family\`, \`split\` and \`seed\` from the family and the arguments: id "${expected}"`;
    throw wrong(`belongs to another task: id "${id}", family "${name}", split "${split}", seed ${seed}`, fix, '.task');
  }
  if (family.start || family.open) return;
  const { page } = instance as { page?: { html?: unknown; seed?: unknown } };
  if (typeof page?.html === 'string' && typeof page.seed === 'number') return;
  throw wrong(
    'has no page with `html` and `seed`',
    'return `page: { html, script, argument, seed: pageSeed(name, split, seed) }`, or define the method `start`',
  );
}

function refusal(source: string, problem: string, fix: string, cause?: unknown, field = 'suite'): GyreError {
  return new GyreError('bad_input', `${source} is not a task suite: ${problem}`, { field, fix, cause });
}
