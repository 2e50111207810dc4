import { performance } from 'node:perf_hooks';
import { GyreError, type Size } from '@gyre/protocol';
import type { Browser } from './browser.js';
import { clockScript, tickMs } from './clock.js';
import { CommandRefused } from './connection.js';
import {
  documentResponse,
  documentUrl,
  failureName,
  firstFrameName,
  firstFrameScript,
  parsedScript,
  type PageSource,
} from './page.js';
import { scrollScript } from './scroll.js';

const world = 'gyre';

/** How a picture is encoded; `quality` (0..100) is for JPEG. */
export interface Picture {
  readonly format: 'png' | 'jpeg';
  readonly quality?: number;
}

/** The most game frames that one drawn frame may carry on: what a page does in between, it does in order and unseen. */
const longestStride = 6;

/**
 * How far the compositor's time is ahead of the wall clock, in ms. Outside of frames Chromium moves its animation clock up
 * to the wall clock; ahead of that it stays where the last frame left it.
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

/**
 * One page of a browser, with its own storage and its own game time. Time passes only when `advance` or `picture` says so.
 * Whatever fails here but a bad expression breaks the tab for good: `onBroken` hears of it once.
 */
export class Tab {
  readonly browser: Browser;
  readonly #target: string;
  readonly #context: string;
  readonly #id: string;
  readonly #timeoutMs: number;
  #size: Size = { width: 0, height: 0 };
  #failure: GyreError | undefined;
  onBroken: (reason: GyreError) => void = () => {};
  /** Hears that the page began a native drag: the data to drop. */
  onDrag: (data: unknown) => void = () => {};

  /** Compositor time of game frame 0, in µs of CLOCK_MONOTONIC. */
  #origin = 0;
  #frame = 0;
  /** How often the frame was drawn again. */
  #redraws = 0;
  /** The document is new: its frame 0 was not drawn yet. */
  #fresh = true;
  /** Game frames that have passed for the caller and are not drawn yet. */
  #owed = 0;

  /** The document that `documentUrl` stands for. */
  #html = '';
  #scripts: string[] = [];
  #world: number | undefined;
  #mainFrame: string;
  #loader = '';
  #loaded = '';
  #navigating = false;
  #onLoad: (() => void)[] = [];

