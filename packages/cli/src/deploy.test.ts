import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { inProcess } from './inProcess.test.fixture.js';

const chart = fileURLToPath(new URL('../../../deploy/helm/gyre/', import.meta.url));
const text = (path: string): string => readFileSync(chart + path, 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
}
const Schema: z.ZodType<Schema> = z.looseObject({
  properties: z
    .record(
      z.string(),
      z.lazy(() => Schema),
    )
    .optional(),
});
const schema = Schema.parse(JSON.parse(text('values.schema.json')));
const values: unknown = parse(text('values.yaml'));
const rows = new Map(
  [...text('README.md').matchAll(/^\| `([\w.]+)` +\| (.*?) +\|/gm)].map(([, name = '', cell = '']) => [name, cell]),
);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Values by their path. What the README names is not entered. */
function leaves(value: unknown, path = ''): [string, unknown][] {
  if (rows.has(path) || !isObject(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
}
const schemaOf = (path: string): Schema | undefined =>
  path.split('.').reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema);

describe('the Helm chart', () => {
  it('documents each value with its default, and has a schema for it', () => {
    const known = leaves(values);
    expect(known.map(([path]) => path).sort()).toEqual([...rows.keys()].sort());
    for (const [path, value] of known) {
      expect(schemaOf(path), path).toBeDefined();
      const cell = rows.get(path)!;
      if (cell === 'see `values.yaml`') continue;
      expect(JSON.parse(cell.replaceAll('`', '')), path).toEqual(value);
    }
  });

  it.each([
    ['front', 'fleet'],
    ['node', 'sandbox'],
  ])('passes flags to the %s that gyre serve %s has', async (component, command) => {
    const { stdout } = await inProcess('serve', command, '--help');
    const lines = `${text('templates/_helpers.tpl')}\n${text(`templates/${component}.yaml`)}`;
    const flags = [...lines.matchAll(/(?:^ *- |")(--[a-z-]+)(?="|$)/gm)].map(([, flag = '']) => flag);
    expect(flags.length).toBeGreaterThan(8);
    for (const flag of flags) expect(stdout, flag).toMatch(new RegExp(`^ +${flag} `, 'm'));
  });

  it('names no file that is missing', () => {
    const templates = readdirSync(`${chart}templates`).map((name) => text(`templates/${name}`));
    const files = templates.flatMap((template) =>
      [...template.matchAll(/Files\.Get "([^"]+)"/g)].map(([, file]) => file),
    );
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(text(file!).length).toBeGreaterThan(0);
  });
});
