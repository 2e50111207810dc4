import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Action, GyreError } from '@gyre/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../../index.js';
import type { Clock } from '../flags.js';

const size = { width: 400, height: 300 };
const click: Action = { type: 'click', point: { x: 0.5, y: 0.9 } };
const keys = (named: string): Action => ({ type: 'hotkey', keys: named });
const wait: Action = { type: 'wait', seconds: 0.5 };

const fill = 'style="position:fixed;inset:0"';
const button = (does: string) =>
  `<title>first</title><h1 id=out>first</h1><button ${fill} onclick="${does}"></button><h1 id=out>first</h1>`;
const pages: Readonly<Record<string, string>> = {
  '/second':
    '<title>second</title><script>onclick = () => opener.postMessage("heard", "*"); onkeydown = ({ key }) => { if (key === "x") window.close(); };</script>',
  '/third': '<title>third</title><script>onbeforeunload = (event) => event.preventDefault()</script><h1>third</h1>',
  '/blank': `<title>first</title><a ${fill} target=_blank href=/second>go</a>`,
  '/noopener': `<title>first</title><a ${fill} target=_blank rel=noopener href=/second>go</a>`,
  '/named': `<title>first</title><a ${fill} target=other href=/second>go</a>`,
  '/form': `<title>first</title><form target=_blank action=/second><button ${fill}>go</button></form>`,
  '/script': button("window.open('/second')"),
  '/feature': button("window.open('/second', '_blank', 'width=100,height=100')"),
  '/written': button("window.open('', '_blank').document.write('&lt;title>second&lt;/title>')"),
  '/asking': button("window.open('/third')"),
  '/plain': `<title>first</title><a ${fill} href=/second>go</a>`,
  '/talking': `<script>onmessage = ({ data }) => (document.title = data);</script>${button("window.open('/second')")}`,
  '/many': button("for (let n = 0; n < 30; n++) window.open('/second?' + n, '_blank')"),
  '/alert': button("alert('Look'); document.title = 'seen'"),
  '/confirm': button("document.title = confirm('Sure?')"),
  '/prompt': button("document.title = prompt('Name?', 'Ann')"),
  '/late': `${button('')}<script>setTimeout(() => { alert('late'); document.title = 'seen'; }, 300)</script>`,
  '/frame': `${button('')}<script>requestAnimationFrame(() => { document.title = confirm('now?'); })</script>`,
  '/loading': "<title>first</title><script>document.title = confirm('at once?')</script><h1>here</h1>",
  '/two': button("document.title = [confirm('one?'), confirm('two?')]"),
  '/endless': button('for (;;) alert(1)'),
  '/leaving': `<script>onbeforeunload = (event) => event.preventDefault()</script>${button("location.href = '/second'")}`,
};

