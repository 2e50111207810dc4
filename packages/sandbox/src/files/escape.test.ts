import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { link, mkdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Files } from './files.js';

/** Holds a home, next to files that must stay unreachable. */
let place: string;
let root: string;
let outside: string;
let files: Files;

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'gyre-escape-'));
  root = join(place, 'home');
  outside = join(place, 'outside');
  await mkdir(root);
  await mkdir(outside);
  writeFileSync(join(outside, 'secret'), 'SECRET');
  files = await Files.open(root, { home: '/home/agent' });
});
afterEach(async () => {
  await files.close();
  rmSync(place, { recursive: true, force: true });
});

const badInput = { code: 'bad_input' };
const untouched = (): void => {
  expect(readdirSync(outside)).toEqual(['secret']);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET');
};

const operations: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  read: (path) => files.read(path),
  readBytes: (path) => files.readBytes(path),
  write: (path) => files.write(path, 'PWNED'),
  create: (path) => files.write(path, 'PWNED', { mode: 'create', folders: true }),
  append: (path) => files.write(path, 'PWNED', { mode: 'append' }),
  edit: (path) => files.edit(path, { replace: 'SECRET', with: 'PWNED' }),
  list: (path) => files.list(path),
  upload: (path) => files.upload(path, Readable.from([Buffer.from('PWNED')])),
  download: async (path) => buffer((await files.download(path)).stream),
  createFolder: (path) => files.createFolder(`${path}/new`),
  copyFrom: (path) => files.copy(path, 'copied'),
  copyTo: async (path) => {
    await files.write('own', 'PWNED');
    await files.copy('own', `${path}/x`);
  },
  moveTo: async (path) => {
    await files.write('own', 'PWNED');
    await files.move('own', `${path}/x`);
  },
  moveFrom: (path) => files.move(`${path}/secret`, 'moved'),
  remove: (path) => files.remove(`${path}/secret`),
  search: (path) => files.search({ path, content: 'SECRET' }),
  watch: async (path) => (await files.watch(path)).close(),
};

describe.each(Object.entries(operations))('%s', (name, operation) => {
  it.each([
    ['a relative link', '../outside'],
    ['a link to a file', '../outside/secret'],
    ['an absolute link', ''],
    ['a link to the root of the host', '/'],
    ['a link through /proc', '/proc/self/root/etc'],
    ['a link to what is open here', '/proc/self/fd/0'],
  ])('does not follow %s', async (_, target) => {
    await symlink(target === '' ? outside : target, join(root, 'link'));
    await expect(operation('link')).rejects.toMatchObject(badInput);
    await expect(operation('link/secret')).rejects.toMatchObject(badInput);
    untouched();
  });

  it('does not follow chains and loops of links', async () => {
    await mkdir(join(root, 'a'));
    await symlink('a/b', join(root, 'one'));
    await symlink('../../outside', join(root, 'a/b'));
    await symlink('round', join(root, 'round'));
    await expect(operation('one')).rejects.toMatchObject(badInput);
    await expect(operation('round')).rejects.toMatchObject(badInput);
    untouched();
  });

  it('does not go up', async () => {
    for (const path of ['../outside', 'a/../../outside/secret', '/home/agent/../outside', outside, '..']) {
      await expect(operation(path)).rejects.toMatchObject(badInput);
    }
    untouched();
    expect(name).not.toBe('');
  });
});

describe('links inside', () => {
  it('are followed, whether relative or absolute inside the session', async () => {
    await mkdir(join(root, 'a'));
    await symlink('../b', join(root, 'a/link'));
    await symlink('/home/agent/a/link', join(root, 'absolute'));
    await files.write('a/link', 'through a link that led nowhere');
    expect(await files.read('absolute')).toMatchObject({ text: 'through a link that led nowhere' });
    expect(readdirSync(root).sort()).toEqual(['a', 'absolute', 'b']);
    await symlink('..', join(root, 'a/up'));
    expect(await files.read('a/up/a/up/b')).toMatchObject({ bytes: 31 });
  });
});

describe('special files', () => {
  it('do not hang or leak: pipes, sockets, devices', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const paths = ['pipe'];
    try {
      execFileSync('mknod', [join(root, 'zero'), 'c', '1', '5'], { stdio: 'ignore' });
      paths.push('zero');
    } catch {
      // Only root makes devices.
    }
    for (const path of paths) {
      for (const name of ['read', 'readBytes', 'write', 'append', 'edit', 'upload', 'download', 'copyFrom', 'list']) {
        await expect(operations[name]!(path), name).rejects.toMatchObject(badInput);
      }
      expect(await files.stat(path)).toMatchObject({ type: 'other' });
    }
    expect(await files.search({ content: '.' })).toMatchObject({ matches: [], skipped: paths.length });
    for (const path of paths) await files.remove(path);
  });

  it('is not read by another name that may lie outside, and is never written by it', async () => {
    await link(join(outside, 'secret'), join(root, 'hard'));
    for (const name of ['read', 'readBytes', 'append', 'edit', 'download', 'copyFrom']) {
      await expect(operations[name]!('hard'), name).rejects.toMatchObject(badInput);
    }
    expect(await files.search({ content: 'SECRET' })).toMatchObject({ matches: [], skipped: 1 });
    await files.write('hard', 'own');
    untouched();
    const trusting = await Files.open(root, { hardLinks: true });
    await link(join(root, 'hard'), join(root, 'hard2'));
    expect(await trusting.read('hard2')).toMatchObject({ text: 'own' });
    await trusting.close();
  });
});

