import type { Size } from '@gyre/protocol';
import { BrowserPool, startBareContexts } from '@gyre/sandbox';
import { html, places, quality } from './page.js';
import { type Contestant, median, race, ratio } from './race.js';
import { sessionStep } from './steppedBrowsers.js';

/** Steps per second (click and JPEG) over all pages of a browser. */
export interface FreeRow {
  size: string;
  contexts: number;
  gyre: number;
  bareCdp: number;
  ratioBare: number;
}

const contexts = 8;

/** Compares with bare CDP. Throws `missing` without a browser. */
export async function measureFree(size: Size, roundMs: number): Promise<FreeRow> {
  const { gyre, bareCdp } = await race({ gyre: await sessions(size), bareCdp: await bareLoops(size) }, roundMs);
  return {
    size: `${size.width}x${size.height}`,
    contexts,
    gyre: median(gyre),
    bareCdp: median(bareCdp),
    ratioBare: ratio(gyre, bareCdp),
  };
}

async function sessions(size: Size): Promise<Contestant> {
  const pool = await BrowserPool.launch({ clock: 'free' });
  const leased = await Promise.all(Array.from({ length: contexts }, () => pool.lease({ size })));
  await Promise.all(leased.map(({ browser }) => browser.open({ html, seed: 1 })));
  return { lanes: leased.map(sessionStep), close: () => pool.close() };
}

async function bareLoops(size: Size): Promise<Contestant> {
  const contexted = await startBareContexts({ html, size, quality, contexts });
  const lanes = contexted.loops.map((loop) => {
    const place = places();
    return () => {
      const { x, y } = place.next().value;
      return loop(x, y);
    };
  });
  return { lanes, close: () => contexted.close() };
}
