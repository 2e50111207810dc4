import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, type Size } from '@gyre/protocol';
import { z } from 'zod';
import type { Browser } from '../browser.js';
import type { CdpScope } from '../cdp/scope.js';
import { clockScript, tickMs, usesBinding } from '../clock/clock.js';
import type { TabIds } from '../pages.js';
import { firstFrameName, firstFrameScript } from '../page.js';
import { blankPicture } from './drawing.js';
import { pickerScript, pointerLockScript, popupScript } from './pageScripts.js';
import { type DocumentScripts, type Picture, Tab, type TabOptions } from './tab.js';

/** Game frames per drawn frame; the page runs them in order. */
const longestStride = 6;

const hasAnimationsExpression = 'document.getAnimations().length > 0';

/** Whether finite animations run: their events are ordered with timers only if every frame is drawn. */
const isAnimatingExpression = `document.getAnimations().some(({ playState, effect }) =>
  playState === 'running' && effect !== null && effect.getComputedTiming().endTime < Infinity)`;

/** Between frames Chromium advances its animation clock to the wall clock, unless compositor time is ahead. */
const aheadMs = 24 * 3_600_000;

/**
 * Chromium rounds the timeline to 100 µs since navigation, up or down by a per-process secret. Multiples need no
 * rounding.
 */
const timelineMicros = 100;

/** Later redraws advance by 1 µs, to stay within their frame. */
const maxWholeRedraws = 40;

/** More than any input or screenshot needs. */
const maxRedraws = 60;

const Drawn = z.object({ screenshotData: z.string().optional() });
const Metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

interface Drawing {
  /** If false, nothing is rasterized. A document's first frame always is. */
  readonly composed: boolean;
  readonly screenshot?: object;
}

/** A page whose time passes only by `advance`, with frames drawn on demand: same seed and actions, same pixels. */
export class SteppedTab extends Tab {
  /** Compositor time of game frame 0, in µs of CLOCK_MONOTONIC. */
  #origin = 0;
  #frame = 0;
  #redraws = 0;
  #fresh = true;
  #undrawnFrames = 0;
  #isDrawing = false;
  /** Undefined if unknown; stays true once there was an animation. */
  #hasAnimations: boolean | undefined;
  /** Whether every game frame must be drawn. */
  #animating: Promise<boolean> | undefined;
  readonly live = false;
  // A script navigates at once, or when time passes.
  protected readonly redirectMs = 0;

  static async create(browser: Browser, options: TabOptions): Promise<SteppedTab> {
    const tab = new SteppedTab(browser, await Tab.attach(browser, options.size, true), options);
    await tab.prepare(options.size);
    await tab.blank();
    // Until the first click, Chromium reports the mouse in the corner to each new document.
    const mouse = { x: 0, y: 0, button: 'left', clickCount: 1 };
    await tab.call('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse });
    await tab.call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse });
    await tab.input('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 });
    return tab;
  }

  adopt(ids: TabIds, nth: number, isLoading: boolean): Promise<Tab> {
    return new SteppedTab(this.browser, ids, this.options).prepareOpened(this, this.seedOf(nth), isLoading);
  }

  get isFrameHeld(): boolean {
    return this.#isDrawing;
  }

