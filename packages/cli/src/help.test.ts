import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suites } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from './commands/index.js';
import { familyEntry, readCatalogue } from './families/familyList.js';
import { exampleText, helpColumns } from './help.js';
import { bin, inProcess, lastJson } from './inProcess.test.fixture.js';

const names = commands.flatMap(({ name: outer, commands: inner = [] }) => [
  outer,
  ...inner.map(({ name }) => `${outer} ${name}`),
]);

describe('help', () => {
  test.each(['', ...names])('of gyre %s fits, and names its flags and subcommands', async (name) => {
    const { status, stdout } = await inProcess(...name.split(' ').filter(Boolean), '--help');
    expect(status).toBe(0);
    expect(stdout.split('\n').filter((line) => line.length > helpColumns)).toEqual([]);
    expect(stdout).toContain(`Usage: gyre${name && ` ${name}`} `);
    expect(stdout).toContain('-h, --help');
  });

  test('lists each command once, under a heading', async () => {
    const { stdout } = await inProcess('--help');
    const lines = stdout.split('\n');
    for (const { name, summary, heading } of commands) {
      const lineIndex = lines.findIndex((line) => line.startsWith(`  ${name} `) && line.endsWith(` ${summary}`));
      expect(lineIndex).toBeGreaterThan(lines.indexOf(heading!));
      expect(lines.indexOf(heading!)).toBeGreaterThan(0);
    }
  });

  test('cuts an example that is too long at its flags', () => {
    const long = `gyre run ${'--a-flag value '.repeat(9).trimEnd()}`;
    const lines = exampleText([long]).split('\n').slice(2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(helpColumns);
    expect(
      lines
        .join('')
        .replaceAll(/ \\\s+/g, ' ')
        .trim(),
    ).toBe(long);
  });
});

describe('a fresh process', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gyre-help-'));
    // Logs the URL of every loaded module.
    await writeFile(
      join(folder, 'log.mjs'),
      `import { appendFileSync } from 'node:fs';
      import module, { register } from 'node:module';
      if (process.env.MODULES) {
        register(import.meta.url);
        const load = module._load;
        module._load = function (name, ...rest) { appendFileSync(process.env.MODULES, 'require:' + name + '\\n'); return load.call(this, name, ...rest); };
      }
      export async function load(url, context, next) { appendFileSync(process.env.MODULES, url + '\\n'); return next(url, context); }`,
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function gyre(args: string, env: NodeJS.ProcessEnv = {}) {
    const log = join(folder, `${args.replaceAll(' ', '')}.log`);
    await writeFile(log, '');
    const nodeArguments = ['--import', pathToFileURL(join(folder, 'log.mjs')).href, bin, ...args.split(' ')];
    const stdout = await new Promise<string>((resolve, reject) => {
      const environment = { ...process.env, MODULES: log, ...env };
      execFile(process.execPath, nodeArguments, { env: environment, maxBuffer: 2 ** 24 }, (error, text) =>
        error ? reject(new Error(error.message)) : resolve(text),
      );
    });
    return { stdout, modules: (await readFile(log, 'utf8')).trimEnd().split('\n') };
  }

  test.each(['--version', '--help', 'help', 'tasks --help', 'train --help', 'serve --help'])(
    'loads no package but commander for gyre %s',
    async (args) => {
      const { stdout, modules } = await gyre(args, { NO_COLOR: '1' });
      expect(stdout).not.toBe('');
      const libraries = modules.filter((url) => /node_modules|packages\/(?!cli\/)/.test(url));
      expect(libraries.filter((url) => !url.includes('/node_modules/commander/'))).toEqual([]);
      expect(modules.filter((url) => url.startsWith('file:')).length).toBeLessThan(20);
    },
  );

  test('loads neither the tasks nor what runs them for gyre tasks list', async () => {
    const { stdout, modules } = await gyre('tasks list --json');
    expect((lastJson(stdout) as { families: unknown[] }).families.length).toBeGreaterThan(250);
    const heavy =
      /\/packages\/(tasks|sandbox|engine|lake|agent|training)\/|onnxruntime|duckdb|playwright|sharp|fastify/;
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
    expect((await gyre('tasks list --family click')).modules.some((url) => heavy.test(url))).toBe(true);
  });

  test('colours help where the output has colours, and not with NO_COLOR', async () => {
    expect((await gyre('--help', { FORCE_COLOR: '1', NO_COLOR: undefined })).stdout).toContain('\u001b[36mrun');
    expect((await gyre('--help', { FORCE_COLOR: undefined, NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  });
});

test('the catalogue of the build holds every family of gyre as it is', () => {
  const entries = Object.entries(suites()).flatMap(([suite, families]) =>
    Object.values(families).map((family) => familyEntry(family, suite)),
  );
  expect(readCatalogue()).toEqual(JSON.parse(JSON.stringify(entries)));
});
