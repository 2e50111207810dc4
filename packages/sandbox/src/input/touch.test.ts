import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../index.js';

const size = { width: 200, height: 300 };
const html = `<meta name="viewport" content="width=device-width"><body style="margin:0;height:2000px">
<script>
globalThis.seen = [];
for (const type of ['touchstart', 'touchend', 'mousedown', 'click'])
  addEventListener(type, (event) => seen.push(event.pointerType === 'touch' || event.touches ? type : type + ' by mouse'));
addEventListener('click', (event) => { document.title = seen.join(); });
</script>`;

describe("a phone's browser", () => {
  let pool: BrowserPool;
  let session: BrowserSession;
  beforeAll(async () => {
    pool = await BrowserPool.launch({ clock: 'free', timeoutMs: 5_000 });
    session = await pool.lease({ size, touch: true });
  });
  afterAll(() => pool.close());

  it('is touched, and says that it has no mouse', async () => {
    await session.browser.open({ html, seed: 1 });
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    await session.browser.advance(400);
    const title = await session.browser.evaluate<string>('document.title');
    expect(title).toMatch(/^touchstart,touchend/);
    const fine = await session.browser.evaluate<boolean[]>(
      '[matchMedia("(pointer: coarse)").matches, matchMedia("(hover: hover)").matches, navigator.maxTouchPoints > 0]',
    );
    expect(fine).toEqual([true, false, true]);
  });

  it('scrolls where a finger swipes', async () => {
    await session.browser.open({ html, seed: 1 });
    await session.screen.act({ type: 'swipe', start: { x: 0.5, y: 0.8 }, end: { x: 0.5, y: 0.3 } });
    await session.browser.advance(300);
    expect(await session.browser.evaluate<number>('scrollY')).toBeGreaterThan(50);
  });

  it('feels how long a finger rests', async () => {
    const page = `<body style="height:300px"><script>
      let from;
      addEventListener('touchstart', () => { from = performance.now(); });
      addEventListener('touchend', () => { document.title = performance.now() - from >= 500 ? 'long' : 'short'; });
    </script>`;
    await session.browser.open({ html: page, seed: 1 });
    await session.screen.act({ type: 'long_press', point: { x: 0.5, y: 0.5 } });
    expect(await session.browser.evaluate('document.title')).toBe('long');
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    expect(await session.browser.evaluate('document.title')).toBe('short');
  });

  it('takes no buttons of a mouse', async () => {
    const refused = session.screen.act({ type: 'right_click', point: { x: 0.5, y: 0.5 } });
    await expect(refused).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'type' } });
  });

  it('has a mouse again for the next lease that needs one', async () => {
    await session.release();
    session = await pool.lease({ size });
    expect(await session.browser.evaluate('matchMedia("(pointer: coarse)").matches')).toBe(false);
  });
});

it('is refused on a stepped clock', async () => {
  const pool = await BrowserPool.launch();
  await expect(pool.lease({ size, touch: true })).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'touch' },
  });
  await pool.close();
});
