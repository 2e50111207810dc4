import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { GyreError, type Size } from '@gyre/protocol';
import type { Browser } from './browser.js';
import type { CdpScope } from './cdp/scope.js';
import { toldBy, uncontrolledUses } from './clock.js';
import { CommandRefused } from './connection.js';
import { consoleText, exceptionText } from './consoleText.js';
import { meeting } from './meeting.js';
import { hearPageEvent, type PageEventHandlers } from './pageEvent.js';
import { documentResponse, documentUrl, failureName, parsedScript, type PageSource } from './page.js';
import { scrollScript } from './scroll.js';

const world = 'gyre';

/** Bytes of an event of the page: the largest tell what it wrote to its console. */
const mostEventBytes = 16 * 2 ** 20;

const NewContext = z.object({ browserContextId: z.string() });
const NewTarget = z.object({ targetId: z.string() });
const NewSession = z.object({ sessionId: z.string() });
const Navigation = z.object({ loaderId: z.string().optional(), errorText: z.string().optional() });
const History = z.object({ currentIndex: z.int(), entries: z.array(z.object({ id: z.int() })) });
const World = z.object({ executionContextId: z.int() });
const Identified = z.object({ identifier: z.string() });
const Evaluated = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z
    .object({ text: z.string(), exception: z.object({ description: z.string().optional() }).optional() })
    .optional(),
});

/** How a picture is encoded; `quality` (0..100) is for JPEG. */
export interface Picture {
  readonly format: 'png' | 'jpeg';
  readonly quality?: number;
}

/** Scripts that run in every new document before those of its own, in the page's world or in the isolated one. `seed` is in scope. */
export interface DocumentScripts {
  readonly page: string;
  readonly isolated: string;
}

/** A script that runs in new documents: in the page's world, where it names none. */
interface DocumentScript {
  readonly source: string;
  readonly worldName?: string;
}

/** What a page of the browser is known by. */
export interface TabIds {
  readonly target: string;
  readonly context: string;
  readonly session: string;
}

/**
 * One page of a browser, with its own storage. How time passes and how pictures are made is its kind's. Whatever fails here but a bad
 * expression breaks the tab for good: `onBroken` hears of it once.
 */
export abstract class Tab {
  readonly browser: Browser;
  readonly #target: string;
  readonly #context: string;
  readonly #id: string;
  readonly #timeoutMs: number;
  #size: Size = { width: 0, height: 0 };
  #failure: GyreError | undefined;
  /** Whether the screen is touched, and has no mouse. */
  touch = false;
  /** Whether anyone looks. Where nobody does, what is drawn as time passes need not reach the screen; a picture shows it all the same. */
  seen = true;
  /** What its documents have used that keeps the browser's own time or randomness, on a stepped clock. */
  readonly uncontrolled = new Set<string>();
  onBroken: (reason: GyreError) => void = () => {};
  /** Hears that the page began a native drag: the data to drop. */
  onDrag: (data: unknown) => void = () => {};
  /** Hears what the page writes to its console, and what it throws and nobody catches. */
  onConsole: ((text: string) => void) | undefined;

  /** The document that `documentUrl` stands for. */
  #html = '';
  #scripts: (DocumentScript & { readonly identifier: string })[] = [];
  #world: number | undefined;
  #mainFrame: string;
  #loader = '';
  #loaded = '';
  #navigating = false;
  /** Clients that answer the page's dialogs themselves. */
  #dialogsLeft = 0;
  #onLoad: (() => void)[] = [];

