import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastJson } from './inProcess.test.fixture.js';

interface Manifest {
  readonly name: string;
  readonly repository: { directory: string };
  readonly engines: { node: string };
  readonly exports: Record<string, Record<string, string>>;
  readonly bin?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const packages = [
  'protocol',
  'sandbox',
  'fleet',
  'engine',
  'lake',
  'agent',
  'tasks',
  'reader',
  'training',
  'benchmarks',
  'openenv',
  'studio',
  'cli',
];

/** Without npm's variables, which name this repository. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|userconfig)$)/.test(name)),
);

function run(cwd: string, program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return new Promise<{ status: number | undefined; stdout: string; stderr: string }>((resolve) => {
    execFile(program, args, { cwd, env: { ...env, ...more }, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code) || undefined, stdout, stderr });
    });
  });
}

let folder: string;
const tarballs = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-packed-'));
  const workspaces = packages.flatMap((name) => ['--workspace', `packages/${name}`]);
  const { stdout, stderr } = await run(root, 'npm', ['pack', '--json', '--pack-destination', folder, ...workspaces]);
  for (const name of packages) {
    const file = name === 'cli' ? 'gyre-0.1.0.tgz' : `gyre-${name}-0.1.0.tgz`;
    expect(await readdir(folder), `${stdout}${stderr}`).toContain(file);
    tarballs.set(name, join(folder, file));
    await mkdir(join(folder, name));
    await run(folder, 'tar', ['-xzf', file, '-C', name, '--strip-components', '1']);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(packages)('the packed %s', (name) => {
  let files: string[];
  let manifest: Manifest;
  beforeAll(async () => {
    const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
    files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1));
    manifest = JSON.parse(await readFile(join(folder, name, 'package.json'), 'utf8')) as Manifest;
  });

  test('holds the licence, and no tests, sources, maps or state of the compiler', () => {
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(files.filter((file) => /\.test\.|\.map$|tsbuildinfo|^src\/|(?<!\.d)\.tsx?$/.test(file))).toEqual([]);
    expect(files.filter((file) => /(\/double|[a-z]Double)\//.test(file) && !file.includes('mergeAndDouble/'))).toEqual(
      [],
    );
  });

  test('names its place in the repository, its Node, its types and its programs', () => {
    expect(manifest.repository.directory).toBe(`packages/${name}`);
    expect(manifest.engines.node).toMatch(/^>=\d/);
    const named: string[] = [
      ...Object.values(manifest.exports).flatMap((conditions) => Object.values(conditions)),
      ...Object.values(manifest.bin ?? {}),
    ];
    expect(Object.keys(manifest.exports['.']!)).toEqual(['types', 'default']);
    expect(files).toEqual(expect.arrayContaining(named.map((path) => posix.normalize(path))));
  });

  test('has a README whose links lead to files of the package or, through `repository`, of the repository', async () => {
    const text = await readFile(join(folder, name, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]*)[^)]*\)|(?:src|href)="([^"#]*)/g)].map(([, a, b]) => a ?? b ?? '');
    const relative = links.filter((link) => link !== '' && !/^https?:/.test(link));
    const dead = relative.filter((link) => {
      const shipped = files.some((file) => `${file}/`.startsWith(posix.join(link, '/')));
      return !shipped && !existsSync(join(root, manifest.repository.directory, link));
    });
    expect(dead).toEqual([]);
  });

  test('imports only what it ships or depends on', async () => {
    const declared = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const lost: string[] = [];
    for (const file of files.filter((path) => /\.(m?js|d\.ts)$/.test(path))) {
      const text = await readFile(join(folder, name, file), 'utf8');
      for (const { fileName } of ts.preProcessFile(text).importedFiles) {
        const path = posix.join(posix.dirname(file), fileName);
        const shipped = [path, path.replace(/\.js$/, '.d.ts')];
        const [, library = ''] = /^((?:@[^/]+\/)?[^/]+)/.exec(fileName) ?? [];
        const known = fileName.startsWith('.')
          ? shipped.some((each) => files.includes(each))
          : fileName.startsWith('node:') || library in declared || library === manifest.name;
        if (!known) lost.push(`${file}: ${fileName}`);
      }
    }
    expect(lost).toEqual([]);
  });
});

async function unreachable(): Promise<string | undefined> {
  const patience = ['--fetch-retries=0', '--fetch-timeout=10000'];
  const { status, stderr } = await run(folder, 'npm', ['view', 'zod', 'version', ...patience]);
  return status === 0 ? undefined : `no registry answers npm: ${stderr.split('\n')[0]}`;
}

async function install(into: string, names: readonly string[]): Promise<string> {
  const directory = join(folder, into);
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = await run(directory, 'npm', [
    ...['install', ...flags],
    ...names.map((name) => tarballs.get(name)!),
  ]);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return directory;
}

async function installed(directory: string): Promise<Record<string, { hasInstallScript?: true; optional?: true }>> {
  const lock = JSON.parse(await readFile(join(directory, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true; optional?: true }>;
  };
  return lock.packages;
}

describe('in an empty folder', () => {
  test('the command plays, with and without ONNX Runtime', { timeout: 600_000 }, async (context) => {
    const reason = await unreachable();
    if (reason !== undefined) return context.skip(reason);
    const directory = await install('all', packages);
    const gyre = (args: string, more?: NodeJS.ProcessEnv) =>
      run(directory, 'npx', ['--no-install', 'gyre', ...args.split(' ')], more);

    // The only package with an install script: npm skips it on failure.
    const scripted = Object.entries(await installed(directory)).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted).toEqual([['node_modules/onnxruntime-node', expect.objectContaining({ optional: true })]]);

    expect((await gyre('--version')).stdout).toBe('0.1.0\n');
    const solved = await gyre('run click/test/2 --policy oracle --json');
    expect(lastJson(solved.stdout)).toMatchObject({ verdict: { success: true } });
    expect(solved.status).toBe(0);
    const native = await gyre('run click/test/2 --greedy --directory native --json');
    expect(lastJson(native.stdout)).toMatchObject({ episode: expect.any(String) });
    // The packages bring the reader that the policy needs.
    expect(Object.keys(await installed(directory)).filter((path) => path.includes('ocr-models'))).toEqual([]);
    const readers = `
      import { Lake } from '@gyre/lake';
      const lake = await Lake.open('native/lake');
      for await (const { turns } of lake.episodes()) console.log(turns[0]?.reading?.reader);
      await lake.close();
    `;
    const printed = await run(directory, process.execPath, ['--input-type=module', '-e', readers]);
    expect(printed.stdout).toMatch(/^own-/);

    const bench = await gyre('bench env --seconds 1');
    expect(bench.stderr).toMatch(/^error: gyre bench env is not part of the installed package .*a clone of gyre's/);
    expect(bench.status).toBe(1);

    const browserless = { HOME: directory, GYRE_BROWSER: '', PLAYWRIGHT_BROWSERS_PATH: directory, PATH: '' };
    const bin = join(directory, 'node_modules/gyre/bin/gyre.mjs');
    const blind = await run(
      directory,
      process.execPath,
      [bin, 'run', 'click/test/2', '--policy', 'oracle'],
      browserless,
    );
    expect(blind.stderr).toMatch(/^error: chromium-headless-shell is not installed .*`npx playwright-core install /m);
    expect(blind.status).toBe(1);

    await rename(join(directory, 'node_modules/onnxruntime-node'), join(directory, 'onnxruntime-node'));
    expect((await gyre('run click/test/2 --policy oracle')).status).toBe(0);
    const untaught = await gyre('run click/test/2');
    expect(untaught.stderr).toMatch(/error: cannot load onnxruntime-node.*`npm install --ignore-scripts`/);
    expect(untaught.status).toBe(1);
  });

  test('@gyre/sandbox leases a browser, without the engine and the database', { timeout: 600_000 }, async (context) => {
    const reason = await unreachable();
    if (reason !== undefined) return context.skip(reason);
    const directory = await install('leased', ['protocol', 'sandbox']);
    const paths = Object.keys(await installed(directory));
    expect(paths.filter((path) => path.includes('/@gyre/'))).toEqual([
      'node_modules/@gyre/protocol',
      'node_modules/@gyre/sandbox',
    ]);
    expect(paths.filter((path) => /onnxruntime|duckdb|aws-sdk|openai|anthropic/.test(path))).toEqual([]);
    const program = `
      import { BrowserPool } from '@gyre/sandbox';
      const pool = await BrowserPool.launch();
      const session = await pool.lease({ size: { width: 320, height: 240 } });
      const { size } = await session.observe();
      await session.release();
      await pool.close();
      console.log(JSON.stringify(size));
    `;
    const { stdout, stderr } = await run(directory, process.execPath, ['--input-type=module', '-e', program]);
    expect({ stdout, stderr }).toEqual({ stdout: '{"width":320,"height":240}\n', stderr: '' });
  });
});
