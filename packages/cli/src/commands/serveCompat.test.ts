import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { missingForDesktop, probeIsolation } from '@gyre/sandbox';
import { afterEach, expect, test } from 'vitest';
import { bin, inProcess } from '../inProcess.test.fixture.js';

const walled = (await probeIsolation()).kind !== 'none';
const isolation = walled ? [] : ['--isolation', 'none'];
const without = missingForDesktop().length > 0;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startServer(...flags: string[]): Promise<string> {
  const args = [bin, 'serve', 'sandbox', '--port', '0', ...isolation, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  closing.push(() => {
    child.kill('SIGINT');
    return exit;
  });
  for (const stream of [child.stderr, child.stdout]) stream.resume();
  return new Promise((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
    void exit.then(([code]) => reject(new Error(`ended with ${String(code)}`)));
  });
}

async function post(url: string, body: object = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.skipIf(without)(
  '--compat osworld has the screen and the home of OSWorld, and modules of --python-packages',
  async () => {
    // Double of an installed Python package.
    const folder = await mkdtemp(join(tmpdir(), 'gyre-packages-double-'));
    closing.push(() => rm(folder, { recursive: true }));
    // Programs of the session run as another user.
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'packed.py'), 'answer = 42\n');
    const url = await startServer('--compat', 'osworld', '--python-packages', folder);
    expect(await post(`${url}/screen_size`)).toEqual({ width: 1920, height: 1080 });
    if (walled) expect(await post(`${url}/desktop_path`)).toEqual({ desktop_path: '/home/user/Desktop' });
    const imported = await post(`${url}/execute`, {
      command: ['python3', '-c', 'import packed; print(packed.answer)'],
    });
    expect(imported).toMatchObject({ returncode: 0, output: '42\n' });
  },
  60_000,
);

test('--compat aio has a browser of the size that is asked for, unless a desktop is asked for', async () => {
  const viewportOf = async (url: string) => {
    const response = await fetch(`${url}/v1/browser/info`);
    const { data } = (await response.json()) as { data: { viewport: object; cdp_url: string } };
    return [data.viewport, data.cdp_url.startsWith('ws://')];
  };
  const browser = await startServer('--compat', 'aio', '--size', '640x480');
  expect(await viewportOf(browser)).toEqual([{ width: 640, height: 480 }, true]);
  if (without) return;
  const desktop = await startServer('--compat', 'aio', '--kind', 'desktop', '--size', '640x480');
  expect(await viewportOf(desktop)).toEqual([{ width: 640, height: 480 }, false]);
}, 60_000);

test.skipIf(without || !walled)('--forward shows ports of the session, also after a reset', async () => {
  const port = await freePort();
  const url = await startServer('--compat', 'osworld', '--size', '320x240', '--forward', String(port));
  expect(await post(`${url}/screen_size`)).toEqual({ width: 320, height: 240 });
  for (const name of ['before', 'after']) {
    const command = ['bash', '-c', `mkdir -p w && cd w && touch ${name} && exec python3 -m http.server ${port}`];
    await post(`${url}/setup/launch`, { command });
    const page = () => fetch(`http://127.0.0.1:${port}/`).then((response) => response.text(), String);
    await expect.poll(page, { timeout: 10_000 }).toContain(`href="${name}"`);
    expect(await post(`${url}/gyre/reset`)).toEqual({ status: 'success' });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  }
});

test('--kind browser is refused to clients that need a desktop', async () => {
  const { status, stderr } = await inProcess('serve', 'sandbox', '--compat', 'osworld', '--kind', 'browser');
  expect(status).toBe(2);
  expect(stderr).toContain('OSWorld clients need a desktop (--kind: omit it, or use --compat aio)');
});

test('flags of --compat are refused without it', async () => {
  for (const flags of [
    ['--size', '640x480'],
    ['--forward', '9222'],
  ]) {
    const { status, stderr } = await inProcess('serve', 'sandbox', ...flags);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${flags[0]} is for --compat`)]);
  }
});

test.each([
  [['--forward', '0'], '--forward: use a port from 1 to 65535'],
  [['--forward', '9222,x'], '--forward: use a port from 1 to 65535'],
  [['--size', '10'], '--size'],
])('gyre serve sandbox --compat osworld refuses %j before anything starts', async (flags, message) => {
  const { status, stderr } = await inProcess('serve', 'sandbox', '--compat', 'osworld', ...flags);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
