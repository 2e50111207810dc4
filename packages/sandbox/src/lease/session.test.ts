import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../index.js';

const size = { width: 160, height: 120 };
let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size });
});
afterAll(() => pool.close());

describe('a picture', () => {
  it('is a PNG of the size that was leased, named by its content', async () => {
    await session.browser.open({ html: '<body style="background:red">', seed: 1 });
    const { png, hash, size: frameSize } = await session.screen.observe();
    expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG');
    const view = Buffer.from(png);
    expect([view.readUInt32BE(16), view.readUInt32BE(20)]).toEqual([160, 120]);
    expect(frameSize).toEqual(size);
    expect(hash).toBe(createHash('sha256').update(png).digest('hex'));
    expect(await session.screen.observe()).toEqual({ png, hash, size: frameSize });
  });

  it('can be a JPEG', async () => {
    const jpeg = await session.browser.screenshot('jpeg', 50);
    expect([...jpeg.subarray(0, 2)]).toEqual([0xff, 0xd8]);
  });

  it('shows what an evaluation changed once time passes', async () => {
    const before = await session.screen.observe();
    await session.browser.evaluate('document.body.style.background = "blue"');
    expect((await session.screen.observe()).hash).toBe(before.hash);
    await session.browser.advance(20);
    expect((await session.screen.observe()).hash).not.toBe(before.hash);
  });

  it('is not captured without watchers, but the page draws the same frames', async () => {
    const html = `<body style="height:400px"><p id="mark" style="position:absolute">mark</p><script>
      const tell = (what) => (document.title += what + ' ');
      const frame = () => {
        tell(performance.now());
        mark.style.left = performance.now() / 10 + 'px';
        requestAnimationFrame(frame);
      };
      onclick = () => tell('click');
      onmousemove = ({ buttons }) => buttons && tell('drag');
      onscroll = () => tell('scroll ' + scrollY);
      frame();
    </script>`;
    const middle = { x: 0.5, y: 0.5 };
    const played = async (pictures: boolean) => {
      const leased = await pool.lease({ size, pictures });
      await leased.browser.open({ html, seed: 1 });
      const lengths = [(await leased.screen.observe()).png.length];
      for (const seconds of [0, 0.5]) {
        await leased.screen.act({ type: 'click', point: middle });
        await leased.screen.act({ type: 'scroll', direction: 'down', point: middle });
        await leased.screen.act({ type: 'drag', start: middle, end: { x: 0.7, y: 0.5 } });
        if (seconds > 0) await leased.screen.act({ type: 'wait', seconds });
        lengths.push((await leased.screen.observe()).png.length);
        await leased.browser.evaluate('document.title += "|"');
      }
      const title = await leased.browser.evaluate<string>('document.title');
      const picture = await leased.browser.screenshot('png');
      await leased.release();
      return { lengths, title, picture };
    };
    const [seen, unseen] = [await played(true), await played(false)];
    expect(Math.min(...seen.lengths)).toBeGreaterThan(0);
    expect(seen.title.split('click')).toHaveLength(3 + 2);
    expect(seen.title.split('drag')).toHaveLength(2 * 4 + 1);
    expect(seen.title).toContain('scroll 120');
    expect(unseen).toEqual({ ...seen, lengths: [0, 0, 0] });
  });

  it('shows no scroll bars', async () => {
    await session.browser.open({ html: '<body style="margin:0"><p style="height:999px;margin:0">', seed: 1 });
    expect(await session.browser.evaluate('document.documentElement.clientWidth')).toBe(160);
  });
});

describe('a new document', () => {
  it('has its first frame before its first input, and none of its time is lost', async () => {
    // About one tab in a hundred would draw too early.
    const html = '<script>onclick = () => (document.title = `clicked at ${performance.now()}`)</script>';
    const look = async (seed: number) => {
      const fresh = await pool.lease({ size });
      await fresh.browser.open({ html, seed });
      await fresh.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
      await fresh.browser.advance(100);
      const heard = await fresh.browser.evaluate('[document.title, performance.now()]');
      expect(heard).toEqual(['clicked at 0', 200]);
      await fresh.release();
    };
    const seeds = Array.from({ length: 200 }, (_, seed) => seed).values();
    const lane = async () => {
      for (const seed of seeds) await look(seed);
    };
    await Promise.all(Array.from({ length: 4 }, lane));
  });
});

