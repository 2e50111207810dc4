import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { chmod, link, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Files } from './files.js';

const home = '/home/agent';
let root: string;
let files: Files;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'gyre-files-'));
  files = await Files.open(root, { home, maxRead: 10_000, maxWrite: 20_000, maxTransfer: 50_000 });
});
afterEach(async () => {
  await files.close();
  rmSync(root, { recursive: true, force: true });
});

const badInput = { code: 'bad_input' };
const onHost = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('reading', () => {
  it('gives the text, by a relative path or one in the home', async () => {
    await files.write('a/b.txt', 'ein\nzwei ü\n', { folders: true });
    const whole = { binary: false, text: 'ein\nzwei ü\n', lines: { from: 1, to: 2, total: 2 }, bytes: 12 };
    expect(await files.read('a/b.txt')).toEqual(whole);
    expect(await files.read(`${home}/a/../a/./b.txt`)).toEqual(whole);
    expect(await files.read('a/b.txt', { from: 2 })).toMatchObject({ text: 'zwei ü\n', lines: { from: 2, to: 2 } });
    expect(await files.read('a/b.txt', { to: 1 })).toMatchObject({ text: 'ein\n', lines: { to: 1, total: 2 } });
    expect(await files.read('a/b.txt', { from: 9 })).toMatchObject({ text: '', lines: { from: 9, to: 8, total: 2 } });
    expect(await files.readBytes('a/b.txt', { offset: 4, length: 4 })).toEqual(Buffer.from('zwei'));
    expect(await files.readBytes('a/b.txt', { offset: 99 })).toHaveLength(0);
  });

  it('finds lines in a file that is too big as a whole', async () => {
    await writeFile(join(root, 'big'), Array.from({ length: 30_000 }, (_, i) => `line ${i + 1}\n`).join(''));
    await expect(files.read('big')).rejects.toMatchObject({ ...badInput, detail: { field: 'path' } });
    const part = await files.read('big', { from: 29_999, to: 30_000 });
    expect(part).toMatchObject({
      text: 'line 29999\nline 30000\n',
      lines: { from: 29_999, to: 30_000, total: 30_000 },
    });
    await expect(files.read('big', { from: 2 })).rejects.toMatchObject(badInput);
    await expect(files.readBytes('big')).rejects.toMatchObject(badInput);
    expect(await files.readBytes('big', { length: 6 })).toEqual(Buffer.from('line 1'));
  });

  it('reports files that are not text', async () => {
    await files.write('nul', Buffer.from('a\0b'));
    await files.write('latin1', Buffer.from([0xe4, 0x0a]));
    expect(await files.read('nul')).toEqual({ binary: true, bytes: 3 });
    expect(await files.read('latin1')).toEqual({ binary: true, bytes: 2 });
    await expect(files.edit('nul', { replace: 'a', with: 'b' })).rejects.toMatchObject(badInput);
  });

  it.each(['', '.', 'folder', 'none', 'file/x', '..', '../x', '/etc/passwd', 'folder/../../x', 'x\0', 'x'.repeat(300)])(
    'refuses %j',
    async (path) => {
      await files.createFolder('folder');
      await files.write('file', '');
      await expect(files.read(path)).rejects.toMatchObject({ ...badInput, detail: { field: 'path' } });
      await expect(files.download(path)).rejects.toMatchObject(badInput);
    },
  );

  it('refuses lines and ranges that make no sense', async () => {
    await files.write('a', '');
    await expect(files.read('a', { from: 0 })).rejects.toMatchObject({ detail: { field: 'from' } });
    await expect(files.readBytes('a', { offset: -1 })).rejects.toMatchObject({ detail: { field: 'offset' } });
    await expect(files.list('.', { limit: 0 })).rejects.toMatchObject({ detail: { field: 'limit' } });
  });
});

