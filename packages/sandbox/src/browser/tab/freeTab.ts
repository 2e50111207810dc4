import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Browser } from '../browser.js';
import type { CdpScope } from '../cdp/scope.js';
import { frameMs } from '../clock/clock.js';
import { CommandRefused } from '../connection.js';
import { blankPicture } from './drawing.js';
import type { TabIds } from '../pages.js';
import { pointerLockScript } from './pageScripts.js';
import { type DocumentScripts, type Picture, Tab, type TabOptions } from './tab.js';

const lookMs = 1_000;

/** The page was being replaced. */
const isReplaced = Symbol('replaced');
const replaced = (error: unknown): typeof isReplaced => {
  if (error instanceof CommandRefused) return isReplaced;
  throw error;
};
const replaceMs = 20;

const Captured = z.object({ data: z.string() });

/** A page in real time, for ordinary web pages. Its screenshots are not reproducible. */
export class FreeTab extends Tab {
  /** The browser draws by itself. */
  readonly hasUndrawnFrames = false;
  readonly live = true;
  readonly isFrameHeld = false;
  // Covers redirects by `setTimeout(..., 0)`.
  protected readonly redirectMs = 50;

  static async create(browser: Browser, options: TabOptions): Promise<FreeTab> {
    const tab = new FreeTab(browser, await Tab.attach(browser, options.size, false), options);
    await tab.prepare(options.size);
    await tab.blank();
    return tab;
  }

  adopt(ids: TabIds, nth: number, isLoading: boolean): Promise<Tab> {
    return new FreeTab(this.browser, ids, this.options).prepareOpened(this, this.seedOf(nth), isLoading);
  }

  async advance(frames: number): Promise<void> {
    if (frames > 0) await pause(frames * frameMs);
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }

  async picture(picture: Picture): Promise<Uint8Array> {
    const { format, quality } = picture;
    const options = { format, quality, optimizeForSpeed: true };
    let captured: Promise<z.infer<typeof Captured>> | undefined;
    for (let looks = 0; ; looks++) {
      if (!(await this.isDrawn())) return blankPicture(this.size, picture);
      captured ??= this.ask('Page.captureScreenshot', options, Captured);
      const capture = await Promise.race([captured.catch(replaced), pause(lookMs, undefined, { ref: false })]);
      if (capture === isReplaced) {
        captured = undefined;
        await pause(replaceMs);
      } else if (capture !== undefined) {
        return Buffer.from(capture.data, 'base64');
      }
      this.checkLate('Page.captureScreenshot', looks * lookMs);
    }
  }

  scope(): CdpScope {
    return this.pageScope();
  }

  until<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answer;
  }

  protected scripts(): DocumentScripts {
    return { page: pointerLockScript(), isolated: '' };
  }

  protected onDocument(): void {}
}
