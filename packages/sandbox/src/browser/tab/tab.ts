import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { GyreError, type Size } from '@gyre/protocol';
import type { Browser } from '../browser.js';
import type { CdpScope } from '../cdp/scope.js';
import { toldBy, uncontrolledUses } from '../clock/clock.js';
import { CommandRefused } from '../connection.js';
import { consoleText, exceptionText } from '../consoleText.js';
import { isDrawnExpression } from './drawing.js';
import { failurePage, type LoadFailure, failureText, told } from './loadFailure.js';
import { Loading } from './loading.js';
import { meeting } from './meeting.js';
import { hearPageEvent, type PageEventHandlers } from '../pageEvent.js';
import type { TabIds } from '../pages.js';
import type { CommandName } from '../cdp/protocol.js';
import { documentResponse, documentUrl, failureName, parsedScript, type PageSource } from '../page.js';
import { type Asked, type Answer, isBlocking, type Question, type WantedFiles, wayOut } from '../window/question.js';

const world = 'gyre';

/** Bytes of an event; the largest are of the console. */
const mostEventBytes = 16 * 2 ** 20;

const NewContext = z.object({ browserContextId: z.string() });
const Navigation = z.object({
  loaderId: z.string().optional(),
  errorText: z.string().optional(),
  isDownload: z.boolean().optional(),
});
const History = z.object({ currentIndex: z.int(), entries: z.array(z.object({ id: z.int() })) });
const World = z.object({ executionContextId: z.int() });
const Described = z.object({ node: z.object({ attributes: z.array(z.string()).optional() }) });
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

/** A script of new documents; by default in the page's world. */
interface DocumentScript {
  readonly source: string;
  readonly worldName?: string;
}

/** The state of the page that a session shows. */
export interface PageState {
  /** Its address, even where it did not load. */
  readonly url: string;
  /** Whether it is still loading. */
  readonly loading: boolean;
  /** Why it is not there: `net::ERR_...`, or what gyre refused. */
  readonly failed?: string | undefined;
  /** Addresses of several tabs, and which is shown, counted from 1. */
  readonly tabs?: { readonly urls: string[]; readonly shown: number };
  /** The question of a dialog on the screen, until it is answered. */
  readonly asks?: Question['kind'] | undefined;
}

export interface TabOptions {
  readonly size: Size;
  /** Time limit of the page, in ms. */
  readonly timeoutMs: number;
  /** Whether pages with invalid certificates are shown. */
  readonly ignoreCertificateErrors: boolean;
  /** Says why gyre lets nothing come from an address; undefined where it does not stand in the way. */
  readonly explain?: ((url: URL) => string | undefined) | undefined;
}

/** Chromium's name for a download, for an answer that has no page, and for a load that another has replaced. */
const aborted = 'net::ERR_ABORTED';
/** Pages that may lead on to another one by themselves, one after another, within one load. */
const mostRedirects = 3;
/** Time limit of stopping a load, in ms. */
const stopMs = 1_000;
/** Tells whether a status has no body. */
const isWithoutPage = (status: number | undefined): boolean => status === 204 || status === 205;

/** Time limit for a new tab to begin its load, in ms. */
const beginMs = 500;

/** Time limit of a download's announcement, in ms. */
const downloadMs = 1_000;

/** Downloads of a page that are followed to their end at a time: a page can begin any number. */
const mostDownloads = 100;

/** Notices that are stored until somebody takes them. */
export const mostNotices = 20;

/**
 * One page of a browser, with its own storage. How time passes and how pictures are made is its kind's. Whatever fails here but a bad
 * expression breaks the tab for good: `onBroken` hears of it once.
 */
