import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../index.js';
import type { Clock } from './flags.js';

const size = { width: 320, height: 240 };
const loadMs = 3_000;

const link = (to: string) => `<a style="position:absolute;inset:0" href="${to}">go</a>`;

/** Other paths get no response. */
const pages: Readonly<Record<string, string>> = {
  '/': '<title>home</title><h1>home</h1>',
  '/by-script': '<script>location.href = "/"</script>',
  '/by-meta': '<meta http-equiv=refresh content="0;url=/"><p>moved',
  '/by-timer': '<script>setTimeout(() => location.replace("/"), 20)</script>',
  '/by-form': '<form action=/></form><script>document.forms[0].submit()</script>',
  '/image': '<title>image</title><h1>here</h1><img src=/never>',
  '/frame': '<title>frame</title><h1>here</h1><iframe src=/never></iframe>',
  '/script': '<title>script</title><h1>here</h1><script src=/never></script>',
  '/head-script': '<title>head</title><script src=/never></script><h1>here</h1>',
  '/style': '<title>style</title><link rel=stylesheet href=/never><body><h1>here</h1>',
  '/import': '<title>import</title><style>@import url(/never)</style><body><h1>here</h1>',
  '/stop': '<title>stop</title><h1>here</h1><script>window.stop()</script><p>not here',
  '/stop-at-once': '<title>stop</title><script>window.stop()</script><p>not here',
  '/pushed': '<title>pushed</title><script>history.pushState(0, "", "/other")</script>',
  '/link-to-nothing': `<title>link</title>${link('/nothing')}`,
  '/link-to-file': `<title>link</title>${link('/file')}`,
  '/link-to-no-host': `<title>link</title>${link('http://no-such-host.invalid/')}`,
  '/link-nowhere': `<title>link</title>${link('javascript:void 0')}`,
};

