import type { Size } from '@gyre/protocol';
import { bareClick, startBareBrowser } from './bareBrowser.js';
import { tickMs } from '../clock/clock.js';

/** A minimal baseline for benchmarks. */
export interface BareLoop {
  /** Clicks at a pixel and returns the next frame as JPEG. */
  step(x: number, y: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Starts the same browser over plain CDP, without leases, clocks, timeouts or recovery. */
export async function startBareLoop(options: { html: string; size: Size; quality: number }): Promise<BareLoop> {
  const browser = startBareBrowser('stepped');
  const sessionId = await browser.open(options);
  let time = Number(process.hrtime.bigint() / 1_000_000n);
  const screenshot = { format: 'jpeg', quality: options.quality };
  return {
    async step(x, y) {
      await bareClick(browser, sessionId, x, y);
      for (;;) {
        time += tickMs;
        const frame = { frameTimeTicks: time, interval: tickMs, screenshot };
        const { screenshotData } = await browser.send('HeadlessExperimental.beginFrame', frame, sessionId);
        if (screenshotData !== undefined) return Buffer.from(screenshotData, 'base64');
      }
    },
    close: () => browser.close(),
  };
}