describe('the isolated world', () => {
  it('runs the script with its argument once the document is parsed', async () => {
    await session.browser.open({
      html: '<p>one<p>two',
      script: '(given) => { globalThis.kept = { given, paragraphs: document.querySelectorAll("p").length } }',
      argument: { word: '</script>"\n\u2028' },
      seed: 1,
    });
    expect(await session.browser.evaluate('kept')).toEqual({ given: { word: '</script>"\n\u2028' }, paragraphs: 2 });
  });

  it('runs a script anew for each document, each time with its own argument', async () => {
    const script = '(given) => { given.opened = (given.opened ?? 0) + 1; globalThis.kept = given }';
    for (let seed = 0; seed < 12; seed++) {
      await session.browser.open({ html: '<p>', script, argument: { seed }, seed });
      expect(await session.browser.evaluate('kept')).toEqual({ seed, opened: 1 });
      expect(await session.browser.evaluate('Object.keys(globalThis).filter((name) => /Meeting/.test(name))')).toEqual(
        [],
      );
    }
  });

  it('is inaccessible to the page', async () => {
    await session.browser.open({
      html: `<script>
        JSON.stringify = Object.keys = Math.random = () => 'cheated';
        addEventListener('click', () => document.title = typeof secret + typeof __gyreFailure);
      </script>`,
      script: `() => { globalThis.secret = 42; addEventListener('click', (e) => { globalThis.trusted = e.isTrusted }) }`,
      seed: 1,
    });
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    expect(await session.browser.evaluate('document.title')).toBe('undefinedundefined');
    expect(await session.browser.evaluate('[secret, trusted, typeof Math.random()]')).toEqual([42, true, 'number']);
  });

  it('waits for promises, and says what an expression or a script threw', async () => {
    expect(await session.browser.evaluate('Promise.resolve(5)')).toBe(5);
    await expect(session.browser.evaluate('nothing.here')).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'expression' },
    });
    const open = session.browser.open({ html: '', script: '() => { throw new Error("broken script") }', seed: 1 });
    await expect(open).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('broken script') as string,
    });
    expect(session.state).toBe('leased');
  });
});

describe('a page', () => {
  it('cannot block the session with dialogs', async () => {
    await session.browser.open({
      html: `<script>alert(1); onclick = () => { alert(2); document.title = [confirm('?'), prompt('?')] }; onbeforeunload = (e) => e.preventDefault()</script>`,
      seed: 1,
    });
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    expect(await session.browser.evaluate('document.title', { tab: 'first' })).toBe('false,');
    await session.browser.open({ html: '<title>next</title>', seed: 1 });
    expect(await session.browser.evaluate('document.title')).toBe('next');
  });

  it('reaches neither the network nor files', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.setHeader('access-control-allow-origin', '*').end('<title>reached</title>');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    await session.browser.open({
      html: `<img src="http://127.0.0.1:${port}/image"><img src="http://localhost:${port}/image"><iframe src="file:///etc/passwd"></iframe><script>
        const tried = [fetch('http://127.0.0.1:${port}/'), fetch('http://[::1]:${port}/'), fetch('file:///etc/passwd'), fetch('http://example.com/'),
          new Promise((ok, no) => { const w = new WebSocket('ws://127.0.0.1:${port}/'); w.onopen = ok; w.onerror = no })];
        Promise.allSettled(tried).then((all) => document.title = all.map((one) => one.status));
      </script>`,
      seed: 1,
    });
    await expect
      .poll(() => session.browser.evaluate('document.title'))
      .toBe('rejected,rejected,rejected,rejected,rejected');
    await session.browser.navigate(`http://127.0.0.1:${port}/`);
    expect(await session.browser.evaluate('document.title')).not.toBe('reached');
    expect(requests).toBe(0);
    server.close();
  });

  it('of the web can navigate to the next one', async () => {
    const server = createServer((request, response) => {
      const body = `<title>${request.url}</title><a href="${request.url}x" style="position:fixed;inset:0">next</a>`;
      response.setHeader('content-type', 'text/html').end(body);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const open = await BrowserPool.launch({ network: 'any' });
    const web = await open.lease({ size });
    await web.browser.navigate(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const titles = [await web.browser.evaluate<string>('document.title')];
    for (const type of ['click', 'click', 'navigate_back'] as const) {
      await web.screen.act({ type, point: { x: 0.5, y: 0.5 } });
      titles.push(await web.browser.evaluate<string>('document.title'));
    }
    expect(titles).toEqual(['/', '/x', '/xx', '/x']);
    await open.close();
    server.close();
  });

  it('may be long, and shows again when it reloads itself', async () => {
    await session.browser.open({ html: `<title>long</title>${'x'.repeat(5_000_000)}`, seed: 1 });
    await session.browser.evaluate('document.title = "changed", location.reload()');
    await session.screen.act({ type: 'wait', seconds: 0.5 });
    await expect
      .poll(() => session.browser.evaluate('[document.title, document.body?.textContent.length]'))
      .toEqual(['long', 5_000_000]);
  });

  it('has no state or storage of the previous page', async () => {
    await session.browser.open({ html: '<script>window.kept = 1; name = "kept"</script>', seed: 1 });
    await session.browser.open({
      html: '<script>try { localStorage.kept = 1 } catch (error) { document.title = [window.kept, error.name] }</script>',
      seed: 1,
    });
    expect(await session.browser.evaluate('document.title')).toBe(',SecurityError');
  });
});
