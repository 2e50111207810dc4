import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const ignored = new Set(['node_modules', 'dist', 'runs']);

/** Paths of the Markdown files of the repository, from its root. */
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

/** Pages whose examples import files of a package: where those files are. */
const neighbours: Readonly<Record<string, string>> = { 'docs/how-to/new-task.md': 'packages/tasks/dist/family' };

interface Example {
  readonly page: string;
  /** Of the line above the first of the code, from 1. */
  readonly fence: number;
  readonly code: string;
}

function examples(page: string): Example[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => ({
    page,
    fence: text.slice(0, index).split('\n').length,
    code,
  }));
}

/** Compiles each example as a module beside its page. Returns each error with page and line. */
function compile(given: readonly Example[]): string[] {
  const modules = new Map(
    given.map((example) => {
      const folder = neighbours[example.page] ?? dirname(example.page);
      return [join(root, folder, `example.${example.page.replaceAll('/', '.')}.${example.fence}.ts`), example];
    }),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const [readFile, fileExists] = [host.readFile.bind(host), host.fileExists.bind(host)];
  host.readFile = (path) => modules.get(path)?.code ?? readFile(path);
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  const program = ts.createProgram([...modules.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (!file) return message;
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    const example = modules.get(file.fileName);
    return example
      ? `${example.page}:${example.fence + line}: ${message}`
      : `${relative(root, file.fileName)}:${line}: ${message}`;
  });
}

describe('examples in TypeScript', () => {
  it('are one a front page', () => {
    for (const page of ['README.md', ...packageReadmes]) expect(examples(page), page).toHaveLength(1);
  });

  it('compile in strict mode against the public API, or fail by page and line', { timeout: 300_000 }, () => {
    const code = "import { parseT5 } from '@gyre/protocol';\nparseT5(7);\n";
    const errors = compile([...pages.flatMap(examples), { page: 'docs/wrong.md', fence: 10, code }]);
    expect(errors).toEqual([expect.stringMatching(/^docs\/wrong\.md:12: Argument of type 'number'/)]);
  });
});

/** Anchors of a page, as GitHub makes them from its headings. */
function anchors(page: string): Set<string> {
  const found = new Map<string, number>();
  const slugs = [...withoutCode(page).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const count = found.get(slug) ?? 0;
    found.set(slug, count + 1);
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
