import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { downloadsOf, reasonToLeaveOut, uuidOfUrl } from './needs.js';
import { OsworldTask } from './task.js';

let cache: string;
beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'gyre-osworld-cache-'));
});
afterAll(() => rm(cache, { recursive: true }));

const url = 'https://example.org/files/letter.docx';

const taskOf = (more: object = {}, evaluator: object = {}) =>
  OsworldTask.parse({
    id: 'letter',
    instruction: 'Write the letter.',
    evaluator: { func: 'exact_match', ...evaluator },
    ...more,
  });

const reason = (task: OsworldTask, download = false) =>
  reasonToLeaveOut(task, { cache, download, isInstalled: (program) => program === 'vlc' });

test('names cached files as Python does', () => {
  // python3 -c 'import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, "https://example.org/files/letter.docx"))'
  expect(uuidOfUrl(url)).toBe('67f53dcb-3dd5-5298-8b47-e82e21d11537');
});

test('finds the downloads of set-up, post-set-up and getters', () => {
  const download = (path: string) => ({ type: 'download', parameters: { files: [{ url, path }] } });
  const task = taskOf(
    { config: [download('/home/user/a.docx')] },
    {
      postconfig: [download('/home/user/b.docx')],
      func: ['f', 'g'],
      result: [{ type: 'vm_file', path: '/home/user/a.docx', dest: 'a.docx' }, null],
      expected: [
        { type: 'cloud_file', path: url, dest: 'gold.docx' },
        { type: 'cloud_file', path: [url, url], dest: ['one', 'two'], multi: true },
      ],
    },
  );
  const names = [`${uuidOfUrl(url)}_a.docx`, `${uuidOfUrl(url)}_b.docx`, 'gold.docx', 'one', 'two'];
  expect(downloadsOf(task)).toEqual(names.map((name) => join('letter', name)));
});

test('leaves tasks out by what they need', async () => {
  expect(reason(taskOf())).toBeUndefined();
  expect(reason(taskOf({ proxy: true }))).toMatch(/live web/);
  const tabs = (address: string) => [{ type: 'chrome_open_tabs', parameters: { urls_to_open: [address] } }];
  expect(reason(taskOf({ config: tabs('https://example.org') }))).toMatch(/live web/);
  expect(reason(taskOf({ config: tabs('file:///home/user/a.html') }))).toBeUndefined();
  const address = (url: string) => ({
    result: { type: 'active_url_from_accessTree' },
    expected: { type: 'rule', rules: { url } },
  });
  expect(reason(taskOf({}, address('https://example.org')))).toMatch(/live web/);
  expect(reason(taskOf({}, address('chrome://settings')))).toBeUndefined();
  expect(reason(taskOf({ config: [{ type: 'login', parameters: {} }] }))).toMatch(/account/);
  expect(reason(taskOf({ related_apps: ['vlc', 'os'] }))).toBeUndefined();
  expect(reason(taskOf({ related_apps: ['libreoffice calc'] }))).toBe('needs LibreOffice, which this machine lacks');
  expect(reason(taskOf({ related_apps: ['vscode'] }))).toBe('needs VS Code, which this machine lacks');
  expect(reason(taskOf({}, { func: ['f', 'compare_image_text'] }))).toMatch(/easyocr/);
  const newer = taskOf({}, { func: ['f', 'infeasible'], result: { type: 'appearance' } });
  const place = { cache, download: false, evaluators: new Set(['f']) };
  expect(reasonToLeaveOut(newer, place)).toBe('needs get_appearance, which the installed desktop-env lacks');
  expect(reasonToLeaveOut(newer, { ...place, evaluators: new Set(['f', 'get_appearance']) })).toBeUndefined();
  expect(reason(taskOf({ id: '937087b6-f668-4ba6-9110-60682ee33441' }))).toMatch(/scores 1 on the fresh desktop/);
});

test("plays tasks of the web and of every application on OSWorld's own machines", () => {
  const place = { cache, download: false, official: true, isInstalled: () => false };
  expect(reasonToLeaveOut(taskOf({ proxy: true, related_apps: ['vscode'] }), place)).toBeUndefined();
  expect(reasonToLeaveOut(taskOf({ id: '937087b6-f668-4ba6-9110-60682ee33441' }), place)).toBeUndefined();
  expect(reasonToLeaveOut(taskOf({ config: [{ type: 'login', parameters: {} }] }), place)).toMatch(/account/);
});

test('plays tasks with files once they are cached, or may be downloaded', async () => {
  const task = taskOf({}, { expected: { type: 'cloud_file', path: url, dest: 'gold.docx' } });
  expect(reason(task)).toMatch(/not in the cache/);
  expect(reason(task, true)).toBeUndefined();
  await mkdir(join(cache, 'letter'));
  await writeFile(join(cache, 'letter', 'gold.docx'), '');
  expect(reason(task)).toBeUndefined();
});
