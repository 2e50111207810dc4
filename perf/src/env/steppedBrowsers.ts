import { GyreError, type Size } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, findBrowser, startBareLoop } from '@gyre/sandbox';
import { html, places, quality } from './page.js';
import { type Contestant, median, race, ratio } from './race.js';

/** Click, one frame, JPEG: steps per second of one screen, medians of interleaved rounds. */
export interface BrowserRow {
  size: string;
  mode: 'frame-stepped';
  gyre: number;
  playwright: number;
  bareCdp: number;
  /** Medians of the ratios within a round. */
  ratioPlaywright: number;
  ratioBare: number;
}

/** A frame-stepped session beside a plain Playwright page and bare protocol calls. Throws `missing` without Playwright or browser. */
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

/** A step of a session of a pool: a click on the page, and its picture. */
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
  // One frame per step, as in the others.
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
  const { chromium } = await import('playwright-core').catch((cause: unknown) => {
    throw new GyreError('missing', 'playwright-core is not installed', {
      field: 'playwright-core',
      fix: 'run `npm install --save-dev playwright-core`',
      cause,
    });
  });
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
