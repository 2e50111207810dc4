import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Files } from './files.js';
import type { Change, Watch } from './watch.js';

let root: string;
let files: Files;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'gyre-watch-'));
  files = await Files.open(root);
});
afterEach(async () => {
  await files.close();
  rmSync(root, { recursive: true, force: true });
});

async function until(watch: Watch, path: string): Promise<string[]> {
  const seen: string[] = [];
  const timer = setTimeout(() => watch.close(), 5_000);
  const changes = watch[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = (await changes.next()) as IteratorResult<Change, undefined>;
    if (done === true) break;
    seen.push(value.type === 'overflow' ? 'overflow' : `${value.type} ${value.entry} ${value.path}`);
    if ((value.type === 'overflow' ? 'overflow' : value.path) === path) break;
  }
  clearTimeout(timer);
  return seen;
}

describe('a watch', () => {
  it('tells what happens, in folders that are new too', async () => {
    await files.write('old', '1');
    const watch = await files.watch();
    await files.write('a', '1');
    expect(await until(watch, 'a')).toEqual(['created file a']);
    await files.write('a', '2');
    expect(await until(watch, 'a')).toEqual(['changed file a']);
    await mkdir(join(root, 'b/c'), { recursive: true });
    writeFileSync(join(root, 'b/c/d'), '');
    const changes = await until(watch, 'b/c/d');
    expect(changes.slice(0, 2)).toEqual(['created folder b', 'created folder b/c']);
    writeFileSync(join(root, 'b/c/e'), '');
    expect(await until(watch, 'b/c/e')).toContain('created file b/c/e');
    await rename(join(root, 'b'), join(root, 'z'));
    const moved = await until(watch, 'z/c/e');
    expect(moved).toEqual(expect.arrayContaining(['removed folder b', 'created folder z', 'created file z/c/e']));
    watch.close();
    await files.remove('old');
    expect(await until(watch, 'old')).not.toContain('removed file old');
  });

  it('of one folder leaves those in it alone', async () => {
    await files.createFolder('sub/deep');
    const watch = await files.watch('sub', { recursive: false });
    await files.write('sub/deep/a', '');
    await files.write('sub/b', '');
    expect(await until(watch, 'sub/b')).toEqual(['created file sub/b']);
    watch.close();
  });

  it('shows nothing of where a link leads', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'gyre-outside-'));
    await files.createFolder('folder');
    const watch = await files.watch();
    symlinkSync(outside, join(root, 'link'));
    renameSync(join(root, 'folder'), join(root, 'gone'));
    symlinkSync(outside, join(root, 'folder'));
    writeFileSync(join(outside, 'secret'), '');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await files.write('end', '');
    const seen = await until(watch, 'end');
    expect(seen).toContain('created link folder');
    expect(seen.join('\n')).not.toContain('secret');
    watch.close();
    rmSync(outside, { recursive: true });
  });

  it('is bounded, and ends with the files', async () => {
    for (const name of ['a', 'b', 'c']) await files.createFolder(name);
    await expect(files.watch('.', { maxFolders: 2 })).rejects.toMatchObject({ code: 'bad_input' });
    await expect(files.watch('none')).rejects.toMatchObject({ code: 'bad_input' });
    const watch = await files.watch('.', { maxFolders: 4 });
    await files.createFolder('d');
    expect(await until(watch, 'overflow')).toEqual(['created folder d', 'overflow']);
    const secondWatch = await files.watch('a');
    const ended = until(secondWatch, 'never');
    await files.close();
    expect(await ended).toEqual([]);
  });
});