function serve(): Promise<Server> {
  const server = createServer(({ url = '', socket }, response) => {
    const on = Number(/^\/on\/(\d+)$/.exec(url)?.[1]);
    const page = on >= 0 ? `<script>location.replace("/on/${on + 1}")</script>` : pages[url.replace(/\?$/, '')];
    if (page !== undefined) return void response.setHeader('content-type', 'text/html').end(page);
    if (url === '/nothing') return void response.writeHead(204).end();
    if (url === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
    if (url === '/reset') return void socket.destroy();
    if (url === '/file')
      return void response.writeHead(200, { 'content-disposition': 'attachment; filename=a.bin' }).end('x');
    if (url === '/paper') return void response.setHeader('content-type', 'application/pdf').end('%PDF-1.4');
    if (url === '/headers') return response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders();
    if (url === '/endless') {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<title>endless</title><h1>here</h1>');
      const timer = setInterval(() => response.write('<p>more'), 50);
      response.once('close', () => clearInterval(timer));
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port;

describe.each<Clock>(['stepped', 'free'])('a page on a %s clock', (clock) => {
  let server: Server;
  let base: string;
  let pool: BrowserPool;
  let downloads: string;
  let session: BrowserSession;
  beforeAll(async () => {
    server = await serve();
    base = `http://127.0.0.1:${portOf(server)}`;
    downloads = mkdtempSync(join(tmpdir(), 'gyre-downloads-'));
    // The browser has its own user.
    chmodSync(downloads, 0o777);
    pool = await BrowserPool.launch({ clock, network: 'any', downloads });
    session = await pool.lease({ size, loadMs });
  });
  afterAll(async () => {
    await session.release();
    await pool.close();
    server.closeAllConnections();
    server.close();
    rmSync(downloads, { recursive: true });
  });

  const title = (used = session) => used.browser.evaluate<string>('document.title');
  const click = (used = session) => used.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });

  async function go(to: string, used = session): Promise<readonly string[]> {
    await used.browser.navigate(`${base}/`);
    used.screen.notices?.();
    await used.screen.act({ type: 'navigate', url: to.startsWith('/') ? `${base}${to}` : to });
    await used.screen.observe();
    expect(used.state).toBe('leased');
    return used.screen.notices?.() ?? [];
  }

  // Each waits out `loadMs`.
  it.concurrent.each(['/image', '/frame', '/script', '/endless'])(
    'shows what has loaded of %s, and that it is still loading',
    async (path) => {
      const ownSession = await pool.lease({ size, loadMs });
      expect(await go(path, ownSession)).toEqual([expect.stringContaining('still loading')]);
      expect(await ownSession.browser.evaluate('document.querySelector("h1").textContent')).toBe('here');
      expect(ownSession.browser.page.loading).toBe(true);
      const begin = performance.now();
      await click(ownSession);
      await ownSession.screen.observe();
      expect(performance.now() - begin).toBeLessThan(loadMs);
      await ownSession.release();
    },
  );

  it.concurrent.each(['/head-script', '/style', '/import', '/headers'])(
    'is white while %s blocks rendering',
    async (path) => {
      const ownSession = await pool.lease({ size, loadMs });
      expect(await go(path, ownSession)).toEqual([expect.stringContaining('still loading')]);
      await click(ownSession);
      await ownSession.screen.act({ type: 'type', text: 'a' });
      await ownSession.screen.observe();
      expect(ownSession.screen.notices?.()).toContainEqual(expect.stringContaining('ignored the click'));
      expect(await go('/', ownSession)).toEqual([]);
      expect(await title(ownSession)).toBe('home');
      await ownSession.release();
    },
  );

  it.concurrent('stays when /never sends no page', async () => {
    const ownSession = await pool.lease({ size, loadMs });
    expect(await go('/never', ownSession)).toEqual([expect.stringContaining('sent no page')]);
    expect(await title(ownSession)).toBe('home');
    await ownSession.release();
  });

  it.each(['/by-script', '/by-meta', '/by-timer', '/by-form'])('is the target of %s', async (path) => {
    expect(await go(path)).toEqual([]);
    expect(await title()).toBe('home');
    expect(session.browser.page).toEqual({ url: expect.stringMatching(/\/\??$/) as string, loading: false });
  });

  it('that redirects endlessly is stopped', async () => {
    const begin = performance.now();
    await go('/on/0');
    expect(performance.now() - begin).toBeLessThan(4 * loadMs);
    expect(await go('/')).toEqual([]);
    expect(await title()).toBe('home');
  });

  it.each(['/stop', '/stop-at-once'])('that stops itself by %s is used and left', async (path) => {
    await go(path);
    await click();
    expect(await title()).toBe('stop');
    expect(await go('/')).toEqual([]);
    expect(await title()).toBe('home');
  });

  it.each([
    ['/nothing', 'HTTP 204'],
    ['/file', 'a.bin is a download'],
    ['/paper', 'paper.pdf is a download'],
    ['data:application/octet-stream,x', 'is a download'],
  ])('stays when %s sends no page', async (to, text) => {
    expect(await go(to)).toEqual([expect.stringContaining(text)]);
    expect(await title()).toBe('home');
  });

  it('saves a download to the folder', () => {
    expect(readFileSync(join(downloads, 'a.bin'), 'utf8')).toBe('x');
    expect(readFileSync(join(downloads, 'paper.pdf'), 'utf8')).toBe('%PDF-1.4');
  });

  it.each([
    ['/loop', 'net::ERR_TOO_MANY_REDIRECTS'],
    ['/reset', 'net::ERR_EMPTY_RESPONSE'],
    ['http://no-such-host.invalid/', 'net::ERR_NAME_NOT_RESOLVED'],
    ['http://127.0.0.1:1/', 'net::ERR_UNSAFE_PORT'],
  ])('reports why %s did not load: %s', async (to, error) => {
    expect(await go(to)).toEqual([expect.stringContaining(error)]);
    expect(session.browser.page).toMatchObject({ loading: false, failed: expect.stringContaining(error) as string });
    expect(await session.browser.evaluate('document.body.innerText')).toContain(error);
    const first = (await session.screen.observe()).hash;
    await go(to);
    expect((await session.screen.observe()).hash).toBe(first);
    await session.screen.act({ type: 'navigate_back' });
    expect(await title()).toBe('home');
    expect(session.browser.page.failed).toBeUndefined();
  });

  it.each([
    ['/link-to-nothing', 'HTTP 204', 'link'],
    ['/link-to-file', 'a.bin is a download', 'link'],
    ['/link-to-no-host', 'net::ERR_NAME_NOT_RESOLVED', 'http://no-such-host.invalid/'],
  ])('reports the result of a click on %s', async (path, text, expectedTitle) => {
    await go(path);
    await click();
    await session.screen.observe();
    await expect.poll(() => session.screen.notices?.()).toContainEqual(expect.stringContaining(text));
    expect(await title()).toBe(expectedTitle);
  });

  it('does not wait when a link loads no page', async () => {
    await go('/link-nowhere');
    const begin = performance.now();
    await click();
    expect(performance.now() - begin).toBeLessThan(loadMs);
    expect(await title()).toBe('link');
  });

  it('has another address without another document', async () => {
    await go('/pushed');
    expect(session.browser.page).toEqual({ url: `${base}/other`, loading: false });
  });

  it('cannot lock the pointer, but can go full screen', async () => {
    const neighbour = await pool.lease({ size });
    const page = (method: string) =>
      `<body style="margin:0"><button id=b style="width:320px;height:240px" onclick="b.${method}().then(() => b.textContent = 'done', (error) => b.textContent = error.name)">go</button>`;
    const after = async (method: string) => {
      await session.browser.open({ html: page(method), seed: 1 });
      await click();
      await session.screen.act({ type: 'wait', seconds: 0.2 });
      await session.screen.act({ type: 'mouse_move', point: { x: 0.2, y: 0.3 } });
      await neighbour.screen.act({ type: 'mouse_move', point: { x: 0.2, y: 0.3 } });
      await Promise.all([session.screen.observe(), neighbour.screen.observe()]);
      return session.browser.evaluate<string>('b.textContent');
    };
    expect(await after('requestPointerLock')).toBe('NotSupportedError');
    expect(['done', 'TypeError']).toContain(await after('requestFullscreen'));
    expect([session.state, neighbour.state]).toEqual(['leased', 'leased']);
    await neighbour.release();
  });
});

describe('a certificate that is not valid', () => {
  it('blocks the page, unless the lease accepts it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gyre-certificate-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=example.test'];
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>inside</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${portOf(server)}/`;
    const pool = await BrowserPool.launch({ network: 'any' });
    for (const ignoreCertificateErrors of [false, true, false]) {
      const session = await pool.lease({ size, ignoreCertificateErrors });
      await session.browser.navigate(url);
      const { failed } = session.browser.page;
      expect(failed).toBe(ignoreCertificateErrors ? undefined : 'net::ERR_CERT_AUTHORITY_INVALID');
      expect(await session.browser.evaluate('document.title')).toBe(ignoreCertificateErrors ? 'inside' : url);
      await session.release();
    }
    await pool.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
});

describe('a session without network access', () => {
  it('says that gyre has refused it', async () => {
    const pool = await BrowserPool.launch();
    const session = await pool.lease({ size });
    await session.screen.act({ type: 'navigate', url: 'https://example.org/' });
    await session.screen.observe();
    expect(session.screen.notices?.()).toEqual([expect.stringContaining('host not in allow: example.org')]);
    expect(await session.browser.evaluate('document.body.innerText')).toContain('host not in allow');
    await session.release();
    await pool.close();
  });
});
