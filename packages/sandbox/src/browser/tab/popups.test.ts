import { afterAll, beforeEach, beforeAll, describe, expect, it } from 'vitest';
import { BrowserPool, type BrowserSession } from '../../index.js';

const size = { width: 320, height: 240 };
const list = '<option>one<option>two<option>three</select>';
const html = `<body style="margin:0;font:14px sans-serif"><style>.at{position:absolute;width:120px;height:24px}</style>
<select id="plain" class="at" style="left:10px;top:10px">${list}
<select id="bare" class="at" style="left:160px;top:10px;appearance:none">${list}
<div id="open" class="at" style="left:10px;top:50px"></div><div id="closed" class="at" style="left:160px;top:50px"></div>
<input id="date" type="date" class="at" style="left:10px;top:90px"><input id="time" type="time" class="at" style="left:160px;top:90px">
<input id="colour" type="color" class="at" style="left:10px;top:130px">
<button class="at" style="left:160px;top:130px" onclick="date.showPicker()">open</button>
<script>
globalThis.roots = {};
for (const mode of ['open', 'closed']) {
  roots[mode] = document.getElementById(mode).attachShadow({ mode });
  roots[mode].innerHTML = '<select class="in" style="width:120px;height:24px">${list}';
}
roots.closed.addEventListener('change', ({ target }) => { document.title = 'closed ' + target.value; });
</script>`;
const middles = { plain: 22, bare: 22, open: 62, closed: 62, date: 102, time: 102, colour: 142, button: 142 } as const;
const lefts = { plain: 20, bare: 170, open: 20, closed: 170, date: 20, time: 170, colour: 20, button: 200 } as const;

describe('controls with native popups on a stepped clock', () => {
  let pool: BrowserPool;
  let session: BrowserSession;
  beforeAll(async () => {
    pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1, timeoutMs: 10_000 });
    session = await pool.lease({ size });
  });
  afterAll(() => pool.close());
  beforeEach(() => session.browser.open({ html, seed: 1 }));

  const click = (x: number, y: number) =>
    session.screen.act({ type: 'click', point: { x: x / size.width, y: y / size.height } });
  const press = (keys: string) => session.screen.act({ type: 'hotkey', keys });
  const valueOf = (element: string) => session.browser.evaluate<string>(`${element}.value`);

  it.each(['plain', 'bare', 'open'] as const)('a list drops down within the page: %s', async (name) => {
    const [x, y] = [lefts[name], middles[name]];
    const before = await session.screen.observe();
    await click(x, y);
    expect((await session.screen.observe()).hash).not.toBe(before.hash);
    await press('arrowdown');
    await press('enter');
    const element = name === 'open' ? `document.getElementById('open').shadowRoot.querySelector('select')` : name;
    expect(await valueOf(element)).toBe('two');
    await session.browser.open({ html, seed: 1 });
    await click(x, y);
    await click(x + 40, y + 48);
    expect(await valueOf(element)).toBe('two');
  });

  it('a list opens by keys too', async () => {
    await session.browser.evaluate('plain.focus()');
    await press('space');
    const opened = await session.screen.observe();
    await press('escape');
    expect((await session.screen.observe()).hash).not.toBe(opened.hash);
  });

  it('a list in a shadow that only the page can see into drops down too', async () => {
    await click(lefts.closed, middles.closed);
    await click(lefts.closed + 40, middles.closed + 48);
    expect(await session.browser.evaluate('document.title')).toBe('closed two');
  });

  it('dates and times are typed, wherever they are clicked', async () => {
    for (const x of [lefts.date, lefts.date + 100, lefts.date + 106]) await click(x, middles.date);
    await click(lefts.date, middles.date);
    await press('space');
    await press('alt arrowdown');
    await session.screen.act({ type: 'type', text: '02032026' });
    expect(await valueOf('date')).toBe('2026-02-03');
    await click(lefts.time + 106, middles.time);
    await click(lefts.time, middles.time);
    await session.screen.act({ type: 'type', text: '0907AM' });
    expect(await valueOf('time')).toBe('09:07');
  });

  it('colours, and pickers that a script asks for, do not open', async () => {
    await click(lefts.colour, middles.colour);
    await press('enter');
    await press('space');
    await click(lefts.button, middles.button);
    await session.screen.observe();
    expect(await valueOf('colour')).toBe('#000000');
  });

  it('nothing looks different until it is used', async () => {
    const { hash } = await session.screen.observe();
    expect(await session.browser.evaluate('getComputedStyle(plain).appearance')).toBe('auto');
    await session.browser.open({ html, seed: 1 });
    expect((await session.screen.observe()).hash).toBe(hash);
  });
});
