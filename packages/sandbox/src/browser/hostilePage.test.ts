import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../index.js';

const size = { width: 160, height: 120 };
const million = 1e6;

/** Off-heap bytes: messages in transit. */
const buffered = () => process.memoryUsage().arrayBuffers;

describe('a page that is hostile', () => {
  let pool: BrowserPool;
  let neighbour: BrowserSession;
  const lines: string[] = [];
  beforeAll(async () => {
    pool = await BrowserPool.launch({ clock: 'free', log: (_, text) => lines.push(text.slice(0, 100)) });
    neighbour = await pool.lease({ size });
    await neighbour.browser.open({ html: '<title>neighbour</title><p>here', seed: 1 });
  });
  afterAll(() => pool.close());

  async function attack(script: string, forMs: number): Promise<unknown> {
    const session = await pool.lease({ size });
    const state = { isOver: false };
    let maxBuffered = 0;
    const before = buffered();
    const working = (async () => {
      for (let times = 0; !state.isOver || times === 0; times++) {
        maxBuffered = Math.max(maxBuffered, buffered() - before);
        await neighbour.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
        expect(await neighbour.browser.evaluate('document.title')).toBe('neighbour');
      }
    })();
    const opened = session.browser
      .open({ html: `<script>${script}</script>`, seed: 1 })
      .catch((error: unknown) => error);
    const ended = await Promise.race([
      session.broken,
      opened.then(() => new Promise((resolve) => setTimeout(resolve, forMs, 'lives'))),
    ]);
    state.isOver = true;
    await working;
    await session.release();
    expect(maxBuffered).toBeLessThan(300 * million);
    expect(neighbour.state).toBe('leased');
    return ended;
  }

  it.each([
    ['92 million control characters to its console', `console.log('\\u0001'.repeat(92e6))`],
    ['an error of 40 million characters', `setTimeout(() => { throw new Error('x'.repeat(40e6)) })`],
    ['seventy thousand long words to its console', `console.log(...Array(7e4).fill('y'.repeat(1e3)))`],
  ])('writes %s, and ends alone', async (_, script) => {
    expect(await attack(script, 20_000)).toMatchObject({ code: 'infra', detail: { part: 'page' } });
  });

  it.each([
    [
      'something nested a million deep to its console',
      `let a = {}, b = []; for (let i = 0; i < 1e6; i++) { a = { a }; b = [b]; } console.log(a, b); console.dir(a)`,
    ],
    ['twenty thousand lines to its console', `for (let i = 0; i < 2e4; i++) console.log(i)`],
    ['a title of ten million characters', `document.title = 'x'.repeat(1e7)`],
    ['a dialog of ten million characters', `setTimeout(() => alert('x'.repeat(1e7)))`],
    [
      'a download with a name of a million characters',
      `const a = document.createElement('a'); a.href = 'data:application/octet-stream,x'; a.download = 'x'.repeat(1e6); a.click()`,
    ],
    [
      'odd values to its console',
      `console.log(null, undefined, NaN, -0, 10n, Symbol('x'), new Proxy({}, {}), document, window, () => 1, { get a() { throw 1 } })`,
    ],
    ['an error that is none', `setTimeout(() => { throw null }); Promise.reject(Object.create(null))`],
  ])('writes %s, and is logged up to the limit', async (_, script) => {
    expect(await attack(script, 300)).toBe('lives');
  });

  it('is followed by another in the same browser', async () => {
    expect(pool.stats).toEqual({ leased: 1, launched: 1, crashed: 0 });
    expect(lines).toContainEqual(expect.stringContaining('uncaught'));
    const next = await pool.lease({ size });
    await next.browser.open({ html: '<title>next</title>', seed: 1 });
    expect(await next.browser.evaluate('document.title')).toBe('next');
    await next.release();
  });
});