describe('writing', () => {
  it('replaces, creates and appends', async () => {
    expect(await files.write('a', 'one')).toMatchObject({ path: 'a', type: 'file', size: 3, mode: 0o644 });
    await expect(files.write('a', 'two', { mode: 'create' })).rejects.toMatchObject(badInput);
    await files.write('a', ' more', { mode: 'append' });
    expect(onHost('a')).toBe('one more');
    await files.write('a', 'new');
    await files.write('b', 'created', { mode: 'create' });
    await files.write('c', 'appended', { mode: 'append' });
    expect([onHost('a'), onHost('b'), onHost('c')]).toEqual(['new', 'created', 'appended']);
    expect(readdirSync(root).sort()).toEqual(['a', 'b', 'c']);
  });

  it('keeps the mode of a program, drops what sets a user, and leaves other names alone', async () => {
    await writeFile(join(root, 'run'), 'old');
    await chmod(join(root, 'run'), 0o4755);
    await link(join(root, 'run'), join(root, 'other'));
    expect(await files.write('run', 'new')).toMatchObject({ mode: 0o755 });
    expect([onHost('run'), onHost('other')]).toEqual(['new', 'old']);
  });

  it('refuses what is too big, has no folder, or is no file', async () => {
    await expect(files.write('a', 'x'.repeat(20_001))).rejects.toMatchObject({
      ...badInput,
      detail: { field: 'data' },
    });
    await expect(files.write('no/a', '')).rejects.toMatchObject(badInput);
    await expect(files.write('.', '')).rejects.toMatchObject(badInput);
    await files.createFolder('folder');
    await expect(files.write('folder', '')).rejects.toMatchObject(badInput);
    expect(readdirSync(root)).toEqual(['folder']);
  });

  it('edits, and says on which line', async () => {
    await files.write('a', 'one\ntwo\n');
    expect(await files.edit('a', { replace: 'two', with: 'TWO' })).toEqual({ line: 2 });
    expect(await files.edit('a', { insert: 'zero', afterLine: 0 })).toEqual({ line: 1 });
    expect(onHost('a')).toBe('zero\none\nTWO\n');
    await expect(files.edit('a', { replace: 'o', with: '' })).rejects.toMatchObject({ detail: { field: 'replace' } });
    await files.write('bom', '\ufeffa');
    await files.edit('bom', { replace: 'a', with: 'b' });
    expect(onHost('bom')).toBe('\ufeffb');
  });
});

describe('streams', () => {
  it('upload and download', async () => {
    const parts = [Buffer.from('a'.repeat(9_000)), Buffer.from('b'.repeat(30_000))];
    expect(await files.upload('new/up', Readable.from(parts), { folders: true })).toMatchObject({ size: 39_000 });
    const { stream, bytes } = await files.download('new/up');
    expect(bytes).toBe(39_000);
    expect(await buffer(stream)).toEqual(Buffer.concat(parts));
    await files.write('empty', '');
    expect(await buffer((await files.download('empty')).stream)).toHaveLength(0);
  });

  it('are capped, and leave nothing half done', async () => {
    await files.write('up', 'old');
    const parts = Array.from({ length: 60 }, () => Buffer.alloc(1_000));
    await expect(files.upload('up', Readable.from(parts))).rejects.toMatchObject({ detail: { field: 'source' } });
    await expect(files.upload('up', Readable.from(parts), { maxBytes: 10 })).rejects.toMatchObject(badInput);
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      await Promise.reject(new Error('gone'));
    };
    await expect(files.upload('up', failing())).rejects.toMatchObject({ code: 'infra', detail: { field: 'source' } });
    expect(onHost('up')).toBe('old');
    expect(readdirSync(root)).toEqual(['up']);
    await writeFile(join(root, 'huge'), Buffer.alloc(50_001));
    await expect(files.download('huge')).rejects.toMatchObject(badInput);
  });
});

