import { setTimeout as pause } from 'node:timers/promises';
import type { Size } from '@gyre/protocol';
import { z } from 'zod';
import type { Browser } from './browser.js';
import type { CdpScope } from './cdp/scope.js';
import { frameMs } from './clock.js';
import { type DocumentScripts, type Picture, Tab } from './tab.js';

const Captured = z.object({ data: z.string() });

/** A page on which time passes by itself, as in any browser: for ordinary web pages. What it shows is not the same twice. */
export class FreeTab extends Tab {
  /** Nothing is left to be drawn: the browser draws by itself. */
  readonly owing = false;
  readonly live = true;

  /** Opens an empty page. Throws `infra`. */
  static async create(browser: Browser, options: { size: Size; timeoutMs: number }): Promise<FreeTab> {
    const tab = new FreeTab(browser, await Tab.attach(browser, options.size, false), options);
    await tab.prepare(options.size);
    await tab.blank();
    return tab;
  }

  /** Waits as long as the frames take. */
  async advance(frames: number): Promise<void> {
    if (frames > 0) await pause(frames * frameMs);
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }

  async picture({ format, quality }: Picture): Promise<Uint8Array> {
    const given = { format, ...(quality !== undefined && { quality }), optimizeForSpeed: true };
    const { data } = await this.call('Page.captureScreenshot', given, Captured);
    return Buffer.from(data, 'base64');
  }

  scope(): CdpScope {
    return this.whole();
  }

  until<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answer;
  }

  protected scripts(): DocumentScripts {
    return { page: '', isolated: '' };
  }

  protected onDocument(): void {}
}