  /** Advances game time. The last frames are drawn with the next screenshot. */
  async advance(frames: number): Promise<void> {
    if (frames <= 0) return;
    await this.settle();
    // Time begins with the first frame.
    if (this.#fresh) return;
    let remaining = frames;
    // The first stride is short: animations triggered by input start with its frame.
    for (let stride = 1; remaining > stride; stride = (await this.#isAnimating()) ? 1 : longestStride) {
      await this.#draw(stride);
      remaining -= stride;
      this.#animating = undefined;
      this.#isAnimating().catch(() => undefined);
    }
    this.#undrawnFrames = remaining;
  }

  /** Asks only after a first animation, which Chromium reports before its frame ends. */
  #isAnimating(): Promise<boolean> {
    if (this.#hasAnimations === false) return Promise.resolve(false);
    return (this.#animating ??= this.#askAnimating());
  }

  /** Events set the field during an await. */
  #isAnimated(): boolean {
    return (this.#hasAnimations ??= false);
  }

  async #askAnimating(): Promise<boolean> {
    if (this.#hasAnimations === undefined && !(await this.valueNow<boolean>(hasAnimationsExpression))) {
      if (!this.#isAnimated()) return false;
    }
    return this.valueNow<boolean>(isAnimatingExpression);
  }

  get hasUndrawnFrames(): boolean {
    return this.#fresh || this.#undrawnFrames > 0;
  }

  async settle(): Promise<void> {
    if (this.hasUndrawnFrames) await this.#draw(await this.#takeUndrawn());
  }

  async picture(picture: Picture): Promise<Uint8Array> {
    if (this.#fresh && !(await this.isDrawn())) return blankPicture(this.size, picture);
    // After a wheel turn, new content may be rasterized only in the second frame.
    if (this.wheeled) await this.#draw(await this.#takeUndrawn(), { composed: true });
    this.wheeled = false;
    const screenshot = { optimizeForSpeed: picture.format === 'png', ...picture };
    for (let attempt = 0; attempt < maxRedraws; attempt++) {
      const data = await this.#draw(await this.#takeUndrawn(), { composed: true, screenshot });
      if (data !== undefined) return Buffer.from(data, 'base64');
    }
    throw this.break(
      new GyreError('infra', 'the page did not render a frame', {
        part: 'page',
        field: 'page',
        fix: 'lease another session',
      }),
    );
  }

  /** Redraws without advancing time until there is an answer; some (wheel) need a composited frame. */
  async until<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const state = { answered: false };
    const onAnswer = (): void => void (state.answered = true);
    answer.then(onAnswer, onAnswer);
    for (let redraw = 0; !state.answered; redraw++) {
      // Chromium throttles touch moves by the wall clock.
      if (redraw >= maxRedraws) await pause(2);
      await this.#draw(0, { composed: this.seen || redraw % 3 === 2 });
    }
    return answer;
  }

  /** Throws `bad_input`: clients would hang and make frames irreproducible. */
  scope(): CdpScope {
    throw new GyreError('bad_input', "a page with clock: 'stepped' does not accept CDP clients", {
      field: 'clock',
      fix: "lease it with clock: 'free'",
    });
  }

  protected override async prepare(size: Size): Promise<void> {
    await Promise.all([
      this.call('Performance.enable', { timeDomain: 'timeTicks' }),
      this.call('Runtime.addBinding', { name: usesBinding }),
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
    // A page can create any number.
    void this.call('Animation.disable').catch(() => undefined);
  }

  /** Takes the undrawn frames, to be drawn as one. Draws all but the last if each must be drawn. */
  async #takeUndrawn(): Promise<number> {
    while (this.#undrawnFrames > 1 && (await this.#isAnimating())) {
      this.#undrawnFrames -= 1;
      await this.#draw(1);
    }
    const owed = this.#undrawnFrames;
    this.#undrawnFrames = 0;
    return owed;
  }

  /** Draws a frame `frames` later, or redraws the current one. A new document starts with its frame 0. */
  async #draw(frames: number, drawing: Drawing = { composed: this.seen }): Promise<string | undefined> {
    const fresh = this.#fresh;
    // Otherwise beginFrame would never answer.
    if (fresh && !(await this.isDrawn())) return undefined;
    let data = await this.#drawOnce(frames, drawing);
    // Under load Chromium may draw a frame without the new document, which would lose the input and time that follow.
    for (let attempt = 0; fresh && (await this.#missedFirstFrame()) && attempt < maxRedraws; attempt++) {
      this.#fresh = true;
      data = await this.#drawOnce(0, drawing);
    }
    return data;
  }

  async #missedFirstFrame(): Promise<boolean> {
    return (await this.valueNow(`globalThis.${firstFrameName}`)) === false;
  }

  async #drawOnce(frames: number, { composed, screenshot }: Drawing): Promise<string | undefined> {
    // A blocked frame would stop the browser's other pages.
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
        const frame = {
          // Chromium truncates to µs; the fraction absorbs rounding errors.
          frameTimeTicks: (this.#time() + 0.2) / 1_000,
          interval: tickMs,
          noDisplayUpdates: !composed && !fresh,
          ...(screenshot === undefined ? {} : { screenshot }),
        };
        this.#isDrawing = true;
        const { screenshotData } = await this.call('HeadlessExperimental.beginFrame', frame, Drawn);
        return screenshotData;
      } catch (error) {
        throw this.asInfra(error);
      } finally {
        this.#isDrawing = false;
      }
    });
  }

  #time(): number {
    const whole = Math.min(this.#redraws, maxWholeRedraws);
    return this.#origin + this.#frame * tickMs * 1_000 + whole * timelineMicros + (this.#redraws - whole);
  }

  /** Sets a new document's compositor time, which must never decrease. */
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
    this.#undrawnFrames = 0;
    this.#origin = navigationStart + Math.ceil((earliest - navigationStart) / timelineMicros) * timelineMicros;
  }
}
