import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../../index.js';

let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size: { width: 160, height: 160 } });
});
afterAll(() => pool.close());

async function titleAfter(ms: number, script: string): Promise<string> {
  await session.browser.open({ html: `<!doctype html><title></title><script>${script}</script>`, seed: 3 });
  await session.browser.advance(ms);
  return session.browser.evaluate<string>('document.title');
}

describe('game time', () => {
  it('starts at 0 and at 2026-01-01, and moves by whole frames only when told', async () => {
    await session.browser.open({ html: '', seed: 1 });
    const now = () => session.browser.evaluate<string>('performance.now() + " " + new Date().toISOString()');
    expect(await now()).toBe('0 2026-01-01T00:00:00.000Z');
    await new Promise((done) => setTimeout(done, 50));
    await session.screen.observe();
    expect(await now()).toBe('0 2026-01-01T00:00:00.000Z');
    await session.browser.advance(1000);
    expect(await now()).toBe('1000 2026-01-01T00:00:01.000Z');
  });

  it('is the same in the page and in the isolated world', async () => {
    const html = `<script>addEventListener('click', (e) => document.title = [Date.now(), performance.now(), e.timeStamp])</script>`;
    await session.browser.open({ html, seed: 1 });
    await session.browser.advance(500);
    const [date, now, stamp] = (
      await session.browser.evaluate<string>('document.body.click(), document.title + "," + Date.now()')
    ).split(',');
    expect([date, now, stamp]).toEqual(['1767225600500', '500', '500']);
  });

  it('gives one animation frame per 1/60 s', async () => {
    const count = `let n = 0; (function f() { document.title = n++; requestAnimationFrame(f) })()`;
    expect(await titleAfter(1000, count)).toBe('60');
  });

  it('runs timers in the order in which they are due, and intervals on their beat', async () => {
    const order = `const say = (word) => document.title += word;
      setTimeout(say, 30, 'c'); setTimeout(say, 10, 'a'); setTimeout(say, 10, 'b'); const i = setInterval(say, 40, 'i');
      setTimeout(() => clearInterval(i), 150); setTimeout(() => { throw new Error('passed by') }, 5); setTimeout("say('z')", 160)`;
    expect(await titleAfter(300, order)).toBe('abciiiz');
  });

  it('runs promise reactions before the next timer', async () => {
    const chain = `const wait = (ms) => new Promise((done) => setTimeout(done, ms));
      (async () => { for (let n = 1; n <= 20; n++) { await wait(10); document.title = n + '@' + performance.now() } })()`;
    expect(await titleAfter(400, chain)).toBe('20@200');
  });

  it('runs all microtasks before the next task, however deeply nested', async () => {
    const deep = `const says = []; const say = (word) => { says.push(word); document.title = says.join(' ') };
      const deep = async (n) => { if (n > 0) await deep(n - 1); await 0 };
      setTimeout(async () => { say('a'); await deep(300); say('A') }, 10); setTimeout(() => say('b'), 12);
      requestAnimationFrame(async () => { say('c'); await deep(300); say('C') }); requestAnimationFrame(() => say('d'));`;
    expect(await titleAfter(100, deep)).toBe('a A b c C d');
  });

  it('keeps the order when one frame has more tasks than its budget', async () => {
    const many = `let n = 0, wrong = 0; const start = () => { for (let i = 0; i < 300; i++) setTimeout(async () => {
      const mine = n; for (let hop = 0; hop < 20; hop++) await 0; if (n !== mine) wrong++; document.title = ++n + ',' + wrong }, 1) };
      setTimeout(start, 10);`;
    expect(await titleAfter(200, many)).toBe('300,0');
  });

  it('advances while a task waits for it', async () => {
    for (const read of [
      'Date.now()',
      'performance.now()',
      '+new Date()',
      'Number(Temporal.Now.instant().epochMilliseconds)',
    ]) {
      const wait = `const from = ${read}; while (${read} - from < 50); document.title = Math.round(performance.now())`;
      expect(await titleAfter(100, wait)).toBe('50');
    }
  });

  it('also drives scheduler, AbortSignal and animations', async () => {
    const timed = `const says = []; const say = (word) => { says.push(word + Math.round(performance.now())); document.title = says.join(' ') };
      AbortSignal.timeout(40).onabort = () => say('abort');
      scheduler.postTask(() => say('task'), { delay: 30 });
      const controller = new AbortController();
      scheduler.postTask(() => say('never'), { delay: 20, signal: controller.signal }).catch(() => say('aborted'));
      setTimeout(() => controller.abort(), 10);`;
    expect(await titleAfter(200, timed)).toBe('aborted10 task30 abort40');
    const animated = `const { finished } = document.documentElement.animate([], 50);
      finished.then(({ startTime }) => (document.title = startTime >= 0 && startTime < 50 && document.timeline.currentTime < 150))`;
    expect(await titleAfter(100, animated)).toBe('true');
  });

  it('seeds identifiers and symmetric keys, which only secure pages have', async () => {
    const script = `(async () => {
      const [uuid, other] = [crypto.randomUUID(), crypto.randomUUID()];
      const key = async (algorithm, usages) => {
        const made = await crypto.subtle.generateKey(algorithm, true, usages);
        return new Uint8Array(await crypto.subtle.exportKey('raw', made)).join();
      };
      const keys = [await key({ name: 'AES-GCM', length: 256 }, ['encrypt']), await key({ name: 'HMAC', hash: 'SHA-256' }, ['sign'])];
      document.title = [uuid, other, ...keys].join(' ');
    })()`;
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title></title><script>${script}</script>`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const open = await BrowserPool.launch({ network: 'any' });
    try {
      const titles = [];
      for (let run = 0; run < 2; run++) {
        const page = await open.lease({ size: { width: 160, height: 160 } });
        await page.browser.navigate(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        await expect.poll(() => page.browser.evaluate<string>('document.title')).toMatch(/^\S+ \S+ \S+ \S+$/);
        titles.push(await page.browser.evaluate<string>('document.title'));
        expect(page.browser.uncontrolled).toEqual([]);
        await page.release();
      }
      expect(titles[0]).toMatch(
        /^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} ){2}(\d+,){31}\d+ (\d+,){63}\d+$/,
      );
      expect(titles[1]).toBe(titles[0]);
    } finally {
      await open.close();
      server.close();
    }
  });

  it('reports APIs that still use real time', async () => {
    await titleAfter(0, `new Worker(URL.createObjectURL(new Blob([''])))`);
    expect(session.browser.uncontrolled).toEqual(['names of blobs', 'workers']);
  });

  it('ends a chain of timers without delay', async () => {
    const chain = `let n = 0; (function again() { document.title = ++n; setTimeout(again, 0) })()`;
    expect(await titleAfter(100, chain)).toBe('101');
  });

  it('cancels animation frames, also from within a frame', async () => {
    const cancel = `let second; requestAnimationFrame(() => cancelAnimationFrame(second));
      second = requestAnimationFrame(() => document.title += 'no'); requestAnimationFrame((t) => document.title += Math.round(t))`;
    expect(await titleAfter(100, cancel)).toBe('17');
  });

  it('is followed by CSS animations', async () => {
    const animation = `document.write('<style>@keyframes k { to { margin-left: 1000px } } p { margin-left: 0; animation: k 1s linear }</style><p>')`;
    await titleAfter(500, animation);
    const marginLeft = await session.browser.evaluate<number>(
      'parseFloat(getComputedStyle(document.querySelector("p")).marginLeft)',
    );
    expect(marginLeft).toBeGreaterThan(499);
    expect(marginLeft).toBeLessThan(502);
  });

  it('draws the same random numbers from the same seed, and others in the isolated world', async () => {
    const draw = `document.title = [Math.random(), crypto.getRandomValues(new Uint32Array(1))[0]]`;
    const title = await titleAfter(0, draw);
    expect(await titleAfter(0, draw)).toBe(title);
    expect(await session.browser.evaluate<number>('Math.random()')).not.toBe(Number(title.split(',')[0]));
  });
});
