import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { BrowserPool, type BrowserSession } from '../../index.js';

const size = { width: 320, height: 240 };
const page = `data:text/html,<title>served</title><body style="margin:0;background:white">
<button style="width:100%25;height:100px" onclick="this.textContent='pressed'">press</button><input>`;

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ clock: 'free' });
});
afterAll(() => pool.close());

class Raw {
  readonly events: { method: string; params: Record<string, never>; sessionId?: string }[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Record<string, never>) => void>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as never;
      const { id } = message as { id?: number };
      if (id === undefined) this.events.push(message);
      else this.#waiting.get(id)?.(message);
    });
  }

  static async connect(url: string): Promise<Raw> {
    const socket = new WebSocket(url);
    const raw = new Raw(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return raw;
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, Record<string, never>>> {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  write(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.terminate();
  }
}

async function targetOf(raw: Raw): Promise<string> {
  const { result } = await raw.send('Target.getTargets');
  const infos = result?.targetInfos as unknown as { targetId: string; type: string }[];
  expect(infos.map(({ type }) => type)).toEqual(['page']);
  return infos[0]!.targetId;
}

async function sessionOf(raw: Raw, targetId: string): Promise<string> {
  const { result } = await raw.send('Target.attachToTarget', { targetId, flatten: true });
  return result!.sessionId as unknown as string;
}

describe('a session on a free clock', () => {
  let session: BrowserSession;
  beforeAll(async () => {
    session = await pool.lease({ size });
    await session.browser.open({ html: '<title>mine</title>', seed: 1 });
  });
  afterAll(() => session.release());

  it.each(['the WebSocket', 'HTTP'])('is used by Playwright, and goes on without it: by %s', async (transport) => {
    const { url, close } = await session.browser.cdp();
    const browser = await chromium.connectOverCDP(transport === 'HTTP' ? url.replace('ws:', 'http:') : url);
    const [context] = browser.contexts();
    const [tab] = context!.pages();
    expect(context!.pages()).toHaveLength(1);
    await tab!.goto(page);
    await tab!.click('button');
    await tab!.fill('input', 'hello');
    expect(await tab!.textContent('button')).toBe('pressed');
    expect((await tab!.screenshot()).subarray(1, 4).toString()).toBe('PNG');
    const otherPage = await context!.newPage();
    await otherPage.goto(page);
    expect(await otherPage.title()).toBe('served');
    await otherPage.close();
    const cdp = await context!.newCDPSession(tab!);
    expect(await cdp.send('Runtime.evaluate', { expression: '1 + 1' })).toMatchObject({ result: { value: 2 } });
    await cdp.detach();
    const alone = await browser.newContext({ viewport: { width: 500, height: 400 } });
    const third = await alone.newPage();
    expect(await third.evaluate('innerWidth')).toBe(500);
    await browser.close();
    await close();
    expect(await session.browser.evaluate('document.querySelector("input").value')).toBe('hello');
    expect((await session.screen.observe()).size).toEqual(size);
    await session.screen.act({ type: 'click', point: { x: 0.2, y: 0.45 } });
  });

  it('leaves dialogs to a client that listens for them, while it is connected', async () => {
    const { url, close } = await session.browser.cdp();
    const browser = await chromium.connectOverCDP(url);
    const tab = browser.contexts()[0]!.pages()[0]!;
    tab.on('dialog', (dialog) => void dialog.accept('an answer'));
    expect(await tab.evaluate('prompt("?")')).toBe('an answer');
    tab.removeAllListeners('dialog');
    expect(await tab.evaluate('prompt("?")')).toBeNull();
    await browser.close();
    await close();
    const raw = await Raw.connect((await session.browser.cdp()).url);
    const page = await sessionOf(raw, await targetOf(raw));
    await raw.send('Page.enable', {}, page);
    void raw.send('Runtime.evaluate', { expression: 'document.title = String(prompt("?"))' }, page);
    await expect.poll(() => raw.events.map(({ method }) => method)).toContain('Page.javascriptDialogOpening');
    raw.close();
    expect(await session.browser.evaluate('document.title')).toBe('null');
  });

  it('is used by puppeteer, whose viewport is reset when it disconnects', async () => {
    const { url, close } = await session.browser.cdp();
    const browser = await puppeteer.connect({ browserWSEndpoint: url });
    const [tab] = await browser.pages();
    expect(await browser.pages()).toHaveLength(1);
    await tab!.goto(page);
    await tab!.click('button');
    expect(await tab!.evaluate("document.querySelector('button').textContent")).toBe('pressed');
    expect(await tab!.evaluate('innerWidth')).toBe(800);
    expect(
      Buffer.from(await tab!.screenshot())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const otherPage = await browser.newPage();
    await otherPage.goto(page);
    await otherPage.close();
    const context = await browser.createBrowserContext();
    await (await context.newPage()).goto(page);
    await browser.close();
    await close();
    expect(await session.browser.evaluate('[innerWidth, innerHeight]')).toEqual([size.width, size.height]);
    expect((await session.screen.observe()).size).toEqual(size);
  });

  it('serves its version and pages only at the secret address', async () => {
    const { url, close } = await session.browser.cdp();
    const http = url.replace('ws:', 'http:');
    expect(await (await fetch(`${http}/json/version`)).json()).toMatchObject({ webSocketDebuggerUrl: url });
    const list = (await (await fetch(`${http}/json/list`)).json()) as { type: string }[];
    expect(list).toMatchObject([{ type: 'page' }]);
    for (const wrong of [new URL('/json/version', http), `${http.slice(0, -1)}/json/version`, `${http}x/json/list`]) {
      expect((await fetch(wrong)).status).toBe(404);
    }
    await expect(Raw.connect(url.slice(0, -1))).rejects.toThrow('404');
    await close();
    await expect(fetch(`${http}/json/version`)).rejects.toThrow();
  });

  it('renews its lease on commands of a client, and disconnects clients when it ends', async () => {
    const short = await pool.lease({ size, ttlMs: 1_500 });
    const raw = await Raw.connect((await short.browser.cdp()).url);
    for (let i = 0; i < 4; i++) {
      await pause(600);
      await raw.send('Browser.getVersion');
    }
    expect(short.state).toBe('leased');
    expect(await short.broken).toMatchObject({ detail: { field: 'ttlMs' } });
    await raw.closed;
    await expect(short.browser.cdp()).rejects.toMatchObject({ code: 'infra' });
  });
});

it('is refused for a session on a stepped clock', async () => {
  const stepped = await BrowserPool.launch();
  const session = await stepped.lease({ size });
  await expect(session.browser.cdp()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'clock' } });
  await session.browser.open({ html: '<title>well</title>', seed: 1 });
  expect(await session.browser.evaluate('document.title')).toBe('well');
  await stepped.close();
});

describe('a client that attacks', () => {
  let mine: BrowserSession;
  let theirs: BrowserSession;
  let attacker: Raw;
  let victim: Raw;
  let playwright: Browser;
  let target: string;
  let victimContext: string;
  beforeAll(async () => {
    [mine, theirs] = await Promise.all([pool.lease({ size }), pool.lease({ size })]);
    await theirs.browser.open({ html: '<title>secret</title>', seed: 1 });
    attacker = await Raw.connect((await mine.browser.cdp()).url);
    victim = await Raw.connect((await theirs.browser.cdp()).url);
    playwright = await chromium.connectOverCDP((await theirs.browser.cdp()).url);
    target = await targetOf(victim);
    const { result } = await victim.send('Target.getTargetInfo', { targetId: target });
    victimContext = (result as never as { targetInfo: { browserContextId: string } }).targetInfo.browserContextId;
  });
  afterAll(async () => {
    attacker.close();
    await playwright.close();
    await Promise.all([mine.release(), theirs.release()]);
  });

  it('does not see pages of other sessions, old or new', async () => {
    await attacker.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    const auto = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{}] };
    await attacker.send('Target.setAutoAttach', auto);
    const otherPage = await playwright.contexts()[0]!.newPage();
    const alone = await (await playwright.newContext()).newPage();
    await Promise.all([otherPage.goto(page), alone.goto(page)]);
    const attackerTarget = await targetOf(attacker);
    expect(attackerTarget).not.toBe(target);
    const seen = attacker.events.map(({ params }) => JSON.stringify(params));
    expect(seen.filter((text) => text.includes(attackerTarget)).length).toBeGreaterThan(0);
    expect(seen.filter((text) => text.includes(target) || text.includes('served'))).toEqual([]);
    await Promise.all([otherPage.close(), alone.close()]);
  });

  it.each([
    ['Target.attachToTarget', { flatten: true }],
    ['Target.attachToTarget', {}],
    ['Target.getTargetInfo', {}],
    ['Target.closeTarget', {}],
    ['Target.activateTarget', {}],
    ['Target.exposeDevToolsProtocol', {}],
    ['Target.autoAttachRelated', { waitForDebuggerOnStart: true }],
    ['Browser.getWindowForTarget', {}],
  ])('does not reach the page of another session by %s', async (method, params) => {
    const attackerSession = await sessionOf(attacker, await targetOf(attacker));
    const foreign = await sessionOf(victim, target);
    for (const sessionId of [undefined, attackerSession, foreign]) {
      const reply = await attacker.send(method, { ...params, targetId: target }, sessionId);
      expect(reply, method).toMatchObject({ error: { code: expect.any(Number) as number } });
    }
  });

  it.each([
    ['Target.createTarget', { url: 'about:blank' }],
    ['Target.disposeBrowserContext', {}],
    ['Storage.getCookies', {}],
    ['Storage.clearCookies', {}],
    ['Browser.grantPermissions', { permissions: ['geolocation'] }],
    ['Browser.setDownloadBehavior', { behavior: 'deny' }],
  ])('does not reach the storage of another session by %s', async (method, params) => {
    const reply = await attacker.send(method, { ...params, browserContextId: victimContext });
    expect(reply.error).toMatchObject({ message: 'Failed to find browser context with given id' });
  });

  it.each([
    ['Target.attachToTarget', { targetId: 'browser', flatten: true }],
    ['Target.sendMessageToTarget', { message: '{}' }],
    ['Target.createBrowserContext', { proxyServer: 'direct://' }],
    ['Target.createTarget', { url: 'file:///etc/passwd' }],
    ['Target.createTarget', { url: 'chrome://version' }],
    ['Browser.crash', {}],
    ['Browser.getBrowserCommandLine', {}],
    ['Tracing.start', {}],
    ['SystemInfo.getProcessInfo', {}],
    ['Tethering.bind', { port: 9999 }],
    ['Memory.simulatePressureNotification', { level: 'critical' }],
    ['Security.setIgnoreCertificateErrors', { ignore: true }],
  ])('does not control the browser by %s', async (method, params) => {
    expect((await attacker.send(method, params)).error).toBeDefined();
  });

  it.each([
    ['Page.navigate', { url: 'file:///etc/passwd' }],
    ['Page.navigate', { url: 'view-source:http://page.gyre.invalid/' }],
    ['Page.close', {}],
    ['Page.crash', {}],
    ['DOM.setFileInputFiles', { files: ['/etc/passwd'], nodeId: 1 }],
    ['Input.dispatchDragEvent', { type: 'drop', x: 1, y: 1, data: { items: [], files: ['/etc/passwd'] } }],
    ['HeadlessExperimental.beginFrame', {}],
    ['Tracing.start', {}],
    ['Target.getTargets', {}],
    ['Target.setDiscoverTargets', { discover: true }],
    ['Browser.crash', {}],
  ])('does not leave its page by %s', async (method, params) => {
    const sessionId = await sessionOf(attacker, await targetOf(attacker));
    expect((await attacker.send(method, params, sessionId)).error).toBeDefined();
    expect((await attacker.send('Target.detachFromTarget', { sessionId })).error).toBeUndefined();
  });

  it('cannot use the sessions of another client', async () => {
    const sessionId = await sessionOf(victim, target);
    const evaluate = (raw: Raw) => raw.send('Runtime.evaluate', { expression: 'document.title' }, sessionId);
    expect((await evaluate(attacker)).error).toMatchObject({ code: -32001 });
    expect((await attacker.send('Target.detachFromTarget', { sessionId })).error).toBeDefined();
    expect((await evaluate(victim)).result).toMatchObject({ result: { value: 'secret' } });
  });

  it('sees no more in a further browser session', async () => {
    const { result } = await attacker.send('Target.attachToBrowserTarget');
    const further = result!.sessionId as unknown as string;
    const seen = await attacker.send('Target.getTargets', {}, further);
    expect(seen).toMatchObject({
      sessionId: further,
      result: { targetInfos: [{ targetId: await targetOf(attacker) }] },
    });
    const attach = { targetId: target, flatten: true };
    expect((await attacker.send('Target.attachToTarget', attach, further)).error).toBeDefined();
    expect((await attacker.send('Tracing.start', {}, further)).error).toBeDefined();
    const attached = await attacker.send(
      'Target.attachToTarget',
      { ...attach, targetId: await targetOf(attacker) },
      further,
    );
    const session = attached.result!.sessionId as unknown as string;
    const two = await attacker.send('Runtime.evaluate', { expression: '1 + 1' }, session);
    expect(two).toMatchObject({ sessionId: session, result: { result: { value: 2 } } });
    await attacker.send('Target.detachFromTarget', { sessionId: further });
    for (const sessionId of [further, session])
      expect(await attacker.send('Target.getTargets', {}, sessionId)).toMatchObject({ error: { code: -32001 } });
  });

  it('gets an error for an invalid message', async () => {
    const before = attacker.send('Browser.getVersion');
    for (const text of ['', '{', '[]', 'null', '{"id":"x"}', '{"id":1,"method":2}']) attacker.write(text);
    expect((await before).result).toBeDefined();
    expect((await attacker.send('Browser.getVersion')).result).toBeDefined();
  });

  it('can close only itself', async () => {
    const raw = await Raw.connect((await mine.browser.cdp()).url);
    expect((await raw.send('Browser.close')).error).toBeUndefined();
    expect(await raw.closed).toBe(1000);
    expect(await theirs.browser.evaluate('document.title')).toBe('secret');
    await mine.browser.open({ html: '<title>still here</title>', seed: 1 });
    expect(await mine.browser.evaluate('document.title')).toBe('still here');
  });
});
