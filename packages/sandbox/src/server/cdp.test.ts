import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const [mine, theirs, watcher] = [AccessTokens.random(), AccessTokens.random(), AccessTokens.random()];
const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
const size = { width: 320, height: 240 };

let sandbox: Sandbox;
let server: SandboxServer;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    tokens: [
      { token: mine, scope: 'operate' },
      { token: theirs, scope: 'operate' },
      { token: watcher, scope: 'watch' },
    ],
  });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

describe('clients of the Chrome DevTools Protocol', () => {
  const page = 'data:text/html,<title>from afar</title><button onclick="document.title=1">press</button>';
  const client = () => new SandboxClient({ url: server.url, token: mine });

  it('drive a remote session, which continues without them', async () => {
    const session = await client().lease({ kind: 'browser', size, clock: 'free' });
    const { url, headers } = await session.browser.cdp();
    for (const address of [url, url.replace('ws', 'http')]) {
      const browser = await chromium.connectOverCDP(address, { headers: { ...headers } });
      const tab = browser.contexts()[0]!.pages()[0]!;
      await tab.goto(page);
      await tab.click('button');
      expect(await tab.title()).toBe('1');
      // Above the limit for watchers.
      expect(await tab.evaluate((text) => text.length, 'x'.repeat(100_000))).toBe(100_000);
      await browser.close();
    }
    const browser = await puppeteer.connect({
      browserWSEndpoint: url,
      wsOptions: { headers: { ...headers } },
    });
    expect(await (await browser.pages())[0]!.title()).toBe('1');
    await browser.disconnect();
    expect(await session.browser.evaluate('document.title')).toBe('1');
    for (const token of [theirs, watcher]) {
      const refused = chromium.connectOverCDP(url, { headers: bearing(token) });
      await expect(refused).rejects.toThrow(token === theirs ? '404' : '403');
    }
    await expect(chromium.connectOverCDP(url)).rejects.toThrow('401');
    const attached = await chromium.connectOverCDP(url, { headers: { ...headers } });
    const gone = new Promise((resolve) => attached.once('disconnected', resolve));
    await session.release();
    await gone;
  });

  it('are refused by a session on a stepped clock', async () => {
    const session = await client().lease({ kind: 'browser', size });
    await expect(session.browser.cdp()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'clock' } });
    await session.release();
  });
});