  protected constructor(browser: Browser, ids: TabIds, options: { timeoutMs: number }) {
    this.browser = browser;
    this.#target = ids.target;
    this.#context = ids.context;
    this.#id = ids.session;
    // The main frame of a page is named as its target.
    this.#mainFrame = ids.target;
    this.#timeoutMs = options.timeoutMs;
    const handlers = this.#handlers();
    browser.connection.listen(this.#id, {
      hear: (method, params) => hearPageEvent(handlers, method, params),
      fail: (reason) => this.break(reason),
      mostEventBytes,
    });
    void browser.ended.then((reason) => this.break(reason));
  }

  /** Opens an empty page, whose frames are drawn on demand or as time passes. */
  protected static async attach(browser: Browser, size: Size, framesOnDemand: boolean): Promise<TabIds> {
    const { connection } = browser;
    const { browserContextId } = await connection.send('Target.createBrowserContext', {}, undefined, NewContext);
    await connection.send('Browser.setDownloadBehavior', browser.downloading(browserContextId));
    const page = { url: 'about:blank', ...size, browserContextId, enableBeginFrameControl: framesOnDemand };
    const { targetId } = await connection.send('Target.createTarget', page, undefined, NewTarget);
    const attachment = { targetId, flatten: true };
    const { sessionId } = await connection.send('Target.attachToTarget', attachment, undefined, NewSession);
    return { target: targetId, context: browserContextId, session: sessionId };
  }

  /** Moves time by frames of 1/60 s. Some may be drawn later. */
  abstract advance(frames: number): Promise<void>;
  /** Draws what is still to be drawn. */
  abstract settle(): Promise<void>;
  /** Are there frames that `advance` left, or a new document's first? */
  abstract get owing(): boolean;
  /** Does what it shows change by itself, between calls? */
  abstract readonly live: boolean;
  /** What the screen shows now, encoded. Throws `infra`. */
  abstract picture(picture: Picture): Promise<Uint8Array>;
  /** Waits for what the page answers only when frames are drawn. */
  abstract until<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** What runs in a document before anything else. */
  protected abstract scripts(): DocumentScripts;
  /** Hears that a new document is there. */
  protected abstract onDocument(): void;

  /** Sends an input that the page handles when a frame is drawn, and waits until it is handled. */
  async input(method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    await this.settle();
    await this.until(this.call(method, params));
  }

  /** What a CDP client of this page may see. Throws `bad_input` where the page cannot have one. */
  abstract scope(): CdpScope;

  /** The page and its storage, for a CDP client; what such a client has overridden is set again when it has left. */
  protected whole(): CdpScope {
    const { browser } = this;
    return {
      browser,
      context: this.#context,
      target: this.#target,
      leaveDialogs: () => {
        this.#dialogsLeft++;
        return () => {
          // One may be open that nobody else would close.
          if (--this.#dialogsLeft === 0) void this.#dismiss(false);
        };
      },
      restore: async () => {
        await browser.connection.send('Browser.setDownloadBehavior', browser.downloading(this.#context));
        await this.prepare(this.#size);
      },
    };
  }

  /** What every kind of tab is told first. */
  protected async prepare(size: Size): Promise<void> {
    await Promise.all([
      this.call('Page.enable'),
      // Without it a document that has no script of its own gets no world, and so none of ours.
      this.call('Runtime.enable'),
      this.call('Emulation.setFocusEmulationEnabled', { enabled: true }),
      this.call('Input.setInterceptDrags', { enabled: true }),
      this.call('Fetch.enable', { patterns: [{ urlPattern: documentUrl, requestStage: 'Request' }] }),
      this.resize(size, this.touch),
    ]);
  }

  get size(): Size {
    return this.#size;
  }

  /** Sets the screen's size in px, one CSS pixel being one pixel, and whether it is that of a phone: one that is touched. */
  async resize(size: Size, touch = false): Promise<void> {
    this.#size = size;
    await Promise.all([
      this.call('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: touch }),
      this.call('Emulation.setTouchEmulationEnabled', { enabled: touch, maxTouchPoints: 5 }),
    ]);
    this.touch = touch;
  }

  /**
   * Sends a command to this page. Throws `infra` (and breaks the tab) where the page does not answer in time, or with a result that is
   * not of the shape.
   */
  async call<Result = unknown>(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    shape?: z.ZodType<Result>,
  ): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const timer = setTimeout(() => this.break(this.#timedOut(method)), this.#timeoutMs);
    try {
      return await this.browser.connection.send(method, params, this.#id, shape);
    } catch (error) {
      throw error instanceof GyreError ? this.break(error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Shows a fresh document with nothing to go back to. Throws `infra` where it does not load in time and `bad_input` where its
   * script throws.
   */
  async open(page: PageSource): Promise<void> {
    this.#html = page.html;
    const { seed, argument } = page;
    const scripts = this.scripts();
    const inIsolated = `${scripts.isolated}\n${scrollScript}\n${parsedScript(page)}`;
    await this.#setScripts([
      ...meeting(`({ seed }) => {\n${scripts.page}\n}`, { seed }).map((source) => ({ source })),
      ...meeting(`({ seed, argument }) => {\n${inIsolated}\n}`, { seed, argument }).map((source) => ({
        source,
        worldName: world,
      })),
    ]);
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
    const { currentIndex, entries } = await this.call('Page.getNavigationHistory', {}, History);
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

  /** Value of an expression in the isolated world, as JSON carries it. Throws `bad_input` with what the expression threw. */
  async evaluate<Value>(expression: string): Promise<Value> {
    await this.settle();
    return this.valueNow<Value>(expression);
  }

  /** The same, whatever is still to be drawn. */
  protected async valueNow<Value>(expression: string): Promise<Value> {
    for (let attempt = 0; ; attempt++) {
      this.#world ??= await this.#createWorld();
      try {
        const given = { expression, contextId: this.#world, returnByValue: true, awaitPromise: true };
        const reply = await this.call('Runtime.evaluate', given, Evaluated);
        const thrown = reply.exceptionDetails;
        if (thrown === undefined) return reply.result.value as Value;
        throw new GyreError('bad_input', `the expression threw ${thrown.exception?.description ?? thrown.text}`, {
          field: 'expression',
          fix: 'mend the expression; it runs in the isolated world',
        });
      } catch (error) {
        // The document was replaced in between: its world is gone with it.
        if (!(error instanceof CommandRefused) || attempt > 0) throw this.asInfra(error);
        this.#world = undefined;
      }
    }
  }

  /** Closes the page and everything that it started. */
  async close(): Promise<void> {
    const { connection } = this.browser;
    this.#failure ??= new GyreError('infra', 'the page was closed', { part: 'page', fix: 'lease another session' });
    connection.drop(this.#id, this.#failure);
    if (!this.browser.running) return;
    try {
      await connection.send('Target.closeTarget', { targetId: this.#target });
      await connection.send('Target.disposeBrowserContext', { browserContextId: this.#context });
    } catch (error) {
      if (!(error instanceof CommandRefused) && this.browser.running) throw error;
    }
  }

  /** Sets what runs in new documents, in whatever order. What was there before stays, so that long scripts are seldom sent. */
  async #setScripts(scripts: readonly DocumentScript[]): Promise<void> {
    const isIn = (list: readonly DocumentScript[], { source, worldName }: DocumentScript) =>
      list.some((other) => other.source === source && other.worldName === worldName);
    const stay = this.#scripts.filter((script) => isIn(scripts, script));
    const old = this.#scripts
      .filter((script) => !isIn(scripts, script))
      .map(({ identifier }) => this.call('Page.removeScriptToEvaluateOnNewDocument', { identifier }));
    const added = scripts
      .filter((script) => !isIn(stay, script))
      .map(async (script) => ({
        ...script,
        ...(await this.call('Page.addScriptToEvaluateOnNewDocument', { ...script }, Identified)),
      }));
    // All are waited for together: where none is answered, each of them fails.
    const [fresh] = await Promise.all([Promise.all(added), ...old]);
    this.#scripts = [...stay, ...fresh];
  }

  async #createWorld(): Promise<number> {
    const frame = { frameId: this.#mainFrame, worldName: world };
    const { executionContextId } = await this.call('Page.createIsolatedWorld', frame, World);
    return executionContextId;
  }

  async #load(url: string): Promise<void> {
    const { loaderId, errorText } = await this.call('Page.navigate', { url }, Navigation);
    // Chromium's name for a download, and for an answer that has no page.
    if (errorText === 'net::ERR_ABORTED') {
      throw new GyreError('bad_input', `${errorText}: a download or an answer without a page; the page before stays`, {
        field: 'url',
        fix: 'navigate to a page',
      });
    }
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
      timer = setTimeout(() => this.break(this.#timedOut(`loading ${what}`)), Math.max(0, ms));
    });
    clearTimeout(timer);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #handlers(): PageEventHandlers {
    const gone = (what: string) => () => {
      this.break(new GyreError('infra', what, { part: 'page', field: 'page', fix: 'lease another session' }));
    };
    return {
      'Page.frameNavigated': ({ frame }) => {
        if (frame.parentId !== undefined) return;
        this.#mainFrame = frame.id;
        this.#loader = frame.loaderId;
        this.#world = undefined;
        this.onDocument();
      },
      'Page.loadEventFired': () => {
        this.#loaded = this.#loader;
        this.#arrived();
      },
      'Page.navigatedWithinDocument': () => this.#arrived(),
      'Page.frameRequestedNavigation': ({ frameId, disposition }) => {
        if (frameId === this.#mainFrame && disposition === 'currentTab') this.#navigating = true;
      },
      'Page.frameStoppedLoading': ({ frameId }) => {
        if (frameId === this.#mainFrame) this.#arrived();
      },
      'Page.javascriptDialogOpening': ({ type }) => {
        if (this.#dialogsLeft === 0) void this.#dismiss(type === 'beforeunload');
      },
      'Fetch.requestPaused': ({ requestId }) => {
        // A navigation that was overtaken by the next one is no longer there to answer.
        void this.call('Fetch.fulfillRequest', { requestId, ...documentResponse(this.#html) }).catch(() => {});
      },
      'Runtime.consoleAPICalled': (params) => this.onConsole?.(consoleText(params)),
      'Runtime.exceptionThrown': (params) => this.onConsole?.(exceptionText(params)),
      'Runtime.bindingCalled': ({ name, payload }) => {
        if (name === toldBy && (uncontrolledUses as readonly string[]).includes(payload))
          this.uncontrolled.add(payload);
      },
      'Input.dragIntercepted': ({ data }) => this.onDrag(data),
      'Inspector.targetCrashed': gone('the page crashed'),
      'Inspector.detached': gone('the page is gone'),
    };
  }

  /** Answers the dialog that is open, if one is. */
  async #dismiss(accept: boolean): Promise<void> {
    await this.call('Page.handleJavaScriptDialog', { accept }).catch(() => undefined);
  }

  #arrived(): void {
    this.#navigating = false;
    const waiting = this.#onLoad;
    this.#onLoad = [];
    for (const resolve of waiting) resolve();
  }

  #timedOut(what: string): GyreError {
    return new GyreError('infra', `the page did not answer ${what} within ${this.#timeoutMs} ms`, {
      part: 'page',
      field: 'page',
      fix: 'look for a script that never ends, or raise timeoutMs',
    });
  }

  /** What a command that was refused means: the tab is of no more use. */
  protected asInfra(error: unknown): unknown {
    if (!(error instanceof CommandRefused)) return error;
    return this.break(
      new GyreError('infra', error.message, { part: 'page', fix: 'lease another session', cause: error }),
    );
  }

  protected break(reason: GyreError): GyreError {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = reason;
    this.browser.connection.drop(this.#id, reason);
    this.#arrived();
    this.onBroken(reason);
    return reason;
  }
}