export abstract class Tab {
  readonly browser: Browser;
  readonly ids: TabIds;
  #size: Size = { width: 0, height: 0 };
  #failure: GyreError | undefined;
  /** Whether it is a touch screen, without a mouse. */
  touch = false;
  /** Time limit of a load, in ms. */
  loadMs = 10_000;
  /** Whether somebody watches. Otherwise frames need not reach the screen as time passes; pictures show them anyway. */
  seen = true;
  /** Whether a wheel has turned since the last picture. */
  wheeled = false;
  /** The uses of its documents that keep the browser's own time or randomness, on a stepped clock. */
  uncontrolled = new Set<string>();
  onBroken: (reason: GyreError) => void = () => {};
  /** Hears that the page is gone, where it has closed itself; without it the tab breaks. */
  onClosed: (() => void) | undefined;
  /** Hears that the page is about to open another one, and where that leads; `browser.pages` then tells of it. */
  onOpening: (url: string) => void = () => {};
  /** Hears what the page asks. Without anybody before it, it is answered at once. */
  onAsked: (asked: Asked) => void = answerAtOnce;
  /** Hears that the page began a native drag: the data to drop. */
  onDrag: (data: unknown) => void = () => {};
  /** Hears what the page writes to its console, and what it throws and nobody catches. */
  onConsole: ((text: string) => void) | undefined;

  /** The document that `documentUrl` stands for. */
  #html = '';
  #scripts: (DocumentScript & { readonly identifier: string })[] = [];
  #world: number | undefined;
  #mainFrame: string;
  readonly #loading: Loading;
  protected readonly options: TabOptions;
  #url = 'about:blank';
  #failed: LoadFailure | undefined;
  /** Settles when the page of a failure is shown. */
  #failureShown: Promise<unknown> = Promise.resolve();
  /** The network's answers by loader, while a document is fetched. */
  readonly #errors = new Map<string, string>();
  readonly #statuses = new Map<string, number>();
  #listensToNetwork = false;
  /** Names of the downloads that are under way. */
  readonly #downloads = new Map<string, string>();
  /** Counts downloads, and loads that were given up. */
  #begun = 0;
  #givenUp = 0;
  /** The document that was requested last. */
  #wanted = '';
  #notices: string[] = [];
  /** Whether the document has begun to be drawn. */
  #drawn = false;
  /** Clients that answer the page's dialogs themselves. */
  #dialogsLeft = 0;
  /** Questions that hold the page or its load up. */
  #blocking = 0;
  /** Resolves when there are none. */
  #free = Promise.resolve();
  #freed: () => void = () => {};
  #seed = 0;
  /** Says that the dialog of the page is no longer there. */
  #dialogOver: () => void = () => {};

