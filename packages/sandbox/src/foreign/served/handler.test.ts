import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GyreError, type Action } from '@gyre/protocol';
import type { Desktop } from '../../desktop/desktop.js';
import type { Files } from '../../files/files.js';
import { startHost, type Host } from '../double/host.js';
import { program } from '../double/program.js';
import { ScreenDouble } from '../double/screenDouble.js';
import { Remote } from '../driven/remote.js';
import type { Shell } from '../../shell/shell.js';
import { aioHandler } from '../aio/server.js';
import type { CompatDesktop, CompatFiles, CompatMachine, CompatShell } from './machine.js';
import { osworldHandler } from '../osworld/server.js';
import type { CompatHandler } from './request.js';

class FilesDouble implements CompatFiles {
  readonly contents = new Map<string, Uint8Array>();

  readBytes(path: string): Promise<Uint8Array> {
    const content = this.contents.get(path);
    return content === undefined ? Promise.reject(nothing(path)) : Promise.resolve(content);
  }

  write(path: string, data: Uint8Array, { mode = 'replace' }: { mode?: 'replace' | 'append' } = {}): Promise<void> {
    if (path.startsWith('/proc/')) return Promise.reject(nothing(path));
    const before = mode === 'append' ? (this.contents.get(path) ?? []) : [];
    this.contents.set(path, Uint8Array.from([...before, ...data]));
    return Promise.resolve();
  }

  list(path: string) {
    const below = [...this.contents.keys()].filter((name) => name.startsWith(`${path}/`));
    if (below.length === 0) return Promise.reject(nothing(path));
    const entries = below.flatMap((name) => {
      const inside = name.slice(path.length + 1).split('/');
      return inside.map((_, depth) => ({
        path: [path.slice('/home/user/'.length), ...inside.slice(0, depth + 1)].filter(Boolean).join('/'),
        type: depth === inside.length - 1 ? 'file' : 'folder',
      }));
    });
    return Promise.resolve({ entries });
  }
}

function nothing(path: string): GyreError {
  return new GyreError('bad_input', `${path} does not exist`, { field: 'path', fix: 'list its folder' });
}

const shell: CompatShell = {
  run: async (command, { timeoutMs = 60_000 }) => {
    const ran = await program(['bash', '-c', command], timeoutMs);
    return { exitCode: ran.code < 0 ? 128 - ran.code : ran.code, ...ran };
  },
};

const window = { id: 7, title: 'notes.txt - Editor', program: 'Gedit', box: { x: 0, y: 0, width: 0.5, height: 0.5 } };

class DesktopDouble extends ScreenDouble {
  launched: string[] = [];
  notices = (): readonly string[] => [];
  launch(name: string, args: readonly string[]): Promise<void> {
    this.launched.push([name, ...args].join(' '));
    return Promise.resolve();
  }
  open(file: string): Promise<void> {
    this.launched.push(`open ${file}`);
    return Promise.resolve();
  }
  windows() {
    return Promise.resolve([window]);
  }
  activate({ id }: { readonly id: number }): Promise<void> {
    this.events.push(`activate ${id}`);
    return Promise.resolve();
  }
  closeWindow({ id }: { readonly id: number }): Promise<boolean> {
    this.events.push(`close ${id}`);
    return Promise.resolve(true);
  }
  accessibility() {
    const button = {
      role: 'push button',
      name: 'OK & "go" <\x07>',
      text: undefined,
      states: ['showing', 'has tooltip'],
      box: { x: 0.5, y: 0.5, width: 0.25, height: 0.25 },
      children: [],
    };
    return Promise.resolve([
      {
        program: 'Editor',
        tree: { ...button, role: 'application', name: 'Editor', box: undefined, states: [], children: [button] },
      },
      { program: 'mute', tree: undefined },
    ]);
  }
}

/** Type check: sessions satisfy what handlers require. */
export const fits = {
  desktop: (real: Desktop): CompatDesktop => real,
  shell: (real: Shell): CompatShell => real,
  files: (real: Files): CompatFiles => real,
};