describe('the tree', () => {
  beforeEach(async () => {
    await files.write('a/b/c.txt', 'c', { folders: true });
    await symlink('b/c.txt', join(root, 'a/link'));
    execFileSync('mkfifo', [join(root, 'a/pipe')]);
  });

  it('is listed with types, to a depth and a bound', async () => {
    const listing = await files.list('a', { depth: 5 });
    const byPath = Object.fromEntries(listing.entries.map((entry) => [entry.path, entry]));
    expect(Object.keys(byPath).sort()).toEqual(['a/b', 'a/b/c.txt', 'a/link', 'a/pipe']);
    expect(byPath['a/b']).toMatchObject({ type: 'folder', size: 0 });
    expect(byPath['a/b/c.txt']).toMatchObject({ type: 'file', size: 1, mode: 0o644 });
    expect(byPath['a/link']).toMatchObject({ type: 'link', target: 'b/c.txt' });
    expect(byPath['a/pipe']).toMatchObject({ type: 'other' });
    expect(byPath['a/b/c.txt']!.modified.getTime()).toBeCloseTo(Date.now(), -5);
    expect((await files.list('a')).entries).toHaveLength(3);
    expect(await files.list('a', { depth: 5, limit: 2 })).toMatchObject({ truncated: true });
    await expect(files.list('a/link')).rejects.toMatchObject(badInput);
  });

  it('is looked at', async () => {
    expect(await files.stat('a/link')).toMatchObject({ path: 'a/link', type: 'link', target: 'b/c.txt' });
    expect(await files.stat('a/b')).toMatchObject({ path: 'a/b', type: 'folder' });
    expect(await files.stat(home)).toMatchObject({ path: '', type: 'folder' });
    await expect(files.stat('none')).rejects.toMatchObject(badInput);
  });

  it('is moved', async () => {
    expect(await files.move('a/b/c.txt', 'd.txt')).toMatchObject({ path: 'd.txt' });
    await files.write('e.txt', 'e');
    await expect(files.move('d.txt', 'e.txt')).rejects.toMatchObject({ ...badInput, detail: { field: 'to' } });
    await files.move('d.txt', 'e.txt', { replace: true });
    expect(onHost('e.txt')).toBe('c');
    await files.move('a', 'z');
    expect(readdirSync(join(root, 'z')).sort()).toEqual(['b', 'link', 'pipe']);
    await expect(files.move('z', 'z/b/z')).rejects.toMatchObject(badInput);
    await expect(files.move('.', 'y')).rejects.toMatchObject({ detail: { field: 'from' } });
    await expect(files.move('none', 'y')).rejects.toMatchObject({ detail: { field: 'from' } });
  });

  it('is copied, but for pipes and into itself', async () => {
    await files.copy('a', 'z');
    expect(readdirSync(join(root, 'z')).sort()).toEqual(['b', 'link']);
    expect(onHost('z/link')).toBe('c');
    await expect(files.copy('a', 'a/b/a')).rejects.toMatchObject(badInput);
    await expect(files.copy('a/b/c.txt', 'z/link')).rejects.toMatchObject(badInput);
    await expect(files.copy('a/pipe', 'pipe')).rejects.toMatchObject(badInput);
    await files.write('big', 'x'.repeat(20_000));
    for (const name of ['1', '2', '3']) await files.copy('big', `z/${name}`);
    await expect(files.copy('z', 'y')).rejects.toMatchObject({ detail: { field: 'from' } });
  });

  it('is removed, folders with contents only if requested', async () => {
    await files.remove('a/link');
    expect(onHost('a/b/c.txt')).toBe('c');
    await expect(files.remove('a')).rejects.toMatchObject(badInput);
    await files.remove('a', { recursive: true });
    await expect(files.remove('a')).rejects.toMatchObject(badInput);
    await expect(files.remove('', { recursive: true })).rejects.toMatchObject(badInput);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('a root', () => {
  it('is an existing folder', async () => {
    await expect(Files.open(join(root, 'none'))).rejects.toMatchObject({ ...badInput, detail: { field: 'root' } });
    await writeFile(join(root, 'file'), '');
    await expect(Files.open(join(root, 'file'))).rejects.toMatchObject(badInput);
  });

  it('creates files for its owner when run by root', async () => {
    if (process.getuid?.() !== 0) return;
    execFileSync('chown', ['12345:12345', root]);
    const owned = await Files.open(root);
    await owned.write('a/b', '', { folders: true });
    for (const path of ['a', 'a/b']) expect(await stat(join(root, path))).toMatchObject({ uid: 12_345, gid: 12_345 });
    await owned.close();
  });

  it('releases all file descriptors when it is closed', async () => {
    const open = (): string[] => readdirSync('/proc/self/fd');
    await mkdir(join(root, 'a/b/c'), { recursive: true });
    const another = await Files.open(root);
    const before = open().length;
    await another.write('a/b/c/d', 'x');
    await another.list('.', { depth: 9 });
    await another.list('.', { depth: 9, limit: 1 });
    for (const path of ['../x', 'a/b/c/d/e', 'none', 'a/b']) await another.read(path).catch(() => {});
    await another.remove('a', { recursive: true });
    expect(open()).toHaveLength(before);
    await another.close();
    await another.close();
    expect(open()).toHaveLength(before - 1);
    await expect(another.list()).rejects.toMatchObject({ code: 'infra' });
  });
});