describe('while the session swaps folders for links', () => {
  it('nothing leads out, at any time', async () => {
    await mkdir(join(root, 'real/deep'), { recursive: true });
    await mkdir(join(outside, 'deep'));
    writeFileSync(join(outside, 'deep/secret'), 'SECRET');
    const swapper = spawn(process.execPath, [
      '-e',
      `const fs = require('fs'); process.chdir(${JSON.stringify(root)});
       const quietly = (act) => { try { act(); } catch {} };
       const swap = (from, to) => quietly(() => fs.renameSync(from, to));
       fs.symlinkSync('../outside', 'evil'); fs.writeFileSync('plain', 'own');
       process.stdout.write('ready');
       for (let round = 0; ; round++) {
         swap('real', 'folder'); swap('folder', 'real'); swap('evil', 'folder'); swap('folder', 'evil');
         quietly(() => fs.copyFileSync('plain', 'next')); swap('next', 'file');
         quietly(() => fs.symlinkSync('../outside/secret', 'next')); swap('next', 'file');
         if (round % 20 !== 0) continue;
         quietly(() => fs.rmSync('folder', { recursive: true, force: true }));
         quietly(() => fs.mkdirSync('real/deep', { recursive: true }));
         // As a whole: a copy may read a file that is being written.
         quietly(() => fs.copyFileSync('plain', 'new')); swap('new', 'real/secret');
         quietly(() => fs.symlinkSync('../outside', 'evil'));
       }`,
    ]);
    let attempts = 0;
    let inside = 0;
    try {
      await new Promise((resolve) => swapper.stdout.once('data', resolve));
      const end = Date.now() + 3_000;
      while (Date.now() < end) {
        const results = await Promise.allSettled([
          files.read('file'),
          files.read('folder/secret'),
          files.read('folder/deep/secret'),
          files.list('folder').then(({ entries }) => entries.filter(({ path }) => path.includes('secret'))),
          files.write('folder/pwned', 'PWNED'),
          files.write('folder/deep/secret', 'PWNED'),
          files.upload('folder/deep/pwned', Readable.from([Buffer.from('PWNED')])),
          attempts % 10 === 0 ? files.createFolder('folder/deep/new') : files.read('file'),
          files.copy('folder', `copy${attempts % 3}`),
          files.remove('folder/secret'),
          files.remove('folder/deep', { recursive: true }),
          files.move('folder/secret', 'moved'),
        ]);
        attempts += results.length;
        inside += results.filter(({ status }) => status === 'fulfilled').length;
        expect(JSON.stringify(results)).not.toContain('SECRET');
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'GyreError' });
      }
    } finally {
      swapper.kill('SIGKILL');
    }
    expect(attempts).toBeGreaterThan(50);
    expect(inside).toBeGreaterThan(0);
    rmSync(join(outside, 'deep/secret'));
    expect(readdirSync(join(outside, 'deep'))).toEqual([]);
    rmSync(join(outside, 'deep'), { recursive: true });
    untouched();
    for (const name of ['copy0', 'copy1', 'copy2', 'moved']) {
      const copied = join(root, name === 'moved' ? name : `${name}/secret`);
      if (existsSync(copied)) expect(readFileSync(copied, 'utf8')).toBe('own');
    }
  });
});

describe('any path', () => {
  it('reads a file of the home or is refused', async () => {
    await mkdir(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/file'), 'INSIDE');
    await symlink('../..', join(root, 'a/b/up'));
    await symlink('../../..', join(root, 'a/b/out'));
    await symlink('b/file', join(root, 'a/link'));
    const part = fc.constantFrom(
      'a',
      'b',
      'file',
      'up',
      'out',
      'link',
      '..',
      '.',
      '',
      'secret',
      'outside',
      'home',
      'agent',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 10 }), fc.boolean(), async (parts, absolute) => {
        const path = (absolute ? '/home/agent/' : '') + parts.join('/');
        const read = await files.read(path).catch((error: unknown) => error);
        if (read instanceof Error) expect(read).toMatchObject(badInput);
        else expect(read).toMatchObject({ text: 'INSIDE' });
      }),
      { numRuns: 300 },
    );
  });
});
