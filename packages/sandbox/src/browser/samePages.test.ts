import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, Point } from '@gyre/protocol';
import { BrowserPool, findBrowser } from '../index.js';
import type { Clock } from './flags.js';
import { samePages, size, type SamePage } from './samePages.test.support.js';

let chromiumItself: Browser;
const clocks = ['stepped', 'free'] as const;
let pools: { readonly clock: Clock; readonly local: BrowserPool; readonly web: BrowserPool }[];
beforeAll(async () => {
  chromiumItself = await chromium.launch({
    executablePath: findBrowser(process.env).path,
    args: ['--no-sandbox', '--hide-scrollbars', '--disable-smooth-scrolling'],
  });
  pools = await Promise.all(
    clocks.map(async (clock) => ({
      clock,
      local: await BrowserPool.launch({ clock }),
      web: await BrowserPool.launch({ clock, network: 'any' }),
    })),
  );
});
afterAll(() =>
  Promise.all([chromiumItself, ...pools.flatMap(({ local, web }) => [local, web])].map((one) => one.close())),
);

let served = '';
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(served));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

const whole = ({ html }: SamePage): string => `<!doctype html><meta charset=utf-8><body style="margin:0">${html}`;

const names: Readonly<Record<string, string>> = {
  ctrl: 'Control',
  shift: 'Shift',
  alt: 'Alt',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  up: 'ArrowUp',
  down: 'ArrowDown',
  space: 'Space',
  pagedown: 'PageDown',
  pageup: 'PageUp',
  capslock: 'CapsLock',
};
const named = (key: string): string => names[key] ?? (key.length === 1 ? key : key[0]!.toUpperCase() + key.slice(1));

async function perform(page: Page, action: Action): Promise<void> {
  const pixel = ({ x, y }: Point): [number, number] => [Math.floor(x * size.width), Math.floor(y * size.height)];
  const { mouse, keyboard } = page;
  switch (action.type) {
    case 'click':
      return mouse.click(...pixel(action.point));
    case 'double_click':
      return mouse.dblclick(...pixel(action.point));
    case 'right_click':
      return mouse.click(...pixel(action.point), { button: 'right' });
    case 'mouse_move':
      return mouse.move(...pixel(action.point));
    case 'drag': {
      const [start, end] = [pixel(action.start), pixel(action.end)];
      await mouse.move(...start);
      await mouse.down();
      await mouse.move(...end, { steps: 4 });
      return mouse.up();
    }
    case 'scroll': {
      if (action.point) await mouse.move(...pixel(action.point));
      const [right, down] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[action.direction] as [
        number,
        number,
      ];
      await mouse.wheel(right * (size.width / 2), down * (size.height / 2));
      return page.waitForTimeout(200);
    }
    case 'type':
      return keyboard.type(action.text);
    case 'hotkey':
      return keyboard.press(action.keys.split('+').map(named).join('+'));
    case 'press':
      return keyboard.down(named(action.key));
    case 'release':
      return keyboard.up(named(action.key));
    case 'wait':
      return page.waitForTimeout((action.seconds ?? 1) * 1_000);
    default:
      throw new Error(`Playwright is not told how to ${action.type}`);
  }
}

/** Waits a frame, with which Chromium fires some events (a dialog's `close`). */
async function inChromium(page: SamePage): Promise<unknown> {
  const context = await chromiumItself.newContext({ viewport: size });
  const tab = await context.newPage();
  await tab.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: whole(page) }));
  const answers = [...(page.answers ?? [])];
  tab.on('dialog', (dialog) => {
    const answer = answers.shift();
    void (answer ? dialog.accept(typeof answer === 'string' ? answer : dialog.defaultValue()) : dialog.dismiss());
  });
  await tab.goto('http://page.example/');
  for (const action of page.actions) await perform(tab, action);
  await tab.evaluate('new Promise(requestAnimationFrame)');
  const state = await tab.evaluate(page.state);
  await context.close();
  return state;
}

async function inGyre(pool: BrowserPool, page: SamePage): Promise<unknown> {
  const session = await pool.lease({ size });
  const stateReporter = `<script>addEventListener('tell-state', () => { document.documentElement.dataset.state = JSON.stringify(${page.state}) })</script>`;
  const html = whole(page) + stateReporter;
  if (page.isServed) {
    served = html;
    await session.browser.navigate(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } else {
    await session.browser.open({ html, seed: 1 });
  }
  const answers = [...(page.answers ?? [])];
  for (const action of page.actions) {
    await session.screen.act(action);
    await session.screen.observe();
    while (session.browser.page.asks !== undefined) {
      const answer = answers.shift();
      if (typeof answer === 'string') await session.screen.act({ type: 'type', text: answer });
      await session.screen.act({ type: 'hotkey', keys: answer ? 'enter' : 'escape' });
    }
  }
  await session.screen.observe();
  const state = await session.browser.evaluate<string>(
    `dispatchEvent(new Event('tell-state')); document.documentElement.dataset.state`,
    { tab: 'first' },
  );
  await session.release();
  return JSON.parse(state);
}

describe.each(Object.entries(samePages))('as Chromium itself: %s', (_, pages) => {
  it.each(pages)('$name', async (page) => {
    const states = pools.map(({ local, web }) => inGyre(page.isServed ? web : local, page));
    const [expected, ...actual] = await Promise.all([inChromium(page), ...states]);
    expect(Object.fromEntries(actual.map((state, index) => [clocks[index], state]))).toEqual({
      stepped: expected,
      free: expected,
    });
  });
});
