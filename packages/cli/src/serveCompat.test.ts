import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { missingForDesktop, probeIsolation } from '@gyre/sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { bin, inProcess } from './inProcess.test.fixture.js';

const possible = (await probeIsolation()).kind !== 'none' && missingForDesktop().length === 0;

const started: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(
    started.splice(0).map(async (child) => {
      if (child.exitCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'close');
    }),
  );
});

/** Starts `gyre serve sandbox` with flags; resolves with its address. */
async function serve(...flags: string[]): Promise<string> {
  const child = spawn(process.execPath, [bin, 'serve', 'sandbox', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        said += text.toString();
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      });
    }
    child.once('close', () => reject(new Error(said)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const post = (url: string, body?: unknown) =>
  fetch(url, {
    method: 'POST',
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });

const sizeOf = async (url: string) => (await post(`${url}/screen_size`)).json();

describe.skipIf(!possible)('gyre serve sandbox --compat', () => {
  test('has the screen and the home of OSWorld, and another screen where --size says so', async () => {
    const [usual, small] = await Promise.all([
      serve('--compat', 'osworld', '--port', '0'),
      serve('--compat', 'osworld', '--port', '0', '--size', '640x480'),
    ]);
    expect(await sizeOf(usual)).toEqual({ width: 1920, height: 1080 });
    expect(await sizeOf(small)).toEqual({ width: 640, height: 480 });
    expect(await (await post(`${usual}/desktop_path`)).json()).toEqual({ desktop_path: '/home/user/Desktop' });
  });

  test('shows ports of the session, also after a reset', async () => {
    const port = await freePort();
    const url = await serve('--compat', 'osworld', '--port', '0', '--size', '320x240', '--forward', String(port));
    for (const name of ['before', 'after']) {
      const command = ['bash', '-c', `mkdir -p w && cd w && touch ${name} && exec python3 -m http.server ${port}`];
      expect((await post(`${url}/setup/launch`, { command })).status).toBe(200);
      await expect
        .poll(() => fetch(`http://127.0.0.1:${port}/`).then((page) => page.text(), String), { timeout: 10_000 })
        .toContain(`href="${name}"`);
      expect((await post(`${url}/gyre/reset`)).status).toBe(200);
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    }
  });

  test('serves AIO clients as they expect it', async () => {
    const url = await serve('--compat', 'aio', '--port', '0');
    const screenshot = await fetch(`${url}/v1/browser/screenshot`);
    expect(screenshot.headers.get('x-screen-width')).toBe('1280');
  });
});

test('what is for --compat alone is refused without it', async () => {
  for (const flags of [
    ['--size', '640x480'],
    ['--forward', '9222'],
  ]) {
    const { status, stderr } = await inProcess('serve', 'sandbox', ...flags);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${flags[0]} is for --compat`)]);
  }
});

test.each([
  [['--forward', '0'], '--forward: write 1 to 65535'],
  [['--forward', '9222,x'], '--forward: write 1 to 65535'],
  [['--size', '10'], '--size'],
])('gyre serve sandbox --compat osworld refuses %j before anything starts', async (flags, said) => {
  const { status, stderr } = await inProcess('serve', 'sandbox', '--compat', 'osworld', ...flags);
  expect(status).toBe(2);
  expect(stderr).toContain(said);
});
