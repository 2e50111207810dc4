import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const ignored = new Set(['node_modules', 'dist', 'runs']);

function markdown(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !ignored.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdown(path);
      return entry.name.endsWith('.md') ? [path] : [];
    })
    .sort();
}

const pages = markdown();
const packageReadmes = pages.filter((page) => /^packages\/[^/]+\/README\.md$/.test(page));

const run = promisify(execFile);
const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2024',
  module: 'nodenext',
  moduleDetection: 'force',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
};

/** Their examples import each other; `newTask.test.ts` compiles them. */
const followed: ReadonlySet<string> = new Set(['docs/how-to/new-task.md']);

interface Example {
  readonly page: string;
  readonly fence: number;
  readonly code: string;
}

function examples(page: string): Example[] {
  if (followed.has(page)) return [];
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => ({
    page,
    fence: text.slice(0, index).split('\n').length,
    code,
  }));
}

/** Returns errors with page and line. */
async function compile(sources: readonly Example[]): Promise<string[]> {
  // Inside the repository, to resolve the packages, but outside those that install.test.ts packs.
  const folder = await mkdtemp(fileURLToPath(new URL('../../../perf/dist/examples-', import.meta.url)));
  try {
    const modules = sources.map((example, index) => ({ name: `example${index}.ts`, example }));
    for (const { name, example } of modules) await writeFile(join(folder, name), example.code);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { stdout } = await run(process.execPath, [compiler, '--project', folder, '--pretty', 'false']).catch(
      (failed: unknown) => failed as { stdout: string },
    );
    return stdout
      .split('\n')
      .filter((line) => /\berror TS/.test(line))
      .map((line) => {
        const [, name, lineNumber, message] = /([^/]+)\((\d+),\d+\): error \w+: (.*)/.exec(line) ?? [];
        const example = modules.find((module) => module.name === name)?.example;
        return example ? `${example.page}:${example.fence + Number(lineNumber)}: ${message}` : line;
      });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('examples in TypeScript', () => {
  it('are one a front page', () => {
    for (const page of ['README.md', ...packageReadmes]) expect(examples(page), page).toHaveLength(1);
  });

  it('compile in strict mode against the public API, or fail by page and line', { timeout: 300_000 }, async () => {
    const code = "import { parseT5 } from '@gyre/protocol';\nparseT5(7);\n";
    const errors = await compile([...pages.flatMap(examples), { page: 'docs/wrong.md', fence: 10, code }]);
    expect(errors).toEqual([expect.stringMatching(/^docs\/wrong\.md:12: Argument of type 'number'/)]);
  });
});

/** Derives anchors as GitHub does. */
function anchors(page: string): Set<string> {
  const counts = new Map<string, number>();
  const slugs = [...withoutCode(page).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(slugs);
}

const withoutCode = (page: string) =>
  readFileSync(page, 'utf8').replace(/^ *```.*?^ *```$/gms, (block) => block.replace(/[^\n]/g, ''));

function deadLinks(page: string): string[] {
  return withoutCode(join(root, page))
    .split('\n')
    .flatMap((line, index) =>
      [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g)]
        .map(([, link, attribute]) => link ?? attribute ?? '')
        .filter((target) => !/^[a-z]+:/.test(target) && !isAlive(page, target))
        .map((target) => `${page}:${index + 1}: ${target}`),
    );
}

function isAlive(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path));
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  const text = file.endsWith('.md') ? file : join(file, 'README.md');
  return existsSync(text) && anchors(text).has(anchor);
}

describe('Markdown', () => {
  it('links to files and headings that exist', () => {
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.flatMap(deadLinks)).toEqual([]);
  });

  it('keeps front pages short', () => {
    const words = (page: string) => readFileSync(join(root, page), 'utf8').split(/\s+/).filter(Boolean).length;
    expect(words('README.md')).toBeLessThanOrEqual(700);
    for (const page of packageReadmes) expect(words(page), page).toBeLessThanOrEqual(250);
  });
});
