import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, type Size } from '@gyre/protocol';
import { z } from 'zod';
import type { Browser } from '../browser.js';
import type { CdpScope } from '../cdp/scope.js';
import { clockScript, tickMs, toldBy } from '../clock/clock.js';
import type { TabIds } from '../pages.js';
import { firstFrameName, firstFrameScript } from '../page.js';
import { blankPicture } from './drawing.js';
import { pickerScript, pointerLockScript, popupScript } from './pageScripts.js';
import { type DocumentScripts, type Picture, Tab, type TabOptions } from './tab.js';

/** Game frames that one drawn frame advances; the page runs them in order, undrawn. */
const longestStride = 6;

/** Tells whether the document has animations. */
const hasAnimationsExpression = 'document.getAnimations().length > 0';

/**
 * Tells whether finite animations run. Their events come with every frame, and in order with timers only where each is drawn. Endless ones
 * do not count.
 */
const isAnimatingExpression = `document.getAnimations().some(({ playState, effect }) =>
  playState === 'running' && effect !== null && effect.getComputedTiming().endTime < Infinity)`;

/**
 * Lead of the compositor's time over the wall clock, in ms. Between frames Chromium moves its animation clock up to the wall clock; ahead
 * of that it stays.
 */
const aheadMs = 24 * 3_600_000;

/**
 * Chromium rounds a document's animation timeline to 100 µs since its navigation began, up or down by a secret of the
 * process. Frames at whole multiples need no rounding, so nothing is left to that secret.
 */
const timelineMicros = 100;

/** So many redraws come a whole `timelineMicros` after each other; later ones less, so that they stay within their frame. */
const mostWholeRedraws = 40;

/** More than any input or picture needs; a bound, so that a page that never draws ends as an error. */
const mostRedraws = 60;

const Drawn = z.object({ screenshotData: z.string().optional() });
const Metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

/** How a frame is drawn. */
interface Drawing {
  /** Without, layout, animations and scripts go on as ever, and nothing is rastered; but a document's first frame always is. */
  readonly composed: boolean;
  readonly screenshot?: object;
}

/**
 * A page with its own game time. Time passes only when `advance` or `picture` says so, and frames are drawn on demand: the same seed
 * with the same actions gives the same pixels.
 */
export class SteppedTab extends Tab {
  /** Compositor time of game frame 0, in µs of CLOCK_MONOTONIC. */
  #origin = 0;
  #frame = 0;
  /** Number of redraws of the frame. */
  #redraws = 0;
  /** The document is new: its frame 0 was not drawn yet. */
  #fresh = true;
  /** Game frames that have passed for the caller and are not drawn yet. */
  #owed = 0;
  /** Chromium is drawing a frame. */
  #isDrawing = false;
  /** Whether the document is known to have animations, or to have had some; undefined before that was asked. */
  #hasAnimations: boolean | undefined;
  /** Whether each of the next game frames has to be drawn. */
  #animating: Promise<boolean> | undefined;
  readonly live = false;
  // Time stands still: a script asks for another document at once, or when time passes.
  protected readonly redirectMs = 0;

  /** Opens an empty page. Throws `infra`. */
  static async create(browser: Browser, options: TabOptions): Promise<SteppedTab> {
    const tab = new SteppedTab(browser, await Tab.attach(browser, options.size, true), options);
    await tab.prepare(options.size);
    await tab.blank();
    // A tab that was never clicked believes that its mouse is in the corner, and shows it to each new document.
    const mouse = { x: 0, y: 0, button: 'left', clickCount: 1 };
    await tab.call('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse });
    await tab.call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse });
    await tab.input('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 });
    return tab;
  }

  adopt(ids: TabIds, nth: number, isLoading: boolean): Promise<Tab> {
    return new SteppedTab(this.browser, ids, this.options).take(this, this.seedOf(nth), isLoading);
  }

  get isFrameHeld(): boolean {
    return this.#isDrawing;
  }

