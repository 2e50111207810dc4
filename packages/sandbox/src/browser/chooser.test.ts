import type { Action } from '@gyre/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeIsolation } from '../isolation/createEnclosure.js';
import type { Clock } from './flags.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';

// Without isolation the browser cannot read the session's home.
const isolated = (await probeIsolation()).kind !== 'none';
const size = { width: 640, height: 480 };
const keys = (named: string): Action => ({ type: 'hotkey', keys: named });
const type = (text: string): Action => ({ type: 'type', text });
const onInput: Action = { type: 'click', point: { x: 0.2, y: 0.03 } };
const zone = { x: 0.2, y: 0.2 };

const page = (attributes: string) => `<!doctype html><style>* { margin: 0 }</style>
  <input type=file ${attributes} style="display: block; width: 300px; height: 30px">
  <div id=zone style="width: 300px; height: 150px; background: #eef"></div>
  <script>
    const show = async (files, how) => {
      const texts = [...files].map(async (file) => (file.webkitRelativePath || file.name) + ': ' + (await file.text()));
      document.title = how + ' ' + (await Promise.all(texts)).sort().join(', ');
    };
    const input = document.querySelector('input');
    input.onchange = () => show(input.files, 'chosen');
    zone.ondragover = (event) => event.preventDefault();
    zone.ondrop = (event) => { event.preventDefault(); show(event.dataTransfer.files, 'dropped'); };
  </script>`;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

describe.skipIf(!isolated).each<Clock>(['stepped', 'free'])('a file chooser on a %s clock', (clock) => {
  let session: SandboxSession;
  beforeAll(async () => {
    session = await sandbox.lease({ kind: 'browser', clock, size, stepMs: 50 });
    await session.files.write('notes.txt', 'noted');
    await session.files.write('report.csv', 'a,b');
    await session.files.write('photos/cat.png', 'cat', { folders: true });
    await session.files.write('photos/dog.png', 'dog', { folders: true });
    await session.shell.run('ln -s /etc/passwd outside.txt; touch .hidden');
  });
  afterAll(() => session.release());

  const open = (attributes = '') => session.browser!.open({ html: page(attributes), seed: 1 });
  const act = async (...actions: Action[]) => {
    for (const action of actions) await session.screen.act(action);
    await session.screen.observe();
  };
  const title = () => expect.poll(() => session.browser!.evaluate<string>('document.title'));
  const asks = () => session.browser!.page.asks;

  it.each<[string, string, Action[], string]>([
    ['a file by its name', '', [type('notes.txt\n')], 'chosen notes.txt: noted'],
    ['a file by its path', '', [type('photos/cat.png\n')], 'chosen cat.png: cat'],
    [
      'the last file by keys',
      '',
      [keys('up'), keys('end'), ...Array<Action>(9).fill(keys('down')), keys('enter')],
      'chosen report.csv: a,b',
    ],
    [
      'two by their names',
      'multiple',
      [type('"notes.txt" "report.csv"\n')],
      'chosen notes.txt: noted, report.csv: a,b',
    ],
    [
      'all of a folder',
      'multiple',
      [type('photos\n'), keys('ctrl a'), keys('enter')],
      'chosen cat.png: cat, dog.png: dog',
    ],
    ['one only where one is asked for', '', [type('photos\n'), type('"cat.png" "dog.png"\n')], 'chosen cat.png: cat'],
    ['a folder', 'webkitdirectory', [type('photos\n')], 'chosen photos/cat.png: cat, photos/dog.png: dog'],
    [
      'after a name that is none',
      '',
      [type('nothing\n'), keys('ctrl a'), type('notes.txt\n')],
      'chosen notes.txt: noted',
    ],
  ])('takes %s', async (_, attributes, actions, result) => {
    await open(attributes);
    const before = await session.screen.observe();
    await act(onInput);
    expect(asks()).toBe('files');
    expect((await session.screen.observe()).hash).not.toBe(before.hash);
    await act(...actions);
    expect(asks()).toBeUndefined();
    await title().toBe(result);
  });

  it('selects a file by mouse', async () => {
    await open();
    // Rows: Downloads, photos, notes.txt, report.csv.
    await act(onInput, { type: 'double_click', point: { x: 0.3, y: 0.26 } });
    expect(asks()).toBeUndefined();
    await title().toBe('chosen notes.txt: noted');
  });

  it('selects nothing on escape, and shows neither links nor hidden files', async () => {
    await open();
    await act(onInput, type('outside.txt\n'));
    expect(asks()).toBe('files');
    await act(keys('ctrl a'), type('.hidden\n'));
    expect(asks()).toBe('files');
    await act(keys('escape'));
    expect(asks()).toBeUndefined();
    await title().toBe('');
  });

  it('lets files be dragged onto the page', async () => {
    await open();
    await act(keys('ctrl o'));
    expect(asks()).toBe('files');
    await act({ type: 'drag', start: { x: 0.3, y: 0.71 }, end: zone });
    expect(asks()).toBeUndefined();
    await title().toBe('dropped notes.txt: noted');
    await act(onInput, { type: 'drag', start: { x: 0.3, y: 0.26 }, end: { x: 0.02, y: 0.3 } });
    expect(asks()).toBeUndefined();
    await title().toBe('dropped notes.txt: noted');
  });

  it('refuses a file that was replaced by a link after it was listed', async () => {
    await session.files.write('swapped.txt', 'own');
    await open();
    await act(onInput);
    await session.shell.run('rm swapped.txt && ln -s /etc/passwd swapped.txt');
    await act(type('swapped.txt\n'));
    expect(asks()).toBeUndefined();
    await title().toBe('');
    expect(session.screen.notices!()).toContain('swapped.txt no longer exists');
    await session.shell.run('rm swapped.txt');
  });

  it('leaves ctrl o to a page that wants it', async () => {
    await session.browser!.open({
      html: `<script>addEventListener('keydown', (event) => { if (event.ctrlKey && event.key === 'o') { event.preventDefault(); document.title = 'opened'; } })</script>`,
      seed: 1,
    });
    await act(keys('ctrl o'));
    expect(asks()).toBeUndefined();
    await title().toBe('opened');
  });

  it('does not block a verifier, and stays open afterwards', async () => {
    await open();
    await act(onInput);
    expect(await session.browser!.evaluate('document.title', { tab: 'first' })).toBe('');
    expect(asks()).toBe('files');
    await act(type('notes.txt\n'));
    await title().toBe('chosen notes.txt: noted');
  });
});
