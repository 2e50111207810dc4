import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SdkCall } from '@gyre/protocol';
import { Files } from '@gyre/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editFile } from './editor.js';

let root: string;
let files: Files;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gyre-editor-'));
  files = await Files.open(root, { home: '/home/agent' });
});
afterEach(async () => {
  await files.close();
  await rm(root, { recursive: true });
});

const edit = (call: object) => {
  const parsed = SdkCall.parse({ type: 'str_replace_editor', ...call });
  if (parsed.type !== 'str_replace_editor') throw new Error(parsed.type);
  return editFile(parsed, { files });
};

describe('the editor', () => {
  it('writes, shows and changes a file', async () => {
    const path = 'src/a.txt';
    expect(await edit({ command: 'create', path, text: 'one\ntwo\nthree\n' })).toBe('(src/a.txt written: 14 bytes)');
    expect(await edit({ command: 'view', path: `/home/agent/${path}` })).toBe(
      '     1\tone\n     2\ttwo\n     3\tthree',
    );
    expect(await edit({ command: 'view', path, lines: [2, 2] })).toBe('     2\ttwo\n(the file has 3 lines)');
    expect(await edit({ command: 'view', path, lines: [2, -1] })).toContain('     3\tthree');
    expect(await edit({ command: 'str_replace', path, old: 'two', new: '2\n2' })).toBe(
      '     1\tone\n     2\t2\n     3\t2\n     4\tthree\n(src/a.txt was changed at line 2)',
    );
    await edit({ command: 'str_replace', path, old: '2\n2\n' });
    expect(await edit({ command: 'insert', path, afterLine: 0, new: 'zero' })).toContain('     1\tzero\n     2\tone');
    expect(await files.read(path)).toMatchObject({ text: 'zero\none\nthree\n' });
  });

  it('takes changes back one after another, and no more than it made', async () => {
    const path = 'a.txt';
    await edit({ command: 'create', path, text: 'one\n' });
    await edit({ command: 'insert', path: `/home/agent/${path}`, afterLine: 1, new: 'two\n' });
    await edit({ command: 'str_replace', path, old: 'one', new: '1' });
    expect(await edit({ command: 'undo_edit', path })).toBe('(the last change to a.txt was undone)');
    expect(await files.read(path)).toMatchObject({ text: 'one\ntwo\n' });
    await edit({ command: 'undo_edit', path });
    expect(await files.read(path)).toMatchObject({ text: 'one\n' });
    expect(await edit({ command: 'undo_edit', path })).toBe(
      '(the last change to a.txt was undone: the file no longer exists)',
    );
    await expect(edit({ command: 'undo_edit', path })).rejects.toMatchObject({ code: 'bad_input' });
    await files.write('b.txt', 'b');
    await expect(edit({ command: 'undo_edit', path: 'b.txt' })).rejects.toMatchObject({
      ...{ code: 'bad_input', message: 'no change to b.txt can be undone' },
    });
  });

  it('shows what is around a change, and not all', async () => {
    await files.write('a', Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join(''));
    const text = await edit({ command: 'str_replace', path: 'a', old: 'line 50\n', new: 'fifty\n' });
    expect(text.split('\n').map((line) => line.trim().split('\t')[0])).toEqual([
      '46',
      '47',
      '48',
      '49',
      '50',
      '51',
      '52',
      '53',
      '54',
      '55',
      '(a was changed at line 50)',
    ]);
  });

  it('shows folders without hidden files', async () => {
    await files.write('b/c/d', '', { folders: true });
    await files.write('.config/x', '', { folders: true });
    await files.write('a', '');
    expect(await edit({ command: 'view', path: '.' })).toBe('a\nb/\nb/c/\n(hidden files are not shown)');
  });

  it('says what has nothing to show', async () => {
    await files.write('empty', '');
    await writeFile(join(root, 'binary'), Buffer.from([0, 1, 2]));
    await files.write('short', 'a\n');
    expect(await edit({ command: 'view', path: 'empty' })).toBe('(the file is empty)');
    expect(await edit({ command: 'view', path: 'binary' })).toBe('(binary file: 3 bytes)');
    expect(await edit({ command: 'view', path: 'short', lines: [5, 9] })).toBe('(the file has only 1 lines)');
  });

  it('leaves the middle of a long file out', async () => {
    await files.write('long', 'word '.repeat(20).concat('\n').repeat(2_000));
    const text = await edit({ command: 'view', path: 'long' });
    expect(text.length).toBeLessThan(17_000);
    expect(text).toMatch(/^ {5}1\tword.*lines left out.* {2}2000\tword[^\n]*$/s);
  });

  it.each([
    ['a file that is there', { command: 'create', path: 'a', text: '' }, /already exists/],
    ['what is outside', { command: 'view', path: '/etc/passwd' }, /outside the home/],
    ['what is not there', { command: 'view', path: 'none' }, /does not exist/],
    ['what stands there twice', { command: 'str_replace', path: 'a', old: 'x' }, /occurs 2 times: lines 1, 2/],
    ['what does not stand there', { command: 'str_replace', path: 'a', old: 'y' }, /does not occur/],
    ['behind a line that is not there', { command: 'insert', path: 'a', afterLine: 3, new: '' }, /no line 3/],
    ['a folder', { command: 'insert', path: '.', afterLine: 0, new: '' }, /is a folder/],
  ])('does not touch %s', async (_, call, message) => {
    await files.write('a', 'x\nx\n');
    await expect(edit(call)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(message) as string,
    });
    expect(await files.read('a')).toMatchObject({ text: 'x\nx\n' });
  });
});
