import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { GyreError, type Size } from '@gyre/protocol';
import type { Browser } from '../browser.js';
import type { CdpScope } from '../cdp/scope.js';
import { usesBinding, uncontrolledUses } from '../clock/clock.js';
import { CommandRefused } from '../connection.js';
import { consoleText, exceptionText } from '../consoleText.js';
import { isDrawnExpression } from './drawing.js';
import { failurePage, type LoadFailure, failureText, displayText } from './loadFailure.js';
import { Loading } from './loading.js';
import { pairedScripts } from './pairedScripts.js';
import { dispatchPageEvent, type PageEventHandlers } from '../pageEvent.js';
import type { TabIds } from '../pages.js';
import type { CommandName } from '../cdp/protocol.js';
import { documentResponse, documentUrl, failureName, parsedScript, type PageSource } from '../page.js';
import {
  type PendingQuestion,
  type Answer,
  isBlocking,
  type Question,
  type FileFilter,
  dismissal,
} from '../window/question.js';

const world = 'gyre';

/** Console events are the largest. */
const maxEventBytes = 16 * 2 ** 20;

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

/** Screenshot encoding; `quality` (0..100) is for JPEG. */
export interface Picture {
  readonly format: 'png' | 'jpeg';
  readonly quality?: number;
}

/** Run in each new document before its own scripts, with `seed` in scope. */
export interface DocumentScripts {
  readonly page: string;
  readonly isolated: string;
}

interface DocumentScript {
  readonly source: string;
  readonly worldName?: string;
}

export interface PageState {
  readonly url: string;
  readonly loading: boolean;
  /** `net::ERR_...`, or why gyre refused it. */
  readonly failed?: string | undefined;
  // eslint-disable-next-line gyre/vague-name -- the wire's name
  readonly tabs?: { readonly urls: string[]; readonly shown: number };
  readonly asks?: Question['kind'] | undefined;
}

export interface TabOptions {
  readonly size: Size;
  /** Time limit per answer. */
  readonly timeoutMs: number;
  readonly ignoreCertificateErrors: boolean;
  /** Returns why gyre blocks an address, if it does. */
  readonly explain?: ((url: URL) => string | undefined) | undefined;
}

/** Chromium's error for downloads, responses without a body and superseded loads. */
const aborted = 'net::ERR_ABORTED';
/** Consecutive client-side redirects within a load. */
const maxRedirects = 3;
const stopMs = 1_000;
const isWithoutPage = (status: number | undefined): boolean => status === 204 || status === 205;

/** Time for a new tab to start loading. */
const beginMs = 500;

const downloadMs = 1_000;

/** A page can start any number. */
const maxDownloads = 100;

export const maxNotices = 20;

/**
 * A page with its own storage. Subclasses define how time passes. Any failure except a bad expression breaks the tab
 * for good and calls `onBroken` once.
 */
export abstract class Tab {
  readonly browser: Browser;
  readonly ids: TabIds;
  #size: Size = { width: 0, height: 0 };
  #failure: GyreError | undefined;
  touch = false;
  loadMs = 10_000;
  /** If false, frames need not be composited as time passes; screenshots still are. */
  seen = true;
  wheeled = false;
  /** Uses of the browser's own time or randomness on a stepped clock. */
  uncontrolled = new Set<string>();
  onBroken: (reason: GyreError) => void = () => {};
  /** Called when the page closes itself; without it the tab breaks. */
  onClosed: (() => void) | undefined;
  /** Called before the page opens another one, which `browser.pages` then reports. */
  onOpening: (url: string) => void = () => {};
  /** By default, questions are dismissed. */
  onQuestion: (pending: PendingQuestion) => void = answerAtOnce;
  onDrag: (data: unknown) => void = () => {};
  onConsole: ((text: string) => void) | undefined;