let desktop: DesktopDouble;
let files: FilesDouble;
let server: Host;

async function serve(
  make: (machine: CompatMachine) => CompatHandler,
  parts: Partial<CompatMachine> = {},
): Promise<void> {
  server = await startHost(make({ desktop, shell, files, ...parts }));
}

beforeEach(() => {
  desktop = new DesktopDouble();
  files = new FilesDouble();
});

afterEach(async () => {
  await server.close();
});

const json = { 'content-type': 'application/json' };

function post(path: string, body: unknown): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

async function execute(command: string): Promise<{ returncode: number; output: string; error: string }> {
  const whole = `import pyautogui; import time; pyautogui.FAILSAFE = False; ${command}`;
  const response = await post('/execute', { command: ['python', '-c', whole], shell: false });
  expect(response.status).toBe(200);
  return (await response.json()) as { returncode: number; output: string; error: string };
}

const point = { x: 0.25, y: 0.5 };
const actions: Action[] = [
  { type: 'click', point },
  { type: 'right_click', point: { x: 1, y: 1 } },
  { type: 'middle_click', point },
  { type: 'double_click', point },
  { type: 'mouse_down', point, button: 'middle' },
  { type: 'mouse_up', button: 'middle' },
  { type: 'drag', start: point, end: { x: 0, y: 0 } },
  { type: 'long_press', point },
  { type: 'scroll', point, direction: 'down' },
  { type: 'scroll', direction: 'right' },
  { type: 'scroll', direction: 'left' },
  { type: 'hotkey', keys: 'ctrl shift t' },
  { type: 'hotkey', keys: 'meta' },
  { type: 'press', key: 'alt' },
  { type: 'release', key: 'alt' },
  { type: 'type', text: 'a "b" \'c\' \\ {d}\n\te' },
  { type: 'type', text: 'né 漢 😀' },
];

describe.each([
  ['osworld', osworldHandler],
  ['aio', (machine: CompatMachine) => aioHandler({ desktop: machine.desktop })],
] as const)('the driver of %s at the handler of %s', (protocol, make) => {
  it('has the same effect on the screen as a direct action', async () => {
    await serve(make);
    const remote = await Remote.connect({ protocol, url: server.url, settle: false });
    expect(remote.size).toEqual(desktop.size);
    const meant = new ScreenDouble();
    for (const action of actions) {
      desktop.events.length = 0;
      meant.events.length = 0;
      await remote.act(action);
      await meant.act(action);
      // Handlers also send redundant moves.
      expect(desktop.events.filter((event) => !event.startsWith('move'))).toEqual(
        meant.events.filter((event) => !event.startsWith('move')),
      );
      if (meant.events.some((event) => event.startsWith('move'))) expect(desktop.pointer).toEqual(meant.pointer);
    }
    await remote.act({ type: 'type', text: 'a < b' });
    expect(desktop.text).toBe(`${meant.text}a < b`);
    expect((await remote.observe()).png).toEqual(Buffer.from(desktop.png()));
    await remote.close();
  });

  it('is told when the desktop has failed', async () => {
    await serve(make);
    const remote = await Remote.connect({ protocol, url: server.url, settle: false });
    desktop.act = () => Promise.reject(new GyreError('infra', 'the X server has ended', { part: 'display' }));
    desktop.observe = () => Promise.reject(new GyreError('infra', 'the X server has ended', { part: 'display' }));
    await expect(remote.act({ type: 'click', point })).rejects.toMatchObject({ code: 'infra' });
    await expect(remote.observe()).rejects.toMatchObject({ code: 'infra' });
    await remote.close();
  });
});

