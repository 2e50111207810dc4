import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../../index.js';

const size = { width: 320, height: 240 };
let pool: BrowserPool;
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(
      request.url === '/next'
        ? '<title>next</title>'
        : '<title>first</title><a href="/next" style="position:absolute;inset:0">go</a>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
});
afterAll(async () => {
  await pool.close();
  server.close();
});

const counting = `<body style="margin:0"><button style="width:100%;height:240px" onclick="this.textContent = Number(this.textContent) + 1">0</button>
<script>globalThis.ticks = 0; setInterval(() => { document.title = String(++ticks); }, 5);</script>`;

describe('a session on a free clock', () => {
  it('has time that passes by itself', async () => {
    const session = await pool.lease({ size });
    await session.browser.open({ html: counting, seed: 1 });
    const ticks = () => session.browser.evaluate<number>('Number(document.title)');
    const before = await ticks();
    await expect.poll(ticks, { timeout: 10_000 }).toBeGreaterThan(before);
    await session.release();
  });

  it('is typed into for as long as a slow editor takes, and shows shift in its keys', async () => {
    const slow = await BrowserPool.launch({ clock: 'free', timeoutMs: 1_500 });
    const session = await slow.lease({ size });
    await session.browser.open({
      html: `<textarea style="width:300px;height:200px"></textarea><script>onkeydown = ({ key }) => {
        document.title = key;
        for (const start = performance.now(); performance.now() - start < 10; );
      }</script>`,
      seed: 1,
    });
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    const text = 'abcdefghi '.repeat(40);
    await session.screen.act({ type: 'type', text });
    expect(await session.browser.evaluate('document.querySelector("textarea").value')).toBe(text);
    await session.screen.act({ type: 'hotkey', keys: 'ctrl+shift+z' });
    expect(await session.browser.evaluate('document.title')).toBe('Z');
    await slow.close();
  });

  it('shows its current frame to actors and watchers', async () => {
    const session = await pool.lease({ size });
    const html =
      '<p id=p style="font-size:60px"><script>let n = 0; setInterval(() => (p.textContent = n++), 5)</script>';
    await session.browser.open({ html, seed: 1 });
    const hash = async () => (await session.screen.observe()).hash;
    const first = await hash();
    await expect.poll(hash).not.toBe(first);
    const look = async () => (await session.look())?.frame.hash;
    const seen = await look();
    await expect.poll(look).not.toBe(seen);
    await session.release();
  });

  it('shows the effect of actions', async () => {
    const session = await pool.lease({ size });
    await session.browser.open({ html: '<body style="background:#fff"><input autofocus><p id="x"></p>', seed: 1 });
    const empty = await session.screen.observe();
    await session.screen.act({ type: 'type', text: 'hello 你好' });
    expect(await session.browser.evaluate('document.querySelector("input").value')).toBe('hello 你好');
    const full = await session.screen.observe();
    expect(full.hash).not.toBe(empty.hash);
    expect(full.size).toEqual(size);
    await session.screen.act({ type: 'hotkey', keys: 'ctrl a' });
    await session.screen.act({ type: 'hotkey', keys: 'backspace' });
    expect(await session.browser.evaluate('document.querySelector("input").value')).toBe('');
    await session.release();
  });

  it('shows ordinary pages, and waits for the page that a click leads to', async () => {
    const session = await pool.lease({ size });
    await session.browser.navigate(address);
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    expect(await session.browser.evaluate('document.title')).toBe('next');
    await session.screen.act({ type: 'navigate_back' });
    expect(await session.browser.evaluate('document.title')).toBe('first');
    await session.release();
  });

  it('runs independently of other sessions of its browser', async () => {
    const sessions: BrowserSession[] = await Promise.all(Array.from({ length: 8 }, () => pool.lease({ size })));
    const counts = await Promise.all(
      sessions.map(async (session, index) => {
        await session.browser.open({ html: counting, seed: 1 });
        for (let click = 0; click <= index; click++) {
          await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
          await session.screen.observe();
        }
        return session.browser.evaluate<number>('Number(document.querySelector("button").textContent)');
      }),
    );
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await Promise.all(sessions.map((session) => session.release()));
  });
});
