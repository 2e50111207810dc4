import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action } from '@gyre/protocol';
import { BrowserPool, type PageSource, type BrowserSession } from '../index.js';

const size = { width: 160, height: 160 };

const animated: PageSource = {
  seed: 7,
  html: `<!doctype html><style>
    body { margin: 0; font: 13px 'DejaVu Sans', sans-serif }
    @keyframes slide { from { left: 0 } to { left: 130px; transform: rotate(300deg) } }
    #slider { position: absolute; top: 40px; width: 20px; height: 20px; background: linear-gradient(red, gold); animation: slide 1s infinite linear }
    @keyframes jump { to { left: 100px } }
    #jumper { position: absolute; top: 64px; width: 9px; height: 9px; background: teal; animation: jump 1s steps(10) infinite }
    #box { position: absolute; top: 80px; left: 0; width: 16px; height: 16px; background: blue; transition: left 300ms ease, background 200ms }
    #box.on { left: 120px; background: lime }
    button { position: absolute; top: 4px; left: 4px } button:hover { color: red }
    input { position: absolute; top: 104px; left: 4px; width: 100px } canvas { position: absolute; top: 130px; left: 0 }
  </style><div id=slider></div><div id=jumper></div><div id=box></div><button>go</button><input>
  <canvas width=160 height=30></canvas><script>
    const pen = document.querySelector('canvas').getContext('2d');
    document.querySelector('button').onclick = () => { box.classList.toggle('on'); noise() };
    box.addEventListener('transitionend', () => setTimeout(noise, 25));
    let hue = 0;
    function noise() { pen.fillStyle = 'hsl(' + Math.random() * 360 + ' 80% 50%)'; pen.fillRect(Math.random() * 150, Math.random() * 20, 9, 9) }
    setInterval(noise, 37);
    (function turn(now) { pen.fillStyle = 'hsl(' + (hue += 3) + ' 50% 50%)'; pen.fillRect((now || 0) / 20 % 160, 24, 2, 6); requestAnimationFrame(turn) })();
    (async () => { for (;;) { await new Promise((done) => setTimeout(done, 90)); pen.fillText(String(Date.now() % 1000), Math.random() * 130, 20) } })();
  </script>`,
};

const play: Action[] = [
  { type: 'click', point: { x: 0.1, y: 0.08 } },
  { type: 'wait', seconds: 0.2 },
  { type: 'click', point: { x: 0.3, y: 0.72 } },
  { type: 'type', text: 'héllo' },
  { type: 'mouse_move', point: { x: 0.12, y: 0.09 } },
  { type: 'click', point: { x: 0.1, y: 0.08 } },
  { type: 'hotkey', keys: 'ctrl a' },
  { type: 'wait', seconds: 1.5 },
  { type: 'drag', start: { x: 0.1, y: 0.5 }, end: { x: 0.9, y: 0.9 } },
  { type: 'scroll', direction: 'down' },
];

const walking: PageSource = {
  seed: 7,
  html: `<!doctype html><style>
      body { margin: 0; background: #dbe6f3 } svg { position: absolute; left: 0; top: 0 }
      div { position: absolute; left: 16px; width: 128px; text-align: right; font: bold 12px/16px 'DejaVu Sans' }
      [data-key=w] .eyes { transform: translateY(-1.5px) } [data-key=d] .eyes { transform: translateX(1.5px) }
      [data-key=a] .eyes { transform: translateX(-1.5px) }
    </style><div>moves <b>0</b></div><svg width=160 height=160 viewBox="-16 -16 160 160">
      <path d="M0 0H128V128H0zM32 96H64V128" fill="none" stroke="#5a83ab" stroke-width="5" stroke-linecap="round"/>
      <g transform="translate(32 96) scale(.94)"><g class="figure">
        <path d="M6.5 27V17a10.5 10.5 0 0 1 21 0v10l-3.5-2.5-3.5 2.5-3.5-2.5-3.5 2.5-3.5-2.5z" fill="#d8415a" stroke="rgba(0,0,0,.45)" stroke-width="1.2" stroke-linejoin="round"/>
        <circle cx="13.5" cy="16" r="3.2" fill="#fff"/><circle cx="20.5" cy="16" r="3.2" fill="#fff"/>
        <g class="eyes"><circle cx="13.5" cy="16" r="1.5"/><circle cx="20.5" cy="16" r="1.5"/></g>
      </g></g></svg><script>
      addEventListener('keydown', ({ key }) => {
        document.querySelector('b').textContent++;
        document.querySelector('.figure').dataset.key = key;
      });
    </script>`,
};