  private constructor(
    browser: Browser,
    ids: { target: string; context: string; session: string },
    options: { timeoutMs: number },
  ) {
    this.browser = browser;
    this.#target = ids.target;
    this.#context = ids.context;
    this.#id = ids.session;
    // The main frame of a page is named as its target.
    this.#mainFrame = ids.target;
    this.#timeoutMs = options.timeoutMs;
    browser.connection.listen(this.#id, (method, params) => this.#hear(method, params));
    void browser.ended.then(() =>
      this.#break(new GyreError('infra', 'the browser has ended', { fix: 'lease another session' })),
    );
  }

  /** Opens an empty page. Throws `infra`. */
  static async create(browser: Browser, options: { size: Size; timeoutMs: number }): Promise<Tab> {
    const { connection } = browser;
    const { browserContextId } = await connection.send<{ browserContextId: string }>('Target.createBrowserContext');
    const { targetId } = await connection.send<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
      ...options.size,
      browserContextId,
      enableBeginFrameControl: true,
    });
    const { sessionId } = await connection.send<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    const ids = { target: targetId, context: browserContextId, session: sessionId };
    const tab = new Tab(browser, ids, options);
    await Promise.all([
      tab.call('Page.enable'),
      tab.call('Performance.enable', { timeDomain: 'timeTicks' }),
      // Without it a document that has no script of its own gets no world, and so none of ours.
      tab.call('Runtime.enable'),
      tab.call('Emulation.setFocusEmulationEnabled', { enabled: true }),
      tab.call('Input.setInterceptDrags', { enabled: true }),
      tab.call('Fetch.enable', { patterns: [{ urlPattern: documentUrl, requestStage: 'Request' }] }),
      tab.resize(options.size),
    ]);
    await tab.blank();
    // A tab that was never clicked believes that its mouse is in the corner, and shows it to each new document.
    const mouse = { x: 0, y: 0, button: 'left', clickCount: 1 };
    await tab.call('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse });
    await tab.call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse });
    await tab.input('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y: -1 });
    return tab;
  }

  get size(): Size {
    return this.#size;
  }

  /** Sets the screen's size in px; one CSS pixel is one pixel. */
  async resize(size: Size): Promise<void> {
    this.#size = size;
    await this.call('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
  }

  /** Sends a command to this page. Throws `infra` (and breaks the tab) where the page does not answer in time. */
  async call<Result>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const timer = setTimeout(() => this.#break(this.#timedOut(method)), this.#timeoutMs);
    try {
      return await this.browser.connection.send<Result>(method, params, this.#id);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Shows a fresh document: game time 0, seeded randomness, nothing to go back to. Throws `infra` where it does not load in
   * time and `bad_input` where its script throws.
   */
  async open(page: PageSource): Promise<void> {
    this.#html = page.html;
    const old = this.#scripts.map((identifier) =>
      this.call('Page.removeScriptToEvaluateOnNewDocument', { identifier }),
    );
    const isolated = `${firstFrameScript}\n${clockScript(page.seed ^ 0x5bd1e995)}\n${scrollScript}\n${parsedScript(page)}`;
    const added = [
      this.#addScript({ source: clockScript(page.seed) }),
      this.#addScript({ source: isolated, worldName: world }),
    ];
    // All are waited for together: where none is answered, each of them fails.
    [this.#scripts] = await Promise.all([Promise.all(added), ...old]);
    await this.#load(documentUrl);
    const [failure] = await Promise.all([
      this.evaluate<string | undefined>(`globalThis.${failureName}`),
      this.call('Page.resetNavigationHistory'),
    ]);
    if (failure !== undefined) {
      throw new GyreError('bad_input', `the page's script threw ${failure}`, {
        field: 'script',
        fix: 'mend the script of the page source',
      });
    }
  }

  /** Shows nothing. */
  async blank(): Promise<void> {
    await this.open({ html: '<!doctype html><title>gyre</title>', seed: 0 });
  }

  /** Loads a URL as a person would by typing it. A host that does not answer shows the browser's error page. */
  async navigate(url: string): Promise<void> {
    await this.#load(url);
  }

  /** Goes to the document before; does nothing where there is none. */
  async back(): Promise<void> {
    const { currentIndex, entries } = await this.call<{ currentIndex: number; entries: { id: number }[] }>(
      'Page.getNavigationHistory',
    );
    const entry = entries[currentIndex - 1];
    if (entry === undefined) return;
    const arrived = this.#nextArrival('the page before');
    await this.call('Page.navigateToHistoryEntry', { entryId: entry.id });
    await arrived;
  }

  /** Waits until the document that the page itself asked for is there. */
  async arrive(): Promise<void> {
    if (this.#navigating) await this.#nextArrival('the next page');
  }

  /** Moves game time by frames. The last of them are drawn later, together with the next picture. */
  async advance(frames: number): Promise<void> {
    if (frames <= 0) return;
    await this.settle();
    let left = frames;
    // A short first frame: animations that an input began start with it, and not at the end of a long one.
    for (let stride = 1; left > stride; left -= stride, stride = longestStride) await this.#draw(stride);
    this.#owed = left;
  }

  /** Are there frames that `advance` left, or a new document's first? */
  get owing(): boolean {
    return this.#fresh || this.#owed > 0;
  }

  /** Draws what is owed. */
  async settle(): Promise<void> {
    if (this.owing) await this.#draw(this.#take());
  }

  /** What the screen shows now, encoded. Throws `infra`. */
  async picture(picture: Picture): Promise<Uint8Array> {
    const screenshot = { optimizeForSpeed: picture.format === 'png', ...picture };
    for (let attempt = 0; attempt < mostRedraws; attempt++) {
      const data = await this.#draw(this.#take(), screenshot);
      if (data !== undefined) return Buffer.from(data, 'base64');
    }
    throw this.#break(new GyreError('infra', 'the page draws no picture', { fix: 'lease another session' }));
  }

  /** Sends an input that the page handles when a frame is drawn, and draws until it is handled. Game time stands still. */
  async input(method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    await this.settle();
    let handled = false;
    const sent = this.call(method, params).then(() => (handled = true));
    // Heard here as well as below, so that a failure while drawing is not an unhandled one.
    sent.catch(() => (handled = true));
    for (let redraw = 0; !handled && redraw < mostRedraws; redraw++) await this.#draw(0);
    await sent;
  }

  /** Value of an expression in the isolated world, as JSON carries it. Throws `bad_input` with what the expression threw. */
  async evaluate<Value>(expression: string): Promise<Value> {
    await this.settle();
    return this.#value<Value>(expression);
  }

  async #value<Value>(expression: string): Promise<Value> {
    for (let attempt = 0; ; attempt++) {
      this.#world ??= await this.#createWorld();
      try {
        const reply = await this.call<{
          result: { value?: Value };
          exceptionDetails?: { text: string; exception?: { description?: string } };
        }>('Runtime.evaluate', {
          expression,
          contextId: this.#world,
          returnByValue: true,
          awaitPromise: true,
        });
        const thrown = reply.exceptionDetails;
        if (thrown === undefined) return reply.result.value as Value;
        throw new GyreError('bad_input', `the expression threw ${thrown.exception?.description ?? thrown.text}`, {
          field: 'expression',
          fix: 'mend the expression; it runs in the isolated world',
        });
      } catch (error) {
        // The document was replaced in between: its world is gone with it.
        if (!(error instanceof CommandRefused) || attempt > 0) throw this.#asInfra(error);
        this.#world = undefined;
      }
    }
  }

  /** Closes the page and everything that it started. */
  async close(): Promise<void> {
    const { connection } = this.browser;
    this.#failure ??= new GyreError('infra', 'the page was closed', { fix: 'lease another session' });
    connection.drop(this.#id, this.#failure);
    if (!this.browser.running) return;
    try {
      await connection.send('Target.closeTarget', { targetId: this.#target });
      await connection.send('Target.disposeBrowserContext', { browserContextId: this.#context });
    } catch (error) {
      if (!(error instanceof CommandRefused) && this.browser.running) throw error;
    }
  }

  async #addScript(script: { source: string; worldName?: string }): Promise<string> {
    return (await this.call<{ identifier: string }>('Page.addScriptToEvaluateOnNewDocument', script)).identifier;
  }

  async #createWorld(): Promise<number> {
    const { executionContextId } = await this.call<{ executionContextId: number }>('Page.createIsolatedWorld', {
      frameId: this.#mainFrame,
      worldName: world,
    });
    return executionContextId;
  }

  async #load(url: string): Promise<void> {
    const { loaderId } = await this.call<{ loaderId?: string }>('Page.navigate', { url });
    // No loader: the same document, another fragment.
    if (loaderId === undefined) return;
    const deadline = performance.now() + this.#timeoutMs;
    while (this.#loaded !== loaderId) await this.#nextArrival('the page', deadline - performance.now());
  }

  /** Resolves at the next end of loading or change of fragment. Throws `infra` after `ms`. */
  async #nextArrival(what: string, ms = this.#timeoutMs): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onLoad.push(resolve);
      timer = setTimeout(() => this.#break(this.#timedOut(`loading ${what}`)), Math.max(0, ms));
    });
    clearTimeout(timer);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Frames that are owed; they no longer are. */
  #take(): number {
    const owed = this.#owed;
    this.#owed = 0;
    return owed;
  }

  /** Draws one frame after `frames` of game time, or the same frame again; of a new document, its frame 0. */
  async #draw(frames: number, screenshot?: object): Promise<string | undefined> {
    const fresh = this.#fresh;
    let data = await this.#drawOnce(frames, screenshot);
    // On a busy machine Chromium now and then draws a frame before the new document takes part in it. That frame shows
    // nothing and runs nothing; input and time that came next would be lost on the document.
    for (let attempt = 0; fresh && (await this.#missed()) && attempt < mostRedraws; attempt++) {
      this.#fresh = true;
      data = await this.#drawOnce(0, screenshot);
    }
    return data;
  }

  /** Has the document run its scripts and yet not seen a frame? */
  async #missed(): Promise<boolean> {
    return (await this.#value(`globalThis.${firstFrameName}`)) === false;
  }

  async #drawOnce(frames: number, screenshot?: object): Promise<string | undefined> {
    return this.browser.exclusively(async () => {
      if (this.#fresh) {
        await this.#begin();
      } else if (frames > 0) {
        this.#frame += frames;
        this.#redraws = 0;
      } else {
        this.#redraws += 1;
      }
      try {
        const { screenshotData } = await this.call<{ screenshotData?: string }>('HeadlessExperimental.beginFrame', {
          // Chromium cuts to whole microseconds; the fraction keeps a rounding error from costing one.
          frameTimeTicks: (this.#time() + 0.2) / 1_000,
          interval: tickMs,
          ...(screenshot === undefined ? {} : { screenshot }),
        });
        return screenshotData;
      } catch (error) {
        throw this.#asInfra(error);
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
    const { metrics } = await this.call<{ metrics: { name: string; value: number }[] }>('Performance.getMetrics');
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

  #hear(method: string, params: Readonly<Record<string, unknown>>): void {
    switch (method) {
      case 'Page.frameNavigated': {
        const { frame } = params as { frame: { id: string; loaderId: string; parentId?: string } };
        if (frame.parentId !== undefined) return;
        this.#mainFrame = frame.id;
        this.#loader = frame.loaderId;
        this.#world = undefined;
        this.#fresh = true;
        return;
      }
      case 'Page.loadEventFired':
        this.#loaded = this.#loader;
        return this.#arrived();
      case 'Page.navigatedWithinDocument':
        return this.#arrived();
      case 'Page.frameRequestedNavigation':
        if (params['frameId'] === this.#mainFrame && params['disposition'] === 'currentTab') this.#navigating = true;
        return;
      case 'Page.frameStoppedLoading':
        if (params['frameId'] === this.#mainFrame) this.#arrived();
        return;
      case 'Page.javascriptDialogOpening':
        void this.call('Page.handleJavaScriptDialog', { accept: params['type'] === 'beforeunload' }).catch(() => {});
        return;
      case 'Fetch.requestPaused':
        // A navigation that was overtaken by the next one is no longer there to answer.
        void this.call('Fetch.fulfillRequest', {
          requestId: params['requestId'],
          ...documentResponse(this.#html),
        }).catch(() => {});
        return;
      case 'Input.dragIntercepted':
        return this.onDrag(params['data']);
      case 'Inspector.targetCrashed':
        this.#break(new GyreError('infra', 'the page crashed', { fix: 'lease another session' }));
        return;
      case 'Inspector.detached':
        this.#break(new GyreError('infra', 'the page is gone', { fix: 'lease another session' }));
    }
  }

  #arrived(): void {
    this.#navigating = false;
    const waiting = this.#onLoad;
    this.#onLoad = [];
    for (const resolve of waiting) resolve();
  }

  #timedOut(what: string): GyreError {
    return new GyreError('infra', `the page did not answer ${what} within ${this.#timeoutMs} ms`, {
      fix: 'look for a script that never ends, or raise timeoutMs',
    });
  }

  #asInfra(error: unknown): unknown {
    if (!(error instanceof CommandRefused)) return error;
    return this.#break(new GyreError('infra', error.message, { fix: 'lease another session', cause: error }));
  }

  #break(reason: GyreError): GyreError {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = reason;
    this.browser.connection.drop(this.#id, reason);
    this.#arrived();
    this.onBroken(reason);
    return reason;
  }
}
