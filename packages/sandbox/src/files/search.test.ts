import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Files } from './files.js';

let root: string;
let files: Files;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'gyre-search-'));
  files = await Files.open(root, { maxRead: 100_000 });
  await files.write('src/a.ts', 'import x;\nconst Name = 1;\r\n', { folders: true });
  await files.write('src/deep/b.ts', 'name\n', { folders: true });
  await files.write('.hidden/c.md', 'name at the end', { folders: true });
  await files.write('binary', Buffer.from('name\0'));
});
afterEach(async () => {
  await files.close();
  rmSync(root, { recursive: true, force: true });
});
const paths = async (query: Parameters<Files['search']>[0]): Promise<string[]> =>
  (await files.search(query)).matches.map(({ path }) => path).sort();

describe('a search', () => {
  it('finds files by name', async () => {
    expect(await paths({ glob: '*.ts' })).toEqual(['src/a.ts', 'src/deep/b.ts']);
    expect(await paths({ glob: 'src/*.ts' })).toEqual(['src/a.ts']);
    expect(await paths({ glob: '**/*.{ts,md}' })).toEqual(['.hidden/c.md', 'src/a.ts', 'src/deep/b.ts']);
    expect(await paths({ glob: '*.TS', ignoreCase: true, path: 'src/deep' })).toEqual(['src/deep/b.ts']);
    expect(await paths({})).toHaveLength(4);
  });

  it('finds lines', async () => {
    const result = await files.search({ content: '^(const )?name', ignoreCase: true });
    expect(result.matches.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: '.hidden/c.md', line: 1, text: 'name at the end' },
      { path: 'src/a.ts', line: 2, text: 'const Name = 1;' },
      { path: 'src/deep/b.ts', line: 1, text: 'name' },
    ]);
    expect(result).toMatchObject({ skipped: 1 });
    expect(result).not.toHaveProperty('stopped');
    expect(await paths({ content: 'name', glob: '*.md' })).toEqual(['.hidden/c.md']);
  });

  it('stops at its limit, and cuts long lines', async () => {
    await files.write('many', 'name\n'.repeat(500));
    expect(await files.search({ content: 'name', limit: 100, glob: 'many' })).toMatchObject({ stopped: 'limit' });
    expect((await files.search({ content: 'name', limit: 100 })).matches).toHaveLength(100);
    expect(await files.search({ content: 'name', limit: 500, glob: 'many' })).not.toHaveProperty('stopped');
    await files.write('long', 'x'.repeat(5_000));
    expect((await files.search({ content: 'x$', glob: 'long' })).matches[0]!.text).toHaveLength(500);
  });

  it('stops a hanging pattern without blocking others, and returns its matches so far', async () => {
    await files.write('z-evil', `${'a'.repeat(60)}!\n`);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 10);
    const result = await files.search({ content: '^(a+)+$|^name', timeoutMs: 700 });
    clearInterval(timer);
    expect(result).toMatchObject({ stopped: 'time' });
    expect(turns).toBeGreaterThan(10);
    await files.write('a'.repeat(200), '');
    const glob = `${'*a'.repeat(40)}*b`;
    expect(await files.search({ glob, timeoutMs: 500 })).toBeDefined();
    const before = openFiles();
    for (const timeoutMs of [300, 100, 10, 1, 50]) await files.search({ content: '^(a+)+$', timeoutMs });
    expect(openFiles()).toEqual(before);
  });

  it.each([
    [{ content: '(' }, 'content'],
    [{ content: 'x'.repeat(1_001) }, 'content'],
    [{ glob: 'x'.repeat(1_001) }, 'glob'],
    [{ limit: 0 }, 'limit'],
    [{ timeoutMs: 1e9 }, 'timeoutMs'],
    [{ path: 'none' }, 'path'],
    [{ path: 'src/a.ts' }, 'path'],
  ])('refuses %j', async (query, field) => {
    await expect(files.search(query)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
  });
});

function openFiles(): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith('/')).sort();
}
