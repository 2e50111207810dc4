import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';
import type { BrowserSurface } from '../../../lease/session.js';
import type { CdpEndpoint } from '../../../browser/cdp/endpoint.js';
import { missing, refuse, Unsuccessful } from '../route.js';

const maxTracked = 1_000;

export interface TrackedRequest {
  readonly url: string;
  readonly method: string;
  readonly resource_type: string;
  readonly timestamp: string;
  readonly request_headers: Readonly<Record<string, string>>;
  status: number | null;
  status_text: string;
  response_headers: Readonly<Record<string, string>>;
  duration_ms: number | null;
  failure: string | null;
}

export interface ConsoleLine {
  readonly type: string;
  readonly text: string;
  readonly url: string;
  readonly timestamp: string;
}

interface Attached {
  readonly endpoint: CdpEndpoint;
  readonly browser: Browser;
  readonly context: BrowserContext;
}

/** Drives the session's browser over CDP, as clients of `cdp_url` do. Attaches on first use. */
export class AttachedBrowser {
  readonly requests: TrackedRequest[] = [];
  readonly console: ConsoleLine[] = [];
  readonly #surface: BrowserSurface | undefined;
  #attached: Promise<Attached> | undefined;
  #page: Page | undefined;
  /** Opened by clients, and not on screen. */
  readonly #hidden = new WeakSet<Page>();
  readonly #press: (keys: string) => Promise<void>;

  constructor(surface: BrowserSurface | undefined, press: (keys: string) => Promise<void>) {
    this.#surface = surface;
    this.#press = press;
  }

  get surface(): BrowserSurface {
    return this.#surface ?? missing('browser with pages', 'start the server with --kind browser');
  }

  async context(): Promise<BrowserContext> {
    return (await this.#attach()).context;
  }

  async page(): Promise<Page> {
    const context = await this.context();
    if (this.#page?.isClosed() !== false) this.#page = context.pages()[0];
    return this.#page ?? (this.#page = await context.newPage());
  }

  async pages(): Promise<Page[]> {
    return (await this.context()).pages();
  }

  async isOnScreen(): Promise<boolean> {
    return this.#attached === undefined || !this.#hidden.has(await this.page());
  }

  async open(): Promise<Page> {
    const page = await (await this.context()).newPage();
    this.#hidden.add(page);
    this.#page = page;
    return page;
  }

  async activate(page: Page): Promise<void> {
    this.#page = page;
    if (this.#hidden.has(page)) return page.bringToFront();
    const onScreen = (await this.pages()).filter((each) => !this.#hidden.has(each));
    if (onScreen.length > 1) await this.#press(`ctrl ${onScreen.indexOf(page) + 1}`);
  }

  async tab(index: number): Promise<Page> {
    const pages = await this.pages();
    return pages[index] ?? refuse('index', `use a number from 0 to ${pages.length - 1}`);
  }

  /** Disconnects until the next use. */
  async detach(): Promise<void> {
    const attached = await this.#attached?.catch(() => undefined);
    this.#attached = undefined;
    this.#page = undefined;
    await attached?.browser.close();
    await attached?.endpoint.close();
  }

  #attach(): Promise<Attached> {
    this.#attached ??= this.#start().catch((error: unknown) => {
      this.#attached = undefined;
      throw error;
    });
    return this.#attached;
  }

  async #start(): Promise<Attached> {
    const { surface } = this;
    // Slow to load, and few sessions need it.
    const { chromium } = await import('playwright-core');
    const endpoint = await surface.cdp();
    const browser = await chromium.connectOverCDP(endpoint.url);
    const [context] = browser.contexts();
    if (context === undefined) throw new Unsuccessful('the browser shows no page');
    context.on('page', (page) => {
      void this.#follow(page).catch(() => undefined);
    });
    context.on('request', (request) => this.#track(request));
    context.on('console', (message) => this.#log(message));
    return { endpoint, browser, context };
  }

  /** Activates tabs that a page opens; leaves those of other CDP clients alone. */
  async #follow(page: Page): Promise<void> {
    if (await page.opener()) {
      this.#page = page;
      return;
    }
    // A link may open a tab without an opener.
    await page.waitForLoadState('domcontentloaded');
    if (!this.#hidden.has(page) && this.surface.page.url === page.url()) this.#page = page;
  }

  #track(request: Request): void {
    const begin = performance.now();
    const tracked: TrackedRequest = {
      url: request.url(),
      method: request.method(),
      resource_type: request.resourceType(),
      timestamp: new Date().toISOString(),
      request_headers: request.headers(),
      status: null,
      status_text: '',
      response_headers: {},
      duration_ms: null,
      failure: null,
    };
    this.requests.push(tracked);
    this.requests.splice(0, this.requests.length - maxTracked);
    void request
      .response()
      .then(
        async (response) => {
          tracked.failure = response ? null : (request.failure()?.errorText ?? null);
          tracked.duration_ms = Math.round(performance.now() - begin);
          if (response === null) return;
          [tracked.status, tracked.status_text] = [response.status(), response.statusText()];
          tracked.response_headers = response.headers();
          // Includes headers of routes and the browser.
          Object.assign(tracked, { request_headers: await request.allHeaders() });
        },
        () => undefined,
      )
      .catch(() => undefined);
  }

  #log(message: ConsoleMessage): void {
    const [type, text, { url }] = [message.type(), message.text(), message.location()];
    this.console.push({ type, text, url, timestamp: new Date().toISOString() });
    this.console.splice(0, this.console.length - maxTracked);
  }
}
