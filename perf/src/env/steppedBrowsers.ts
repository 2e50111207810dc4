import type { Size } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, findBrowser, startBareLoop } from '@gyre/sandbox';
import { chromium } from 'playwright-core';
import { html, places, quality } from './page.js';
import { type Contestant, median, race, ratio } from './race.js';

/** Steps per second (click, frame, JPEG). */
export interface BrowserRow {
  size: string;
  mode: 'frame-stepped';
  gyre: number;
  playwright: number;
  bareCdp: number;
  ratioPlaywright: number;
  ratioBare: number;
}

/** Compares with plain Playwright and bare CDP. Throws `missing` without a browser. */
export async function measureBrowser(size: Size, roundMs: number): Promise<BrowserRow> {
  const { gyre, playwright, bareCdp } = await race(
    { gyre: await stepped(size), playwright: await plainPlaywright(size), bareCdp: await bareLoop(size) },
    roundMs,
  );
  return {
    size: `${size.width}x${size.height}`,
    mode: 'frame-stepped',
    gyre: median(gyre),
    playwright: median(playwright),
    bareCdp: median(bareCdp),
    ratioPlaywright: ratio(gyre, playwright),
    ratioBare: ratio(gyre, bareCdp),
  };
}

export function sessionStep(session: BrowserSession): () => Promise<Uint8Array> {
  const { width, height } = session.screen.size;
  const place = places();
  return async () => {
    const { x, y } = place.next().value;
    await session.screen.act({ type: 'click', point: { x: (x + 0.5) / width, y: (y + 0.5) / height } });
    return session.browser.screenshot('jpeg', quality);
  };
}

async function stepped(size: Size): Promise<Contestant> {
  const pool = await BrowserPool.launch();
  // One frame per step, like the others.
  const session = await pool.lease({ size, stepMs: 1_000 / 60 });
  await session.browser.open({ html, seed: 1 });
  return { lanes: [sessionStep(session)], close: () => pool.close() };
}

async function bareLoop(size: Size): Promise<Contestant> {
  const loop = await startBareLoop({ html, size, quality });
  const place = places();
  const step = () => {
    const { x, y } = place.next().value;
    return loop.step(x, y);
  };
  return { lanes: [step], close: () => loop.close() };
}

async function plainPlaywright(size: Size): Promise<Contestant> {
  const browser = await chromium.launch({ executablePath: findBrowser().path });
  const page = await browser.newPage({ viewport: size });
  await page.setContent(html);
  const place = places();
  const step = async () => {
    const { x, y } = place.next().value;
    await page.mouse.click(x, y);
    return page.screenshot({ type: 'jpeg', quality });
  };
  return { lanes: [step], close: () => browser.close() };
}