  /** Moves game time by frames. The last of them are drawn later, together with the next picture. */
  async advance(frames: number): Promise<void> {
    if (frames <= 0) return;
    await this.settle();
    // Time begins with the first frame.
    if (this.#fresh) return;
    let left = frames;
    // A short first frame: animations that an input began start with it, and not at the end of a long one.
    for (let stride = 1; left > stride; stride = (await this.#isAnimating()) ? 1 : longestStride) {
      await this.#draw(stride);
      left -= stride;
      this.#animating = undefined;
      // It is answered while the caller goes on.
      this.#isAnimating().catch(() => undefined);
    }
    this.#owed = left;
  }

  /** Asks nothing of a document that never had an animation: Chromium tells of the first before the frame that begins it is done. */
  #isAnimating(): Promise<boolean> {
    if (this.#hasAnimations === false) return Promise.resolve(false);
    return (this.#animating ??= this.#askAnimating());
  }

  /** Tells whether an animation has begun, as a page may while it is asked. */
  #isAnimated(): boolean {
    return (this.#hasAnimations ??= false);
  }

  async #askAnimating(): Promise<boolean> {
    if (this.#hasAnimations === undefined && !(await this.valueNow<boolean>(hasAnimationsExpression))) {
      if (!this.#isAnimated()) return false;
    }
    return this.valueNow<boolean>(isAnimatingExpression);
  }

  /** Are there frames that `advance` left, or a new document's first? */
  get owing(): boolean {
    return this.#fresh || this.#owed > 0;
  }

  /** Draws what is owed. */
  async settle(): Promise<void> {
    if (this.owing) await this.#draw(await this.#last());
  }

  /** Returns the screen, encoded. Throws `infra`. */
  async picture(picture: Picture): Promise<Uint8Array> {
    if (this.#fresh && !(await this.isDrawn())) return blankPicture(this.size, picture);
    // Chromium may show a frame before it has drawn all that a wheel has brought into view; in the one after that it is there.
    if (this.wheeled) await this.#draw(await this.#last(), { composed: true });
    this.wheeled = false;
    const screenshot = { optimizeForSpeed: picture.format === 'png', ...picture };
    for (let attempt = 0; attempt < mostRedraws; attempt++) {
      const data = await this.#draw(await this.#last(), { composed: true, screenshot });
      if (data !== undefined) return Buffer.from(data, 'base64');
    }
    throw this.break(
      new GyreError('infra', 'the page draws no picture', {
        part: 'page',
        field: 'page',
        fix: 'lease another session',
      }),
    );
  }

  /** Draws until there is an answer, which now and then only a composed frame brings, as of a wheel. Game time stands still. */
  async until<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const state = { answered: false };
    const onAnswer = (): void => void (state.answered = true);
    // Heard here as well as below, so that a failure while drawing is not an unhandled one.
    answer.then(onAnswer, onAnswer);
    for (let redraw = 0; !state.answered; redraw++) {
      // Some of Chromium's waits are by the wall clock: it holds back the moves of a finger that scrolls.
      if (redraw >= mostRedraws) await pause(2);
      await this.#draw(0, { composed: this.seen || redraw % 3 === 2 });
    }
    return answer;
  }

  /** None: its client would wait for frames and timers that come by themselves, and its frames would not be the same twice. */
  scope(): CdpScope {
    throw new GyreError('bad_input', 'a page whose time stands still takes no CDP clients', {
      field: 'clock',
      fix: "lease it with clock: 'free'",
    });
  }

  protected override async prepare(size: Size): Promise<void> {
    await Promise.all([
      this.call('Performance.enable', { timeDomain: 'timeTicks' }),
      this.call('Runtime.addBinding', { name: toldBy }),
      this.call('Animation.enable'),
      super.prepare(size),
    ]);
  }

  protected scripts(): DocumentScripts {
    return {
      page: `${clockScript('seed', 'page')}\n${pickerScript()}\n${pointerLockScript()}`,
      isolated: `${firstFrameScript}\n${clockScript('seed ^ 0x5bd1e995', 'isolated')}\n${popupScript()}`,
    };
  }

  protected onDocument(): void {
    this.#fresh = true;
    this.#animating = undefined;
    if (this.#hasAnimations) void this.call('Animation.enable').catch(() => undefined);
    this.#hasAnimations = undefined;
  }

  protected override onAnimation(): void {
    if (this.#hasAnimations) return;
    this.#hasAnimations = true;
    this.#animating = undefined;
    // There may be any number of them.
    void this.call('Animation.disable').catch(() => undefined);
  }

  /** Frames that are owed, to be drawn as one; they no longer are. Where each of them has to be drawn, those before the last are. */
  async #last(): Promise<number> {
    while (this.#owed > 1 && (await this.#isAnimating())) {
      this.#owed -= 1;
      await this.#draw(1);
    }
    const owed = this.#owed;
    this.#owed = 0;
    return owed;
  }

  /** Draws one frame after `frames` of game time, or the same frame again; of a new document, its frame 0. */
  async #draw(frames: number, drawing: Drawing = { composed: this.seen }): Promise<string | undefined> {
    const fresh = this.#fresh;
    // What draws nothing yet would never answer.
    if (fresh && !(await this.isDrawn())) return undefined;
    let data = await this.#drawOnce(frames, drawing);
    // On a busy machine Chromium now and then draws a frame before the new document takes part in it. That frame shows
    // nothing and runs nothing; input and time that came next would be lost on the document.
    for (let attempt = 0; fresh && (await this.#missed()) && attempt < mostRedraws; attempt++) {
      this.#fresh = true;
      data = await this.#drawOnce(0, drawing);
    }
    return data;
  }

  /** Has the document run its scripts and yet not seen a frame? */
  async #missed(): Promise<boolean> {
    return (await this.valueNow(`globalThis.${firstFrameName}`)) === false;
  }

  async #drawOnce(frames: number, { composed, screenshot }: Drawing): Promise<string | undefined> {
    // A frame that waits for an answer lets no other page of the browser draw.
    await this.answered();
    return this.browser.exclusively(async () => {
      const fresh = this.#fresh;
      if (fresh) {
        await this.#begin();
      } else if (frames > 0) {
        this.#frame += frames;
        this.#redraws = 0;
      } else {
        this.#redraws += 1;
      }
      try {
        const given = {
          // Chromium cuts to whole microseconds; the fraction keeps a rounding error from costing one.
          frameTimeTicks: (this.#time() + 0.2) / 1_000,
          interval: tickMs,
          noDisplayUpdates: !composed && !fresh,
          ...(screenshot === undefined ? {} : { screenshot }),
        };
        this.#isDrawing = true;
        const { screenshotData } = await this.call('HeadlessExperimental.beginFrame', given, Drawn);
        return screenshotData;
      } catch (error) {
        throw this.asInfra(error);
      } finally {
        this.#isDrawing = false;
      }
    });
  }

  /** Compositor time of the last frame, in µs. */
  #time(): number {
    const whole = Math.min(this.#redraws, mostWholeRedraws);
    return this.#origin + this.#frame * tickMs * 1_000 + whole * timelineMicros + (this.#redraws - whole);
  }

  /** Sets the compositor's time for a new document. It must never go back. */
  async #begin(): Promise<void> {
    const { metrics } = await this.call('Performance.getMetrics', {}, Metrics);
    const navigationStart = Math.round(1e6 * (metrics.find(({ name }) => name === 'NavigationStart')?.value ?? 0));
    const earliest = Math.max(
      this.#time() + timelineMicros,
      Number(process.hrtime.bigint() / 1_000n) + aheadMs * 1_000,
    );
    this.#fresh = false;
    this.#frame = 0;
    this.#redraws = 0;
    this.#owed = 0;
    this.#origin = navigationStart + Math.ceil((earliest - navigationStart) / timelineMicros) * timelineMicros;
  }
}