async function watch(session: BrowserSession, pause: () => Promise<void> = async () => {}): Promise<string[]> {
  await session.browser.open(animated);
  const seen = [(await session.screen.observe()).hash];
  for (const action of play) {
    await session.screen.act(action);
    await pause();
    seen.push((await session.screen.observe()).hash);
  }
  return seen;
}

describe('the same seed and actions give the same frames', () => {
  let first: BrowserPool;
  let second: BrowserPool;
  let expected: string[];
  beforeAll(async () => {
    [first, second] = await Promise.all([BrowserPool.launch(), BrowserPool.launch()]);
    const session = await first.lease({ size });
    expected = await watch(session);
    await session.release();
  });
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
  });

  it('and every one of them differs from the one before', () => {
    for (let index = 1; index < expected.length; index++) expect(expected[index]).not.toBe(expected[index - 1]);
  });

  it('in another browser', async () => {
    const session = await second.lease({ size });
    expect(await watch(session)).toEqual(expected);
    await session.release();
  });

  it('in a session that showed other pages before, wherever its pointer was', async () => {
    const session = await first.lease({ size });
    await session.browser.open({ html: '<h1>other</h1>', seed: 1 });
    await session.screen.act({ type: 'mouse_move', point: { x: 0.1, y: 0.08 } });
    await session.screen.act({ type: 'press', key: 'shift' });
    expect(await watch(session)).toEqual(expected);
    expect(await watch(session)).toEqual(expected);
    await session.release();
  });

  it('in a tab that was another size in its last lease', async () => {
    const previous = await second.lease({ size: { width: 300, height: 200 } });
    await previous.browser.open(animated);
    await previous.screen.observe();
    await previous.release();
    const session = await second.lease({ size });
    expect(await watch(session)).toEqual(expected);
    await session.release();
  });

  it.concurrent('while six sessions are interleaved, and however slowly the agent thinks', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => first.lease({ size })));
    const seen = await Promise.all(
      sessions.map((session, index) => watch(session, () => new Promise((done) => setTimeout(done, index * 11)))),
    );
    for (const hashes of seen) expect(hashes).toEqual(expected);
    await Promise.all(sessions.map((session) => session.release()));
  });

  it.concurrent('whether or not they were looked at in between', async () => {
    const session = await first.lease({ size });
    await session.browser.open(animated);
    for (const [index, action] of play.entries()) {
      await session.screen.act(action);
      if (index % 3 === 0) await session.browser.evaluate('document.title');
      if (index % 4 === 0) for (let look = 0; look < 3; look++) await session.browser.screenshot('jpeg', 60);
    }
    expect((await session.screen.observe()).hash).toBe(expected.at(-1));
    await session.release();
  });

  it.concurrent('also when the agent thinks for longer than the browser caches its drawing', async () => {
    const turns = async (thoughtMs: number): Promise<string[]> => {
      const session = await first.lease({ size });
      await session.browser.open(walking);
      await session.screen.observe();
      await session.screen.act({ type: 'press', key: 'd' });
      const seen = [(await session.screen.observe()).hash];
      // Time passes for the browser's caches only.
      await new Promise((done) => setTimeout(done, thoughtMs));
      await session.screen.act({ type: 'press', key: 'w' });
      seen.push((await session.screen.observe()).hash);
      await session.release();
      return seen;
    };
    const [quick, slow] = [await turns(0), await turns(6_500)];
    expect(slow).toEqual(quick);
  });

  it.concurrent('and another seed gives other frames', async () => {
    const session = await first.lease({ size });
    await session.browser.open({ ...animated, seed: 8 });
    for (const action of play) await session.screen.act(action);
    expect((await session.screen.observe()).hash).not.toBe(expected.at(-1));
    await session.release();
  });
});