describe('osworldHandler', () => {
  it('runs commands and moves files', async () => {
    await serve(osworldHandler);
    const remote = await Remote.connect({ protocol: 'osworld', url: server.url, settle: false });
    expect(await remote.run('echo out; echo err >&2; exit 3')).toMatchObject({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await remote.run('sleep 5', { timeoutMs: 200 })).toMatchObject({ timedOut: true });
    const bytes = Uint8Array.from([0, 255, 13, 10, 45, 45]);
    await remote.write('/home/user/é.bin', bytes);
    await remote.write('/home/user/more/x', 'x');
    expect(new Uint8Array(await remote.readBytes('/home/user/é.bin'))).toEqual(bytes);
    expect(await remote.list('/home/user')).toEqual(
      expect.arrayContaining([
        { name: 'é.bin', type: 'file' },
        { name: 'more', type: 'folder' },
      ]),
    );
    await expect(remote.readBytes('/nowhere')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(remote.list('/nowhere')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(remote.write('/proc/x', 'x')).rejects.toMatchObject({ code: 'bad_input' });
    await remote.close();
  });

  it('reports its health and the text of a terminal', async () => {
    await serve(osworldHandler);
    const there = await fetch(`${server.url}/screenshot`, { method: 'HEAD' });
    expect([there.status, there.headers.get('content-type')]).toEqual([200, 'image/png']);
    const node = { name: '', text: undefined, states: [], box: undefined, children: [] };
    const terminal = { ...node, role: 'terminal', text: '$ ls\na b\n' };
    desktop.accessibility = () =>
      Promise.resolve([{ program: 'Terminal', tree: { ...node, role: 'application', children: [terminal] } }] as never);
    expect(await (await fetch(`${server.url}/terminal`)).json()).toEqual({ output: '$ ls\na b', status: 'success' });
  });

  it('downloads into folders that are not there yet, and says why it cannot', async () => {
    await serve(osworldHandler);
    const folder = await mkdtemp(join(tmpdir(), 'gyre-download-'));
    const path = join(folder, 'new', 'platform');
    const download = (url: string) => post('/setup/download_file', { url, path });
    expect((await download(`${server.url}/platform`)).status).toBe(200);
    expect(await readFile(path, 'utf8')).toBe('Linux');
    const failed = await download(`${server.url}/nowhere`);
    expect(failed.status).toBe(500);
    expect(await failed.text()).toMatch(/404/);
    await rm(folder, { recursive: true });
  });

  it('refuses a program that needs a missing pyautogui, and runs no part of it', async () => {
    await serve(osworldHandler);
    const code = 'import pyautogui; import time; pyautogui.FAILSAFE = False; x = 1\npyautogui.click(x, x)';
    const refused = await post('/execute', { command: ['python', '-c', code], shell: false });
    expect(refused.status).toBe(501);
    expect(await refused.json()).toMatchObject({ status: 'error', message: expect.stringContaining('pip install') });
    expect(desktop.events).toEqual([]);
  });

  it('answers requests of PythonController', async () => {
    await serve(osworldHandler);
    const screenshot = await fetch(`${server.url}/screenshot`);
    expect(screenshot.headers.get('content-type')).toBe('image/png');
    expect(new Uint8Array(await screenshot.arrayBuffer())).toEqual(new Uint8Array(desktop.png()));
    expect(await (await post('/screen_size', undefined)).json()).toEqual({ width: 64, height: 48 });
    expect(await (await fetch(`${server.url}/terminal`)).json()).toEqual({ output: null, status: 'success' });
    expect(await (await fetch(`${server.url}/platform`)).text()).toBe('Linux');
    expect(await execute('pyautogui.moveTo(10, 20, 0.7, pyautogui.easeInElastic)')).toMatchObject({ returncode: 0 });
    expect(await (await fetch(`${server.url}/cursor_position`)).json()).toEqual([10, 20]);
    await execute("pyautogui.click(button='left', clicks=2)");
    expect(desktop.events).toEqual(['move 10,20', 'move 10,20', 'down left', 'up left', 'down left', 'up left']);
    const form = new URLSearchParams({ app_class_name: 'gedit' });
    expect(await (await fetch(`${server.url}/window_size`, { method: 'POST', body: form })).json()).toEqual({
      width: 32,
      height: 24,
    });
    const { AT: xml } = (await (await fetch(`${server.url}/accessibility`)).json()) as { AT: string };
    expect(xml).toContain('<application name="Editor"><push-button name="OK &amp; &quot;go&quot; &lt;&gt;"');
    expect(xml).toContain('st:showing="true" st:has-tooltip="true" cp:screencoord="(32, 24)" cp:size="(16, 12)"');
    expect(xml).toContain('<application name="mute"></application></desktop-frame>');
  });

  it('answers requests of SetupController', async () => {
    await serve(osworldHandler);
    const launched = await post('/setup/launch', { command: ['gedit', 'a b'], shell: false });
    expect(await launched.text()).toBe('gedit a b launched successfully');
    await post('/setup/launch', { command: 'socat "tcp 1" x', shell: false });
    await post('/setup/launch', { command: 'cd / && ls', shell: true });
    expect((await post('/setup/open_file', { path: '~/notes.txt' })).status).toBe(200);
    expect(desktop.launched).toEqual([
      'gedit a b',
      'socat tcp 1 x',
      'bash -lc cd / && ls',
      'open /home/user/notes.txt',
    ]);
    await post('/setup/activate_window', { window_name: 'notes' });
    await post('/setup/close_window', { window_name: 'Gedit', by_class: true, strict: true });
    expect((await post('/setup/close_window', { window_name: 'notes', strict: true })).status).toBe(404);
    expect(desktop.events).toEqual(['activate 7', 'activate 7', 'close 7']);
    const upload = new FormData();
    upload.set('file_path', '/home/user/in.bin');
    upload.set('file_data', new Blob([Uint8Array.from([1, 2, 255])]), 'in.bin');
    const uploaded = await fetch(`${server.url}/setup/upload`, { method: 'POST', body: upload });
    expect(await uploaded.text()).toBe('File Uploaded: 3 bytes');
    expect(files.contents.get('/home/user/in.bin')).toEqual(Uint8Array.from([1, 2, 255]));
    const verification = { window_exists: 'EDITOR', command_success: 'test -d /' };
    const verified = await post('/setup/execute_with_verification', { command: ['true'], verification });
    expect(await verified.json()).toMatchObject({ status: 'success', verification: 'passed' });
    const failing = {
      command: ['true'],
      verification: { window_exists: 'none' },
      max_wait_time: 0.1,
      check_interval: 0.05,
    };
    expect((await post('/execute_with_verification', failing)).status).toBe(500);
  });

  it('runs commands other than plain pyautogui calls in the shell', async () => {
    await serve(osworldHandler);
    const python = await post('/execute', { command: ['python3', '-c', 'print(6 * 7)'] });
    expect(await python.json()).toMatchObject({ returncode: 0, output: '42\n' });
    expect(await execute('print(6 * 7)')).toMatchObject({ returncode: 0, output: '42\n' });
    const words = await post('/execute', { command: ['printf', '%s', "$HOME; `id` 'x'"] });
    expect(await words.json()).toMatchObject({ output: "$HOME; `id` 'x'" });
    expect(await (await post('/execute', { command: 'echo "a  b"; exit', shell: false })).json()).toMatchObject({
      output: 'a  b; exit\n',
    });
    expect(await (await post('/execute', { command: 'echo a; exit 2', shell: true })).json()).toMatchObject({
      output: 'a\n',
      returncode: 2,
    });
    expect(await (await post('/run_bash_script', { script: 'echo a; echo b >&2; exit 3' })).json()).toEqual({
      status: 'error',
      output: 'a\nb\n',
      error: '',
      returncode: 3,
    });
    expect(await (await post('/run_python', { code: 'import pyautogui\npyautogui.click(1, 2)' })).json()).toMatchObject(
      { return_code: 0 },
    );
    expect(desktop.events).toEqual(['move 1,2', 'down left', 'up left']);
  });

  it('includes notices in the replies to programs', async () => {
    const notices = ['net::ERR_FAILED at http://a.test/'];
    desktop.notices = () => notices.splice(0);
    await serve(osworldHandler);
    expect(await execute('pyautogui.click(1, 2)')).toMatchObject({
      returncode: 0,
      notices: ['net::ERR_FAILED at http://a.test/'],
    });
    expect(await execute('pyautogui.click(1, 2)')).not.toHaveProperty('notices');
  });

  it('refuses what it cannot do, and does nothing', async () => {
    await serve((machine) => osworldHandler({ desktop: machine.desktop }));
    // The client must not retry.
    expect(await execute("pyautogui.click(1, 2); pyautogui.press('nosuchkey')")).toMatchObject({ returncode: 1 });
    expect((await post('/execute', { command: ['ls'] })).status).toBe(501);
    expect((await post('/execute', { command: ['python', '-c', 'import os; os.abort()'] })).status).toBe(501);
    expect((await post('/list_directory', { path: '/' })).status).toBe(501);
    expect((await post('/execute', { command: [] })).status).toBe(400);
    expect((await post('/execute', { command: [1] })).status).toBe(400);
    expect((await post('/execute', { command: 'an "open quote' })).status).toBe(400);
    expect((await fetch(`${server.url}/execute`, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await fetch(`${server.url}/file`, { method: 'POST', body: 'x' })).status).toBe(400);
    expect((await fetch(`${server.url}/toString`)).status).toBe(404);
    expect(desktop.events).toEqual([]);
    expect(await execute('import platform; print(platform.system())')).toMatchObject({ output: 'Linux\n' });
  });
});

describe('aioHandler', () => {
  it('answers in the envelope of the sandbox', async () => {
    await serve(({ desktop: screen }) => aioHandler({ desktop: screen }));
    const screenshot = await fetch(`${server.url}/v1/browser/screenshot`);
    expect(screenshot.headers.get('x-screen-width')).toBe('64');
    const acted = await post('/v1/browser/actions', { action_type: 'CLICK', x: 3, y: 4, num_clicks: 3 });
    expect(await acted.json()).toMatchObject({
      success: true,
      status: 'success',
      action_performed: 'CLICK',
      hint: null,
    });
    expect(desktop.events.filter((event) => event === 'down left')).toHaveLength(3);
  });

  it('includes notices as the hint of an action', async () => {
    const notices = ['net::ERR_FAILED at http://a.test/'];
    desktop.notices = () => notices.splice(0);
    await serve(() => aioHandler({ desktop }));
    const hint = async () =>
      ((await (await post('/v1/browser/actions', { action_type: 'CLICK', x: 3, y: 4 })).json()) as { hint: unknown })
        .hint;
    expect(await hint()).toBe('net::ERR_FAILED at http://a.test/');
    expect(await hint()).toBeNull();
  });

  it('drags with a button that is held, and by itself', async () => {
    await serve(({ desktop: screen }) => aioHandler({ desktop: screen }));
    const meant = ['move 1,1', 'down left', 'move 5,5', 'up left'];
    for (const steps of [
      ['MOVE_TO', 'DRAG_TO'],
      ['MOVE_TO', 'MOUSE_DOWN', 'DRAG_TO', 'MOUSE_UP'],
    ]) {
      desktop.events.length = 0;
      for (const action_type of steps) {
        const place = action_type === 'DRAG_TO' ? { x: 5, y: 5 } : { x: 1, y: 1 };
        await post('/v1/browser/actions', { action_type, ...(action_type.endsWith('_TO') ? place : {}) });
      }
      expect(
        desktop.events.filter(
          (event, index, all) => event !== all.slice(0, index).findLast((earlier) => earlier.startsWith('move')),
        ),
      ).toEqual(meant);
    }
  });

  it('refuses unknown requests', async () => {
    await serve((machine) => aioHandler({ desktop: machine.desktop }));
    for (const action of [
      {},
      { action_type: 'FLY' },
      { action_type: 'MOVE_TO', x: 1 },
      { action_type: 'PRESS', key: 'hyper' },
      { action_type: 'CLICK', num_clicks: 9 },
    ]) {
      expect((await post('/v1/browser/actions', action)).status).toBe(422);
    }
    expect((await post('/v1/bash/exec', { command: 'ls' })).status).toBe(501);
    expect((await fetch(`${server.url}/v1/captcha`)).status).toBe(404);
    expect(desktop.events).toEqual([]);
  });
});