  /** Served at `documentUrl`. */
  #html = '';
  #scripts: (DocumentScript & { readonly identifier: string })[] = [];
  #world: number | undefined;
  #mainFrame: string;
  readonly #loading: Loading;
  protected readonly options: TabOptions;
  #url = 'about:blank';
  #failed: LoadFailure | undefined;
  #failureShown: Promise<unknown> = Promise.resolve();
  /** By loader, while a document is fetched. */
  readonly #errors = new Map<string, string>();
  readonly #statuses = new Map<string, number>();
  #listensToNetwork = false;
  readonly #downloads = new Map<string, string>();
  #downloadCount = 0;
  #givenUpCount = 0;
  #requestedUrl = '';
  #notices: string[] = [];
  #drawn = false;
  /** CDP clients that handle dialogs themselves. */
  #dialogsLeft = 0;
  /** Open questions that block the page or its load. */
  #blocking = 0;
  /** Resolves when none is open. */
  #unblocked = Promise.resolve();
  #unblock: () => void = () => {};
  #seed = 0;
  #dialogOver: () => void = () => {};

  protected constructor(browser: Browser, ids: TabIds, options: TabOptions) {
    this.browser = browser;
    this.ids = ids;
    // A page's main frame and target share an id.
    this.#mainFrame = ids.target;
    this.options = options;
    this.#loading = new Loading(ids.target);
    const handlers = this.#handlers();
    browser.connection.listen(ids.session, {
      hear: (method, params) => dispatchPageEvent(handlers, method, params),
      fail: (reason) => this.break(reason),
      maxEventBytes,
    });
    browser.pages.onClosed(ids, () => {
      if (this.onClosed === undefined) return void this.break(gone('the page is gone'));
      this.#failure ??= gone('the page was closed');
      browser.connection.drop(ids.session, this.#failure);
      this.#loading.abandon();
      this.#unblock();
      this.onClosed();
    });
    void browser.ended.then((reason) => this.break(reason));
  }

  protected static async attach(browser: Browser, size: Size, framesOnDemand: boolean): Promise<TabIds> {
    const { connection } = browser;
    const { browserContextId } = await connection.send('Target.createBrowserContext', {}, undefined, NewContext);
    await connection.send('Browser.setDownloadBehavior', browser.downloading(browserContextId));
    const page = { url: 'about:blank', ...size, browserContextId, enableBeginFrameControl: framesOnDemand };
    const ids = await browser.pages.open(browserContextId, () => connection.send('Target.createTarget', page));
    browser.pages.resume(ids);
    return ids;
  }

  /** Prepares and resumes a paused page that `opener` opened. Throws `infra`. */
  protected async prepareOpened(opener: Tab, seed: number, isLoading: boolean): Promise<this> {
    this.loadMs = opener.loadMs;
    this.touch = opener.touch;
    this.onConsole = opener.onConsole;
    this.seen = opener.seen;
    this.uncontrolled = opener.uncontrolled;
    if (isLoading) {
      this.#loading.ask();
      // The load may never yield a page.
      setTimeout(() => this.#loading.answered(), beginMs).unref();
    }
    const ready = Promise.all([this.prepare(opener.size), this.#setDocumentScripts({ html: '', seed })]);
    // Must not wait for `ready`: some commands are answered only after the first document.
    this.browser.pages.resume(this.ids);
    await ready;
    return this;
  }

  /** Takes over the paused page that this one opened as its `nth`. Throws `infra`. */
  abstract adopt(ids: TabIds, nth: number, isLoading: boolean): Promise<Tab>;

  protected seedOf(nth: number): number {
    return this.#seed ^ Math.imul(nth, 0x9e3779b1);
  }

  abstract get isFrameHeld(): boolean;

  protected answered(): Promise<void> {
    return this.#unblocked;
  }

  /** Advances time by frames of 1/60 s; some may be drawn later. */
  abstract advance(frames: number): Promise<void>;
  /** Draws all pending frames. */
  abstract settle(): Promise<void>;
  /** Whether frames of `advance`, or a new document's first, are undrawn. */
  abstract get hasUndrawnFrames(): boolean;
  abstract readonly live: boolean;
  /** Time within which a scripted navigation still belongs to the load before. */
  protected abstract readonly redirectMs: number;
  abstract picture(picture: Picture): Promise<Uint8Array>;
  /** Waits for an answer that requires frames to be drawn. */
  abstract until<Answer>(answer: Promise<Answer>): Promise<Answer>;
  protected abstract scripts(): DocumentScripts;
  protected abstract onDocument(): void;
  protected onAnimation(): void {}

  /** Sends input that is handled at the next frame, and waits. */
  async input(method: CommandName, params: Readonly<Record<string, unknown>>): Promise<void> {
    await this.settle();
    if (!(await this.isDrawn())) return;
    await this.until(this.call(method, params));
  }

  /** Returns what a CDP client of this page may access. Throws `bad_input` if none is allowed. */
  abstract scope(): CdpScope;

  protected pageScope(): CdpScope {
    const { browser } = this;
    return {
      browser,
      context: this.ids.context,
      target: this.ids.target,
      leaveDialogs: () => {
        this.#dialogsLeft++;
        return () => {
          // Nobody else would close an open dialog.
          if (--this.#dialogsLeft === 0) void this.#closeDialog({ accept: false });
        };
      },
      restore: async () => {
        await browser.connection.send('Browser.setDownloadBehavior', browser.downloading(this.ids.context));
        await this.prepare(this.#size);
      },
    };
  }

  protected async prepare(size: Size): Promise<void> {
    await Promise.all([
      this.call('Page.enable'),
      // Without it, a document without scripts gets no world for ours.
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

  /** Sets the screen size in px (scale factor 1), and whether it is a touch screen. */
  async resize(size: Size, touch = false): Promise<void> {
    this.#size = size;
    await Promise.all([
      this.call('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: touch }),
      this.call('Emulation.setTouchEmulationEnabled', { enabled: touch, maxTouchPoints: 5 }),
    ]);
    this.touch = touch;
  }

  /** Sends a command. Throws `infra` and breaks the tab on a timeout or an unexpected result. */
  async call<Result = unknown>(
    method: CommandName,
    params: Readonly<Record<string, unknown>> = {},
    shape?: z.ZodType<Result>,
  ): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const onLate = (): void => {
      // Questions have no time limit.
      if (this.#blocking > 0) return void (timer = setTimeout(onLate, this.options.timeoutMs));
      // The browser defers commands to a page about to be replaced.
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

  /** Sends a command without a time limit. */
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

  protected checkLate(method: CommandName, ms: number): void {
    if (ms >= this.options.timeoutMs) throw this.break(this.#timedOut(method));
  }

  /** Opens a document with an empty history. Throws `infra` on a timeout, `bad_input` if its script throws. */
  async open(page: PageSource): Promise<void> {
    this.#html = page.html;
    await this.#setDocumentScripts(page);
    this.#notices = [];
    await this.#load(documentUrl, this.options.timeoutMs);
    // External resources may never arrive.
    if (!this.#loading.isParsed) throw this.break(this.#timedOut('the load'));
    const [failure] = await Promise.all([
      this.evaluate<string | undefined>(`globalThis.${failureName}`),
      this.call('Page.resetNavigationHistory'),
    ]);
    if (failure !== undefined) {
      throw new GyreError('bad_input', `the page's script threw ${failure}`, {
        field: 'script',
        fix: 'fix the script of the page source',
      });
    }
  }

  async blank(): Promise<void> {
    await this.open({ html: '<!doctype html><title>gyre</title>', seed: 0 });
  }

  /** Loads a URL. A failed load shows an error page; a load without a page keeps the current one. Both add a notice. */
  async navigate(url: string): Promise<void> {
    await this.#load(url, this.loadMs);
  }

  async back(): Promise<void> {
    const { currentIndex, entries } = await this.call('Page.getNavigationHistory', {}, History);
    const entry = entries[currentIndex - 1];
    if (entry === undefined) return;
    this.#loading.ask();
    await this.call('Page.navigateToHistoryEntry', { entryId: entry.id });
    await this.arrive();
  }

  get page(): PageState {
    const failed = this.#failed;
    return {
      url: failed?.url ?? this.#url,
      loading: !this.#loading.isOver,
      failed: failed && `${failed.error}${failed.why === undefined ? '' : ` (${failed.why})`}`,
    };
  }

  get isArriving(): boolean {
    const { since } = this.#loading;
    return since !== undefined && performance.now() - since < this.loadMs;
  }

  /** Takes notices of what the screen may not show: failed or pending loads, downloads. */
  takeNotices(isShown = true): string[] {
    const taken = this.#notices;
    this.#notices = [];
    if (isShown && !this.#loading.isOver)
      taken.push(`${displayText(this.#url)} is still loading: the screen shows what has loaded so far`);
    return taken;
  }

  notify(text: string): void {
    if (this.#notices.length < maxNotices && !this.#notices.includes(text)) this.#notices.push(text);
  }

  /** Waits for the load and its redirects, up to the time limit. */
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
      else if (this.#loading.documents - documents > maxRedirects) await this.#stop();
    }
    await this.#failureShown;
    const late = performance.now() + downloadMs;
    while (this.#downloads.size > 0 && performance.now() < late && this.#failure === undefined) await pause(10);
  }

  /** Gives the next load its own time limit. */
  expectLoad(): void {
    this.#loading.renew();
  }

  async arriveWithin(ms: number): Promise<void> {
    await this.#loading.ended(ms);
  }

  /** Returns whether drawing has begun. Before, Chromium draws no frame and silently drops input. */
  async isDrawn(): Promise<boolean> {
    if (this.#drawn || this.#loading.isLoaded) return true;
    const { documents } = this.#loading;
    const isDrawn = await this.valueNow<boolean>(isDrawnExpression());
    if (documents === this.#loading.documents) this.#drawn = isDrawn;
    return isDrawn;
  }

  /** Evaluates an expression in the isolated world to a JSON value. Throws `bad_input` if it throws. */
  async evaluate<Value>(expression: string): Promise<Value> {
    await this.settle();
    return this.valueNow<Value>(expression);
  }

  /** Evaluates without drawing pending frames. */
  protected async valueNow<Value>(expression: string): Promise<Value> {
    if (this.#loading.isUncommitted) await this.arrive();
    for (let attempt = 0; ; attempt++) {
      this.#world ??= await this.#createWorld();
      try {
        const request = { expression, contextId: this.#world, returnByValue: true, awaitPromise: true };
        const reply = await this.call('Runtime.evaluate', request, Evaluated);
        const thrown = reply.exceptionDetails;
        if (thrown === undefined) return reply.result.value as Value;
        throw new GyreError('bad_input', `the expression threw ${thrown.exception?.description ?? thrown.text}`, {
          field: 'expression',
          fix: 'fix the expression; it runs in an isolated world',
        });
      } catch (error) {
        // A navigation destroyed the world meanwhile.
        if (!(error instanceof CommandRefused) || attempt > 0) throw this.asInfra(error);
        this.#world = undefined;
      }
    }
  }

  get failure(): GyreError | undefined {
    return this.#failure;
  }

  async isClosing(): Promise<boolean> {
    return this.#failure !== undefined || this.valueNow<boolean>('closed');
  }

  /** Closes the page like a user: `beforeunload` may ask. */
  async leave(): Promise<void> {
    await this.call('Page.close');
  }

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
      ...pairedScripts(`({ seed }) => {\n${scripts.page}\n}`, { seed }).map((source) => ({ source })),
      ...pairedScripts(`({ seed, argument }) => {\n${inIsolated}\n}`, { seed, argument }).map((source) => ({
        source,
        worldName: world,
      })),
    ]);
  }

  /** Order is irrelevant. Unchanged scripts stay, since sending long ones is slow. */
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
    // Awaited together: on a timeout all reject.
    const [fresh] = await Promise.all([Promise.all(added), ...old]);
    this.#scripts = [...stay, ...fresh];
  }

  async #createWorld(): Promise<number> {
    const frame = { frameId: this.#mainFrame, worldName: world };
    const { executionContextId } = await this.call('Page.createIsolatedWorld', frame, World);
    return executionContextId;
  }

  async #load(url: string, ms: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = { documents: this.#loading.documents, downloads: this.#downloadCount, givenUp: this.#givenUpCount };
    this.#requestedUrl = url;
    this.#loading.ask();
    // A slow server must fail the load, not the tab.
    const reply = this.ask('Page.navigate', { url }, Navigation);
    const answered = (): void => this.#loading.answered();
    reply.then(answered, answered);
    await this.arrive(ms);
    const { loaderId, errorText, isDownload } = await reply.catch((error: unknown) => {
      if (!(error instanceof CommandRefused)) throw error;
      throw new GyreError('bad_input', `the browser rejected the address: ${error.message}`, {
        field: 'url',
        fix: 'use the address of a page',
        cause: error,
      });
    });
    if (errorText !== aborted || loaderId === undefined) return;
    const { documents, downloads, givenUp } = before;
    const isKnown =
      documents !== this.#loading.documents || downloads !== this.#downloadCount || givenUp !== this.#givenUpCount;
    if (isKnown) return;
    if (!isDownload) return this.#noPage(loaderId);
    // The download event follows the end of the load.
    const late = performance.now() + downloadMs;
    const isOver = (): boolean => this.#failure !== undefined || performance.now() >= late;
    while (downloads === this.#downloadCount && !isOver()) await pause(10);
  }

  /** Stops a load that took too long; the current page stays. */
  async #giveUp(): Promise<void> {
    this.notify(
      `${displayText(this.#requestedUrl)} sent no page within ${this.loadMs / 1_000} s; the previous page stays`,
    );
    await this.#stop();
  }

  async #stop(): Promise<void> {
    this.#givenUpCount++;
    await this.call('Page.stopLoading');
    await this.#loading.ended(stopMs);
    this.#loading.abandon();
  }

  #noPage(loader: string): void {
    const status = this.#statuses.get(loader);
    const answer = status === undefined ? 'a response without a page' : `HTTP ${status}, a response without a page`;
    this.notify(`${displayText(this.#requestedUrl)} did not load: ${answer}; the previous page stays`);
  }

  #explain(url: string): string | undefined {
    const parsed = URL.parse(url);
    return parsed === null ? undefined : this.options.explain?.(parsed);
  }

  /** Fills Chromium's empty error page with the failure. */
  #fail(url: string, loader: string): void {
    const failure: LoadFailure = { url, error: this.#errors.get(loader) ?? 'net::ERR_FAILED', why: this.#explain(url) };
    this.#failed = failure;
    this.notify(failureText(failure));
    const content = { frameId: this.#mainFrame, html: failurePage(failure) };
    // The page may be left at once.
    this.#failureShown = this.call('Page.setDocumentContent', content).catch(() => undefined);
  }

  /** Listens only while a main document is fetched. */
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
        // No other event reports a link to a response without a body.
        else if (isWithoutPage(this.#statuses.get(requestId))) this.#noPage(requestId);
      },
      'Network.responseReceived': ({ requestId, response }) => {
        if (requestId === this.#loading.loader) this.#statuses.set(requestId, response.status);
      },
      'Page.downloadWillBegin': ({ guid, suggestedFilename }) => {
        const name = displayText(suggestedFilename);
        this.#downloadCount++;
        const { downloads } = this.browser;
        if (downloads === undefined) {
          this.notify(`${name} is a download, but the session has no download folder; the previous page stays`);
          return;
        }
        if (this.#downloads.size < maxDownloads) this.#downloads.set(guid, name);
        this.notify(`${name} is a download: it is saved to ${downloads}; the previous page stays`);
      },
      'Page.downloadProgress': ({ guid, state }) => {
        if (state === 'inProgress') return;
        const name = this.#downloads.get(guid);
        this.#downloads.delete(guid);
        if (name !== undefined && state === 'canceled') this.notify(`the download of ${name} failed`);
      },
      'Page.javascriptDialogOpening': ({ type, url, message, defaultPrompt = '' }) => {
        if (this.#dialogsLeft > 0) return;
        const over = new Promise<void>((resolve) => (this.#dialogOver = resolve));
        const question = { kind: type, from: url, message, text: defaultPrompt };
        this.#askUser(question, over, (answer) => this.#closeDialog(answer));
      },
      'Page.javascriptDialogClosed': () => this.#dialogOver(),
      'Page.fileChooserOpened': ({ mode, backendNodeId }) => {
        if (this.#dialogsLeft > 0 || backendNodeId === undefined) return;
        const multiple = mode === 'selectMultiple';
        const question = {
          kind: 'files',
          from: this.#url,
          multiple,
          filter: this.#fileFilter(backendNodeId),
        } as const;
        this.#askUser(question, undefined, async ({ accept, files = [] }) => {
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
          const unanswered = { requestId, authChallengeResponse: { response: 'Default' } };
          return void this.call('Fetch.continueWithAuth', unanswered).catch(() => undefined);
        }
        this.#askUser({ kind: 'credentials', from: origin, message: realm }, undefined, respond);
      },
      'Fetch.requestPaused': ({ requestId, frameId, request: { url } }) => {
        const isOwn = url === documentUrl;
        if (!isOwn && frameId === this.#mainFrame) {
          this.#requestedUrl = url;
          this.#listenToNetwork(true);
        }
        const answer = isOwn
          ? this.call('Fetch.fulfillRequest', { requestId, ...documentResponse(this.#html) })
          : this.call('Fetch.continueRequest', { requestId });
        // The navigation may be superseded.
        void answer.catch(() => {});
      },
      'Runtime.consoleAPICalled': (params) => this.onConsole?.(consoleText(params)),
      'Runtime.exceptionThrown': (params) => this.onConsole?.(exceptionText(params)),
      'Runtime.bindingCalled': ({ name, payload }) => {
        if (name === usesBinding && (uncontrolledUses as readonly string[]).includes(payload))
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

  #askUser(question: Question, withdrawn: Promise<void> | undefined, respond: (answer: Answer) => Promise<void>): void {
    const blocks = isBlocking(question) ? 1 : 0;
    if (blocks > 0 && this.#blocking === 0) this.#unblocked = new Promise((resolve) => (this.#unblock = resolve));
    this.#blocking += blocks;
    let isOver = false;
    let ended: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (ended = resolve));
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#blocking -= blocks;
      if (this.#blocking === 0) this.#unblock();
      ended();
    };
    void withdrawn?.then(end);
    const answer = async (reply: Answer): Promise<void> => {
      if (isOver) return;
      end();
      // The page was left, or a client answered.
      await respond(reply).catch((error: unknown) => {
        if (!(error instanceof CommandRefused)) throw error;
      });
    };
    this.onQuestion({ question, answer, over });
  }

  async #fileFilter(backendNodeId: number): Promise<FileFilter> {
    const { attributes = [] } = await this.call('DOM.describeNode', { backendNodeId }, Described)
      .then(({ node }) => node)
      .catch(() => ({ attributes: [] }));
    const accept = attributes.findIndex((name, index) => index % 2 === 0 && name === 'accept');
    return {
      folder: attributes.some((name, index) => index % 2 === 0 && name === 'webkitdirectory'),
      accept: accept < 0 ? '' : (attributes[accept + 1] ?? ''),
    };
  }

  async #closeDialog({ accept, text }: Answer): Promise<void> {
    const params = { accept, promptText: text };
    await this.call('Page.handleJavaScriptDialog', params).catch(() => undefined);
  }

  #timedOut(action: string): GyreError {
    return new GyreError('infra', `the page did not answer ${action} within ${this.options.timeoutMs} ms`, {
      part: 'page',
      field: 'page',
      fix: 'check the page for a script that never ends, or raise timeoutMs',
    });
  }

  /** Converts a refused command to `infra` and breaks the tab. */
  protected asInfra(error: unknown): unknown {
    if (!(error instanceof CommandRefused)) return error;
    return this.break(
      new GyreError('infra', error.message, { part: 'page', fix: 'lease another session', cause: error }),
    );
  }

  /** Breaks the tab: further calls throw `reason`. */
  break(reason: GyreError): GyreError {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = reason;
    this.browser.connection.drop(this.ids.session, reason);
    this.#loading.abandon();
    this.#unblock();
    this.onBroken(reason);
    return reason;
  }
}

const gone = (what: string): GyreError =>
  new GyreError('infra', what, { part: 'page', field: 'page', fix: 'lease another session' });

const answerAtOnce = ({ question, answer }: PendingQuestion): void =>
  void answer(dismissal(question)).catch(() => undefined);