function serve(): Promise<Server> {
  const server = createServer(({ url = '', headers }, response) => {
    response.setHeader('content-type', 'text/html');
    if (url === '/vault') {
      const isOpen = headers.authorization === `Basic ${Buffer.from('ann:secret').toString('base64')}`;
      if (isOpen) return void response.end('<title>open</title>');
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="vault"' }).end('<title>shut</title>');
    }
    response.end(pages[url.replace(/\?.*/, '')] ?? '<title>none</title>');
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

let server: Server;
let base: string;
beforeAll(async () => {
  server = await serve();
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.each<Clock>(['stepped', 'free'])('a window on a %s clock', (clock) => {
  let pool: BrowserPool;
  let session: BrowserSession;
  beforeAll(async () => (pool = await BrowserPool.launch({ clock, network: 'any' })));
  afterAll(() => pool.close());
  beforeEach(async () => (session = await pool.lease({ size, stepMs: clock === 'free' ? 20 : 100 })));
  afterEach(() => session.release());

  const go = (path: string) => session.browser.navigate(base + path);
  const act = async (...actions: Action[]) => {
    for (const action of actions) await session.screen.act(action);
  };
  const title = () => session.browser.evaluate<string>('document.title');
  const asks = () => session.browser.page.asks;
  const screenHash = async () => (await session.screen.observe()).hash;

  describe('opens a tab and shows it', () => {
    it.each<[string, Action[]]>([
      ['/blank', [click]],
      ['/noopener', [click]],
      ['/named', [click]],
      ['/form', [click]],
      ['/script', [click]],
      ['/feature', [click]],
      ['/written', [click]],
      ['/plain', [{ type: 'middle_click', point: { x: 0.5, y: 0.9 } }]],
      ['/plain', [{ type: 'press', key: 'ctrl' }, click, { type: 'release', key: 'ctrl' }]],
      ['/plain', [{ type: 'press', key: 'shift' }, click, { type: 'release', key: 'shift' }]],
    ])('of %s by %j', async (path, actions) => {
      await go(path);
      await act(...actions);
      // Chromium opens some of these tabs in the background.
      expect(await title()).toBe('second');
      expect(session.browser.page.tabs?.shown).toBe(2);
      expect(session.screen.notices!().join()).toContain('tab 2 of 2 is shown');
      expect(await session.browser.evaluate('document.title', { tab: 'first' })).toBe('first');
    });
  });

  it('goes from tab to tab by keys', async () => {
    await go('/script');
    const first = await screenHash();
    await act(click, keys('ctrl 1'), click);
    expect(session.browser.page.tabs).toEqual({
      urls: [`${base}/script`, `${base}/second`, `${base}/second`],
      shown: 3,
    });
    const places: (number | undefined)[] = [];
    for (const named of [
      'ctrl tab',
      'ctrl tab',
      'ctrl shift tab',
      'ctrl pageup',
      'ctrl pagedown',
      'ctrl 2',
      'ctrl 9',
    ]) {
      await act(keys(named));
      places.push(session.browser.page.tabs?.shown);
    }
    expect(places).toEqual([1, 2, 1, 3, 1, 2, 3]);
    await act(keys('ctrl w'));
    expect(session.browser.page.tabs?.urls).toHaveLength(2);
    await act(keys('ctrl 2'), keys('ctrl f4'));
    expect(session.browser.page.tabs).toBeUndefined();
    expect(await title()).toBe('first');
    expect(await screenHash()).toBe(first);
  });

  it('keeps its first tab, and says so', async () => {
    await go('/script');
    await act(click, keys('ctrl 1'), keys('ctrl w'));
    expect(session.browser.page.tabs?.urls).toHaveLength(2);
    expect(session.screen.notices!()).toContain('the first tab stays open');
  });

  it('lets tabs talk, and goes back when one closes itself', async () => {
    await go('/talking');
    await act(click, click);
    expect(await session.browser.evaluate('document.title', { tab: 'first' })).toBe('heard');
    await act({ type: 'type', text: 'x' });
    expect(await title()).toBe('heard');
    expect(session.browser.page.tabs).toBeUndefined();
  });

  it('asks before closing a tab with a beforeunload handler', async () => {
    await go('/asking');
    await act(click, click, keys('ctrl w'));
    expect(asks()).toBe('beforeunload');
    await act(keys('escape'));
    expect(await title()).toBe('third');
    await act(keys('ctrl w'), keys('enter'));
    expect(await title()).toBe('first');
  });

  it('limits the number of tabs', async () => {
    await go('/many');
    await act(click);
    expect(session.browser.page.tabs!.urls.length).toBeLessThanOrEqual(16);
    await session.browser.open({ html: '<title>next</title>', seed: 1 });
    expect(session.browser.page.tabs).toBeUndefined();
    expect(await title()).toBe('next');
  });

  it.each<[string, Action[], string]>([
    ['/alert', [keys('enter')], 'seen'],
    ['/alert', [keys('space')], 'seen'],
    ['/alert', [keys('escape')], 'seen'],
    ['/confirm', [keys('enter')], 'true'],
    ['/confirm', [keys('escape')], 'false'],
    ['/confirm', [keys('tab'), keys('enter')], 'false'],
    ['/prompt', [keys('enter')], 'Ann'],
    ['/prompt', [{ type: 'type', text: 'Zoë\n' }], 'Zoë'],
    ['/prompt', [{ type: 'type', text: 'Zoë' }, keys('escape')], 'null'],
    ['/two', [keys('escape'), keys('enter')], 'false,true'],
    ['/leaving', [keys('escape')], 'first'],
    ['/leaving', [keys('enter')], 'second'],
  ])('shows what %s asks, and %j answers it', async (path, answer, result) => {
    await go(path);
    const before = await screenHash();
    await act(click);
    expect(asks()).toBe({ '/two': 'confirm', '/leaving': 'beforeunload' }[path] ?? path.slice(1));
    expect(await screenHash()).not.toBe(before);
    await act(...answer);
    expect(asks()).toBeUndefined();
    expect(await title()).toBe(result);
  });

  it('answers a dialog by the mouse', async () => {
    await go('/confirm');
    await act(click);
    const dialog = await session.screen.observe();
    await act({ type: 'click', point: { x: 0.02, y: 0.98 } });
    expect(await screenHash()).toBe(dialog.hash);
    // 'Cancel' is the rightmost button.
    await act({ type: 'click', point: { x: 0.89, y: 0.2 } });
    expect(await title()).toBe('false');
  });

  it.each([
    ['/late', 'alert', 'seen'],
    ['/frame', 'confirm', 'true'],
    ['/loading', 'confirm', 'true'],
  ] as const)('shows what %s asks by itself', async (path, kind, result) => {
    await go(path);
    await act(wait);
    await screenHash();
    expect(asks()).toBe(kind);
    await act(keys('enter'));
    expect(await title()).toBe(result);
    expect(pool.stats.crashed).toBe(0);
  });

  it('allows evaluation only in the first tab while a dialog is open', async () => {
    await go('/confirm');
    await act(click);
    await expect(title()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'expression' } });
    expect(asks()).toBe('confirm');
    expect(await session.browser.evaluate('document.title', { tab: 'first' })).toBe('false');
    expect(asks()).toBeUndefined();
    expect(session.screen.notices!()).toContain('the confirm "Sure?" was closed without an answer');
  });

  it('navigates in spite of open dialogs', async () => {
    for (const path of ['/confirm', '/leaving', '/two']) {
      await go(path);
      await act(click, { type: 'navigate', url: `${base}/second` });
      expect(await title()).toBe('second');
    }
  });

  it('shows endless alerts one after another, and ends the session at the limit', async () => {
    await go('/endless');
    await act(click, keys('enter'), keys('enter'));
    expect(asks()).toBe('alert');
    await expect(session.browser.evaluate('1', { tab: 'first' })).rejects.toMatchObject({ code: 'infra' });
    await session.release();
    session = await pool.lease({ size });
    await session.browser.open({ html: '<title>next</title>', seed: 1 });
    expect(await title()).toBe('next');
  });

  it.each<[string, Action[], string]>([
    ['the right password', [{ type: 'type', text: 'ann\tsecret\n' }], 'open'],
    [
      'a wrong one and the right one',
      ['guess', 'secret'].map((word) => ({ type: 'type', text: `ann\t${word}\n` })),
      'open',
    ],
    ['nothing', [keys('escape')], 'shut'],
  ])('asks for a name and a password: %s', async (_, answer, result) => {
    // Credentials are not shared between leases.
    await go('/vault');
    expect(asks()).toBe('credentials');
    await act(...answer);
    expect(await title()).toBe(result);
  });

  it('is reset for the next session', async () => {
    await go('/talking');
    await act(click, keys('ctrl 1'));
    await session.release();
    session = await pool.lease({ size });
    expect(session.browser.page).toMatchObject({ url: expect.not.stringContaining('talking') as string });
    expect(session.browser.page.tabs).toBeUndefined();
    await go('/confirm');
    await act(click);
    await session.release();
    session = await pool.lease({ size });
    expect(asks()).toBeUndefined();
  });
});

describe('on a stepped clock', () => {
  it('shows the same each time, whatever is asked and opened', async () => {
    const pool = await BrowserPool.launch({ network: 'any' });
    const play = async (): Promise<string[]> => {
      const session = await pool.lease({ size });
      const hashes: string[] = [];
      const turn = async (path: string, ...actions: Action[]) => {
        await session.browser.navigate(base + path);
        for (const action of actions) {
          await session.screen.act(action);
          hashes.push((await session.screen.observe()).hash);
        }
      };
      await turn('/talking', click, click, { type: 'type', text: 'x' }, wait);
      await turn('/late', click, wait, keys('enter'), wait);
      await turn('/prompt', click, { type: 'type', text: 'Zoë' }, keys('enter'));
      await turn('/two', click, keys('tab'), keys('enter'), keys('enter'));
      await turn('/written', click, keys('ctrl 1'), keys('ctrl tab'), wait);
      await session.release();
      return hashes;
    };
    try {
      const first = await play();
      for (let run = 0; run < 5; run++) expect(await play()).toEqual(first);
    } finally {
      await pool.close();
    }
  });

  it('gives a session its own browser for a dialog within a frame, or ends it if the browser is shared', async () => {
    const pool = await BrowserPool.launch({ network: 'any' });
    try {
      const alone = await pool.lease({ size });
      await alone.browser.navigate(`${base}/late`);
      await alone.screen.act(wait);
      await alone.screen.observe();
      expect(alone.browser.page.asks).toBe('alert');
      // Other sessions' time continues.
      const [neighbour, blocked] = [await pool.lease({ size }), await pool.lease({ size })];
      await neighbour.browser.navigate(`${base}/second`);
      expect((await neighbour.screen.observe()).png.length).toBeGreaterThan(0);
      await blocked.browser.navigate(`${base}/late`);
      const error = await blocked.screen.act(wait).then(
        () => blocked.screen.observe(),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(GyreError);
      expect(error).toMatchObject({ code: 'infra', detail: { field: 'sessionsPerBrowser' } });
      await neighbour.screen.act(click);
      expect(await neighbour.browser.evaluate('document.title')).toBe('second');
      await alone.screen.act(keys('enter'));
      expect(await alone.browser.evaluate('document.title')).toBe('seen');
      expect(pool.stats.crashed).toBe(0);
      await Promise.all([alone, neighbour, blocked].map((session) => session.release()));
    } finally {
      await pool.close();
    }
  });
});
