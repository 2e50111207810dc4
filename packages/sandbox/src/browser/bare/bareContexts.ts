import type { Size } from '@gyre/protocol';
import { bareClick, startBareBrowser } from './bareBrowser.js';
import type { BareLoop } from './bareLoop.js';

/** Starts concurrent loops, one per context, on a free clock. */
export async function startBareContexts(options: {
  html: string;
  size: Size;
  quality: number;
  contexts: number;
}): Promise<{ loops: BareLoop['step'][]; close(): Promise<void> }> {
  const browser = startBareBrowser('free');
  const screenshot = { format: 'jpeg', quality: options.quality, optimizeForSpeed: true };
  const loops: BareLoop['step'][] = [];
  for (let index = 0; index < options.contexts; index++) {
    const { browserContextId } = await browser.send('Target.createBrowserContext', {});
    const sessionId = await browser.open({ ...options, context: browserContextId! });
    // Otherwise background pages delay mouse events.
    await browser.send('Emulation.setFocusEmulationEnabled', { enabled: true }, sessionId);
    loops.push(async (x, y) => {
      await bareClick(browser, sessionId, x, y);
      const { data } = await browser.send('Page.captureScreenshot', screenshot, sessionId);
      return Buffer.from(data!, 'base64');
    });
  }
  return { loops, close: () => browser.close() };
}