  protected constructor(browser: Browser, ids: TabIds, options: TabOptions) {
    this.browser = browser;
    this.ids = ids;
    // The main frame of a page is named as its target.
    this.#mainFrame = ids.target;
    this.options = options;
    this.#loading = new Loading(ids.target);
    const handlers = this.#handlers();
    browser.connection.listen(ids.session, {
      hear: (method, params) => hearPageEvent(handlers, method, params),
      fail: (reason) => this.break(reason),
      mostEventBytes,
    });
    browser.pages.onClosed(ids, () => {
      if (this.onClosed === undefined) return void this.break(gone('the page is gone'));
      this.#failure ??= gone('the page was closed');
      browser.connection.drop(ids.session, this.#failure);
      this.#loading.abandon();
      this.#freed();
      this.onClosed();
    });
    void browser.ended.then((reason) => this.break(reason));
  }

  /** Opens an empty page, whose frames are drawn on demand or as time passes. */
  protected static async attach(browser: Browser, size: Size, framesOnDemand: boolean): Promise<TabIds> {
    const { connection } = browser;
    const { browserContextId } = await connection.send('Target.createBrowserContext', {}, undefined, NewContext);
    await connection.send('Browser.setDownloadBehavior', browser.downloading(browserContextId));
    const page = { url: 'about:blank', ...size, browserContextId, enableBeginFrameControl: framesOnDemand };
    const ids = await browser.pages.open(browserContextId, () => connection.send('Target.createTarget', page));
    browser.pages.resume(ids);
    return ids;
  }

  /**
   * Makes ready a page that another tab has opened, and that waits: it gets the same scripts as that one's, but for what judges it, and then
   * runs. Throws `infra`.
   */
  protected async take(opener: Tab, seed: number, isLoading: boolean): Promise<this> {
    this.loadMs = opener.loadMs;
    this.touch = opener.touch;
    this.onConsole = opener.onConsole;
    this.seen = opener.seen;
    this.uncontrolled = opener.uncontrolled;
    if (isLoading) {
      this.#loading.ask();
      // It may be one that no page comes from.
      setTimeout(() => this.#loading.answered(), beginMs).unref();
    }
    const ready = Promise.all([this.prepare(opener.size), this.#setDocumentScripts({ html: '', seed })]);
    // Sent after all that, and not when that is answered: some of it waits for the page's first document.
    this.browser.pages.resume(this.ids);
    await ready;
    return this;
  }

  /**
   * Shows a page that this one has opened, as its `nth`, and that waits. Throws `infra`.
   *
   * @param isLoading whether it was opened with an address.
   */
  abstract adopt(ids: TabIds, nth: number, isLoading: boolean): Promise<Tab>;

  /** Returns the seed of the `nth` page that this one opens. */
  protected seedOf(nth: number): number {
    return this.#seed ^ Math.imul(nth, 0x9e3779b1);
  }

  /** Whether a frame waits for the answer to a question. */
  abstract get isFrameHeld(): boolean;

  /** Resolves when nothing is asked that holds the page or its load up. */
  protected answered(): Promise<void> {
    return this.#free;
  }

  /** Moves time by frames of 1/60 s. Some may be drawn later. */
  abstract advance(frames: number): Promise<void>;
  /** Draws what is still to be drawn. */
  abstract settle(): Promise<void>;
  /** Are there frames that `advance` left, or a new document's first? */
  abstract get owing(): boolean;
  /** Does what it shows change by itself, between calls? */
  abstract readonly live: boolean;
  /** How long after a load a script's next navigation still belongs to it, in ms. */
  protected abstract readonly redirectMs: number;
  /** Returns the screen, encoded. Throws `infra`. */
  abstract picture(picture: Picture): Promise<Uint8Array>;
  /** Waits for what the page answers only when frames are drawn. */
  abstract until<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** Returns the scripts of new documents. */
  protected abstract scripts(): DocumentScripts;
  /** Hears that a new document is there. */
  protected abstract onDocument(): void;
  /** Hears that an animation or a transition was made, where the kind of tab has asked for that. */
  protected onAnimation(): void {}

  /** Sends an input that the page handles when a frame is drawn, and waits until it is handled. */
  async input(method: CommandName, params: Readonly<Record<string, unknown>>): Promise<void> {
    await this.settle();
    // Chromium drops input before the first frame, and does not say when.
    if (!(await this.isDrawn())) return;
    await this.until(this.call(method, params));
  }

  /** Returns the part of the browser that a CDP client of this page sees. Throws `bad_input` where it can have none. */
  abstract scope(): CdpScope;

  /** Returns the page and its storage for a CDP client, whose overrides are undone when it leaves. */
  protected whole(): CdpScope {
    const { browser } = this;
    return {
      browser,
      context: this.ids.context,
      target: this.ids.target,
      leaveDialogs: () => {
        this.#dialogsLeft++;
        return () => {
          // One may be open that nobody else would close.
          if (--this.#dialogsLeft === 0) void this.#closeDialog({ accept: false });
        };
      },
      restore: async () => {
        await browser.connection.send('Browser.setDownloadBehavior', browser.downloading(this.ids.context));
        await this.prepare(this.#size);
      },
    };
  }

  /** Prepares any tab. */
  protected async prepare(size: Size): Promise<void> {
    await Promise.all([
      this.call('Page.enable'),
      // Without it a document that has no script of its own gets no world, and so none of ours.
      this.call('Runtime.enable'),
      this.call('Emulation.setFocusEmulationEnabled', { enabled: true }),
      this.call('Input.setInterceptDrags', { enabled: true }),
      this.call('Fetch.enable', {
        patterns: [{ urlPattern: documentUrl }, { urlPattern: '*', resourceType: 'Document' }],
        handleAuthRequests: true,
      }),
      this.call('Page.setInterceptFileChooserDialog', { enabled: true }),
      ...(this.options.ignoreCertificateErrors
        ? [this.call('Security.setIgnoreCertificateErrors', { ignore: true })]
        : []),
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
    method: CommandName,
    params: Readonly<Record<string, unknown>> = {},
    shape?: z.ZodType<Result>,
  ): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const onLate = (): void => {
      // Whoever is asked may think for as long as it takes.
      if (this.#blocking > 0) return void (timer = setTimeout(onLate, this.options.timeoutMs));
      // The browser holds back what is asked of a page that is about to be replaced.
      if (!this.#loading.isUncommitted) return void this.break(this.#timedOut(method));
      void this.#giveUp().catch(() => undefined);
      timer = setTimeout(() => this.break(this.#timedOut(method)), this.options.timeoutMs);
    };
    let timer = setTimeout(onLate, this.options.timeoutMs);
    try {
      return await this.browser.connection.send(method, params, this.ids.session, shape);
    } catch (error) {
      throw error instanceof GyreError ? this.break(error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a command that may take as long as it likes. Throws `infra` where the tab ends. */
  protected async ask<Result>(
    method: CommandName,
    params: Readonly<Record<string, unknown>>,
    shape: z.ZodType<Result>,
  ): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return await this.browser.connection.send(method, params, this.ids.session, shape);
    } catch (error) {
      throw error instanceof GyreError ? this.break(error) : error;
    }
  }

  /** Throws `infra`, and breaks the tab, where a command has taken longer than it may. */
  protected checkLate(method: CommandName, ms: number): void {
    if (ms >= this.options.timeoutMs) throw this.break(this.#timedOut(method));
  }

  /**
   * Shows a fresh document with nothing to go back to. Throws `infra` where it does not load in time and `bad_input` where its
   * script throws.
   */
  async open(page: PageSource): Promise<void> {
    this.#html = page.html;
    await this.#setDocumentScripts(page);
    this.#notices = [];
    await this.#load(documentUrl, this.options.timeoutMs);
    // What is out of the page's own reach, such as an image that never comes, does not keep it from being used.
    if (!this.#loading.isParsed) throw this.break(this.#timedOut('loading the page'));
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

  /**
   * Loads a URL as a person would by typing it. A load that fails shows a page that says so; one that brings no page leaves the page
   * before. Either is told as a notice.
   */
  async navigate(url: string): Promise<void> {
    await this.#load(url, this.loadMs);
  }

  /** Goes to the document before; does nothing where there is none. */
  async back(): Promise<void> {
    const { currentIndex, entries } = await this.call('Page.getNavigationHistory', {}, History);
    const entry = entries[currentIndex - 1];
    if (entry === undefined) return;
    this.#loading.ask();
    await this.call('Page.navigateToHistoryEntry', { entryId: entry.id });
    await this.arrive();
  }

  /** Returns the state of the page. */
  get page(): PageState {
    const failed = this.#failed;
    return {
      url: failed?.url ?? this.#url,
      loading: !this.#loading.isOver,
      failed: failed && `${failed.error}${failed.why === undefined ? '' : ` (${failed.why})`}`,
    };
  }

  /** Tells whether a load is worth waiting for. */
  get isArriving(): boolean {
    const { since } = this.#loading;
    return since !== undefined && performance.now() - since < this.loadMs;
  }

  /** Takes what has happened since the last time that the screen need not show: failed loads, downloads, what still loads. */
  takeNotices(isShown = true): string[] {
    const taken = this.#notices;
    this.#notices = [];
    if (isShown && !this.#loading.isOver)
      taken.push(`${told(this.#url)} is still loading: the screen shows what is there`);
    return taken;
  }

  /** Adds a notice. */
  notify(text: string): void {
    if (this.#notices.length < mostNotices && !this.#notices.includes(text)) this.#notices.push(text);
  }

  /** Waits until what is loading is there, with the redirects that follow, or until its time is over. */
  async arrive(loadMs = this.loadMs): Promise<void> {
    const { since } = this.#loading;
    if (since !== undefined) {
      const { documents } = this.#loading;
      let deadline = since + loadMs;
      for (;;) {
        const isThere = await this.#loading.ended(deadline - performance.now());
        if (this.#failure !== undefined) throw this.#failure;
        if (!isThere && this.#blocking > 0) {
          deadline = performance.now() + loadMs;
          continue;
        }
        if (!isThere) break;
        if (this.redirectMs === 0 || documents === this.#loading.documents || this.#url === documentUrl) break;
        await pause(this.redirectMs);
        if (this.#loading.isOver) break;
      }
      if (this.#loading.isUncommitted) await this.#giveUp();
      else if (this.#loading.documents - documents > mostRedirects) await this.#stop();
    }
    await this.#failureShown;
    const late = performance.now() + downloadMs;
    while (this.#downloads.size > 0 && performance.now() < late && this.#failure === undefined) await pause(10);
  }

  /** Says that the next load is of an action of its own, and has a time of its own. */
  expectLoad(): void {
    this.#loading.renew();
  }

  /** Waits for what is loading, `ms` at most. */
  async arriveWithin(ms: number): Promise<void> {
    await this.#loading.ended(ms);
  }

  /**
   * Tells whether the document has begun to be drawn. Before its body and style sheets are there, Chromium draws no frame and takes no
   * input.
   */
  async isDrawn(): Promise<boolean> {
    if (this.#drawn || this.#loading.isLoaded) return true;
    const { documents } = this.#loading;
    const isDrawn = await this.valueNow<boolean>(isDrawnExpression());
    if (documents === this.#loading.documents) this.#drawn = isDrawn;
    return isDrawn;
  }

  /** Value of an expression in the isolated world, as JSON carries it. Throws `bad_input` with what the expression threw. */
  async evaluate<Value>(expression: string): Promise<Value> {
    await this.settle();
    return this.valueNow<Value>(expression);
  }

  /** The same, even where nothing is drawn. */
  protected async valueNow<Value>(expression: string): Promise<Value> {
    if (this.#loading.isUncommitted) await this.arrive();
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

  /** Why it can be used no more. */
  get failure(): GyreError | undefined {
    return this.#failure;
  }

  /** Tells whether the page has closed itself. */
  async isClosing(): Promise<boolean> {
    return this.#failure !== undefined || this.valueNow<boolean>('closed');
  }

  /** Closes the page as a person does: it may ask whether it is left. */
  async leave(): Promise<void> {
    await this.call('Page.close');
  }

  /** Closes the page and everything that it started. */
  async close(): Promise<void> {
    const { connection } = this.browser;
    this.#failure ??= new GyreError('infra', 'the page was closed', { part: 'page', fix: 'lease another session' });
    connection.drop(this.ids.session, this.#failure);
    const isRunning = (): boolean => this.browser.running;
    if (!isRunning()) return;
    try {
      await connection.send('Target.closeTarget', { targetId: this.ids.target });
      await connection.send('Target.disposeBrowserContext', { browserContextId: this.ids.context });
    } catch (error) {
      if (!(error instanceof CommandRefused) && isRunning()) throw error;
    }
  }

  async #setDocumentScripts(page: PageSource): Promise<void> {
    const { seed, argument } = page;
    this.#seed = seed;
    const scripts = this.scripts();
    const inIsolated = `${scripts.isolated}\n${parsedScript(page)}`;
    await this.#setScripts([
      ...meeting(`({ seed }) => {\n${scripts.page}\n}`, { seed }).map((source) => ({ source })),
      ...meeting(`({ seed, argument }) => {\n${inIsolated}\n}`, { seed, argument }).map((source) => ({
        source,
        worldName: world,
      })),
    ]);
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

  /** Asks for a document, and waits for it for `ms` at most. */
  async #load(url: string, ms: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = { documents: this.#loading.documents, downloads: this.#begun, givenUp: this.#givenUp };
    this.#wanted = url;
    this.#loading.ask();
    // A server may be slow: then the load ends, and not the tab.
    const reply = this.ask('Page.navigate', { url }, Navigation);
    const answered = (): void => this.#loading.answered();
    reply.then(answered, answered);
    await this.arrive(ms);
    const { loaderId, errorText, isDownload } = await reply.catch((error: unknown) => {
      if (!(error instanceof CommandRefused)) throw error;
      throw new GyreError('bad_input', `the browser does not take this address: ${error.message}`, {
        field: 'url',
        fix: 'navigate to a page',
        cause: error,
      });
    });
    if (errorText !== aborted || loaderId === undefined) return;
    const { documents, downloads, givenUp } = before;
    const isKnown = documents !== this.#loading.documents || downloads !== this.#begun || givenUp !== this.#givenUp;
    if (isKnown) return;
    if (!isDownload) return this.#noPage(loaderId);
    // The browser tells of the download after its end as a load.
    const late = performance.now() + downloadMs;
    const isOver = (): boolean => this.#failure !== undefined || performance.now() >= late;
    while (downloads === this.#begun && !isOver()) await pause(10);
  }

  /** Ends a load that has brought no document in its time: the page before stays. */
  async #giveUp(): Promise<void> {
    this.notify(
      `${told(this.#wanted)} has sent no page within ${this.loadMs / 1_000} s and was given up: the page before stays`,
    );
    await this.#stop();
  }

  /** Ends a load where it is. */
  async #stop(): Promise<void> {
    this.#givenUp++;
    await this.call('Page.stopLoading');
    await this.#loading.ended(stopMs);
    this.#loading.abandon();
  }

  /** Tells of a document that was answered without one. */
  #noPage(loader: string): void {
    const status = this.#statuses.get(loader);
    const answer = status === undefined ? 'an answer without a page' : `HTTP ${status}, an answer without a page`;
    this.notify(`${told(this.#wanted)} did not load: ${answer}; the page before stays`);
  }

  /** Returns why gyre lets nothing come from an address. */
  #explain(url: string): string | undefined {
    const parsed = URL.parse(url);
    return parsed === null ? undefined : this.options.explain?.(parsed);
  }

  /** Shows that a document did not load, in the empty page that Chromium has for that. */
  #fail(url: string, loader: string): void {
    const failure: LoadFailure = { url, error: this.#errors.get(loader) ?? 'net::ERR_FAILED', why: this.#explain(url) };
    this.#failed = failure;
    this.notify(failureText(failure));
    const content = { frameId: this.#mainFrame, html: failurePage(failure) };
    // Whoever leaves it at once does not need it.
    this.#failureShown = this.call('Page.setDocumentContent', content).catch(() => undefined);
  }

  /** Hears of the network while a document of the main frame is fetched, and not of all that pages load. */
  #listenToNetwork(on: boolean): void {
    if (on === this.#listensToNetwork) return;
    this.#listensToNetwork = on;
    if (on) {
      this.#errors.clear();
      this.#statuses.clear();
    }
    const buffers = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 };
    void (on ? this.call('Network.enable', buffers) : this.call('Network.disable')).catch(() => undefined);
  }

  #handlers(): PageEventHandlers {
    const loading = this.#loading.handlers();
    return {
      ...loading,
      'Page.frameNavigated': ({ frame }) => {
        if (frame.parentId !== undefined) return;
        const { id, loaderId, url, unreachableUrl } = frame;
        this.#mainFrame = id;
        this.#world = undefined;
        this.#drawn = false;
        this.#url = url;
        this.#failed = undefined;
        this.#loading.committed(id);
        this.onDocument();
        const status = this.#statuses.get(loaderId) ?? 200;
        const refused = status >= 400 ? this.#explain(url) : undefined;
        if (unreachableUrl !== undefined) this.#fail(unreachableUrl, loaderId);
        else if (refused !== undefined) {
          this.#failed = { url, error: `HTTP ${status}`, why: refused };
          this.notify(failureText(this.#failed));
        }
        this.#listenToNetwork(false);
      },
      'Page.navigatedWithinDocument': (event) => {
        if (event.frameId === this.#mainFrame) this.#url = event.url;
        loading['Page.navigatedWithinDocument'](event);
      },
      'Page.frameStoppedLoading': (event) => {
        loading['Page.frameStoppedLoading'](event);
        if (event.frameId === this.#mainFrame) this.#listenToNetwork(false);
      },
      'Network.loadingFailed': ({ requestId, errorText }) => {
        if (requestId !== this.#loading.loader) return;
        if (errorText !== aborted) this.#errors.set(requestId, errorText);
        // Nothing else tells of a link to an answer without a page.
        else if (isWithoutPage(this.#statuses.get(requestId))) this.#noPage(requestId);
      },
      'Network.responseReceived': ({ requestId, response }) => {
        if (requestId === this.#loading.loader) this.#statuses.set(requestId, response.status);
      },
      'Page.downloadWillBegin': ({ guid, suggestedFilename }) => {
        const name = told(suggestedFilename);
        this.#begun++;
        const { downloads } = this.browser;
        if (downloads === undefined) {
          this.notify(`${name} is a download, and the session has no folder for it: the page before stays`);
          return;
        }
        if (this.#downloads.size < mostDownloads) this.#downloads.set(guid, name);
        this.notify(`${name} is a download: it goes to ${downloads}, and the page before stays`);
      },
      'Page.downloadProgress': ({ guid, state }) => {
        if (state === 'inProgress') return;
        const name = this.#downloads.get(guid);
        this.#downloads.delete(guid);
        if (name !== undefined && state === 'canceled') this.notify(`the download of ${name} has failed`);
      },
      'Page.javascriptDialogOpening': ({ type, url, message, defaultPrompt = '' }) => {
        if (this.#dialogsLeft > 0) return;
        const over = new Promise<void>((resolve) => (this.#dialogOver = resolve));
        const question = { kind: type, from: url, message, text: defaultPrompt };
        this.#ask(question, over, (answer) => this.#closeDialog(answer));
      },
      'Page.javascriptDialogClosed': () => this.#dialogOver(),
      'Page.fileChooserOpened': ({ mode, backendNodeId }) => {
        if (this.#dialogsLeft > 0 || backendNodeId === undefined) return;
        const multiple = mode === 'selectMultiple';
        const question = {
          kind: 'files',
          from: this.#url,
          multiple,
          wanted: this.#wantedFiles(backendNodeId),
        } as const;
        this.#ask(question, undefined, async ({ accept, files = [] }) => {
          if (accept) await this.call('DOM.setFileInputFiles', { files, backendNodeId });
        });
      },
      'Page.windowOpen': ({ url }) => this.onOpening(url),
      'Page.frameRequestedNavigation': (event) => {
        if (event.disposition !== 'currentTab') this.onOpening(event.url);
        loading['Page.frameRequestedNavigation'](event);
      },
      'Fetch.authRequired': ({ requestId, authChallenge: { source, origin, realm } }) => {
        const respond = async ({ accept, user: username = '', password = '' }: Answer): Promise<void> => {
          const authChallengeResponse = accept
            ? { response: 'ProvideCredentials', username, password }
            : { response: 'CancelAuth' };
          await this.call('Fetch.continueWithAuth', { requestId, authChallengeResponse });
        };
        if (source === 'Proxy') return void respond({ accept: false }).catch(() => undefined);
        if (this.#dialogsLeft > 0) {
          const left = { requestId, authChallengeResponse: { response: 'Default' } };
          return void this.call('Fetch.continueWithAuth', left).catch(() => undefined);
        }
        this.#ask({ kind: 'credentials', from: origin, message: realm }, undefined, respond);
      },
      'Fetch.requestPaused': ({ requestId, frameId, request: { url } }) => {
        const isOwn = url === documentUrl;
        if (!isOwn && frameId === this.#mainFrame) {
          this.#wanted = url;
          this.#listenToNetwork(true);
        }
        const answer = isOwn
          ? this.call('Fetch.fulfillRequest', { requestId, ...documentResponse(this.#html) })
          : this.call('Fetch.continueRequest', { requestId });
        // A navigation that was overtaken by the next one is no longer there to answer.
        void answer.catch(() => {});
      },
      'Runtime.consoleAPICalled': (params) => this.onConsole?.(consoleText(params)),
      'Runtime.exceptionThrown': (params) => this.onConsole?.(exceptionText(params)),
      'Runtime.bindingCalled': ({ name, payload }) => {
        if (name === toldBy && (uncontrolledUses as readonly string[]).includes(payload))
          this.uncontrolled.add(payload);
      },
      'Input.dragIntercepted': ({ data }) => this.onDrag(data),
      'Animation.animationCreated': () => this.onAnimation(),
      'Inspector.targetCrashed': () => void this.break(gone('the page crashed')),
      'Inspector.detached': () => {
        if (this.onClosed === undefined) this.break(gone('the page is gone'));
      },
    };
  }

  /** Hands on what the page asks. `withdrawn` settles where it is no longer asked. */
  #ask(question: Question, withdrawn: Promise<void> | undefined, respond: (answer: Answer) => Promise<void>): void {
    const blocks = isBlocking(question) ? 1 : 0;
    if (blocks > 0 && this.#blocking === 0) this.#free = new Promise((resolve) => (this.#freed = resolve));
    this.#blocking += blocks;
    let isOver = false;
    let ended: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (ended = resolve));
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#blocking -= blocks;
      if (this.#blocking === 0) this.#freed();
      ended();
    };
    void withdrawn?.then(end);
    const answer = async (given: Answer): Promise<void> => {
      if (isOver) return;
      end();
      // It may be gone by itself: its page was left, or a client has answered.
      await respond(given).catch((error: unknown) => {
        if (!(error instanceof CommandRefused)) throw error;
      });
    };
    this.onAsked({ question, answer, over });
  }

  /** Reads what a file input takes. */
  async #wantedFiles(backendNodeId: number): Promise<WantedFiles> {
    const { attributes = [] } = await this.call('DOM.describeNode', { backendNodeId }, Described)
      .then(({ node }) => node)
      // It may be gone already.
      .catch(() => ({ attributes: [] }));
    const accept = attributes.findIndex((name, index) => index % 2 === 0 && name === 'accept');
    return {
      folder: attributes.some((name, index) => index % 2 === 0 && name === 'webkitdirectory'),
      accept: accept < 0 ? '' : (attributes[accept + 1] ?? ''),
    };
  }

  /** Answers the dialog that is open, if one is. */
  async #closeDialog({ accept, text }: Answer): Promise<void> {
    const given = { accept, promptText: text };
    await this.call('Page.handleJavaScriptDialog', given).catch(() => undefined);
  }

  #timedOut(what: string): GyreError {
    return new GyreError('infra', `the page did not answer ${what} within ${this.options.timeoutMs} ms`, {
      part: 'page',
      field: 'page',
      fix: 'look for a script that never ends, or raise timeoutMs',
    });
  }

  /** Turns a refused command into `infra`: the tab is lost. */
  protected asInfra(error: unknown): unknown {
    if (!(error instanceof CommandRefused)) return error;
    return this.break(
      new GyreError('infra', error.message, { part: 'page', fix: 'lease another session', cause: error }),
    );
  }

  /** Ends the page for a reason, which all calls of it throw from then on. */
  break(reason: GyreError): GyreError {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = reason;
    this.browser.connection.drop(this.ids.session, reason);
    this.#loading.abandon();
    this.#freed();
    this.onBroken(reason);
    return reason;
  }
}

const gone = (what: string): GyreError =>
  new GyreError('infra', what, { part: 'page', field: 'page', fix: 'lease another session' });

/** Answers a question that nobody sees. */
const answerAtOnce = ({ question, answer }: Asked): void => void answer(wayOut(question)).catch(() => undefined);
