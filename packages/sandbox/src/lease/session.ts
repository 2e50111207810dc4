import { GyreError, type Action, type Size } from '@gyre/protocol';
import { type CdpEndpoint, type CdpOptions, openEndpoint } from '../browser/cdp/endpoint.js';
import { BrowserWindow, type WindowOptions } from '../browser/window/browserWindow.js';
import { checkedNumber } from '../checkedNumber.js';
import { framesIn } from '../browser/clock/clock.js';
import { CommandRefused } from '../browser/connection.js';
import type { Frame } from '../recording/frame.js';
import type { Look } from '../recording/frameFeed.js';
import { webUrl } from '../browser/webUrl.js';
import { Lease } from './lease.js';
import type { PageSource } from '../browser/page.js';
import type { SessionState } from './state.js';
import type { PageState, Tab } from '../browser/tab/tab.js';
import { Turns } from './turns.js';

/** Pixels out, mouse and keys in. Calls run one after another. */
export interface Screen {
  /** In px. */
  readonly size: Size;
  /**
   * Takes an action, then lets its effect show: on a frame-stepped screen one step of game time passes (`stepMs`). `screenshot`,
   * `finished` and `call_user` do nothing and take no time. Throws `bad_input` for an action that the screen cannot take; then nothing
   * has happened.
   */
  act(action: Action): Promise<void>;
  /** What the screen shows: on a frame-stepped screen the last frame of game time, however often it is asked for. */
  observe(): Promise<Frame>;
  /**
   * Takes what has happened since the last time that the screen need not show: pages that still load or did not, downloads. Without it
   * there is never anything.
   */
  notices?(): readonly string[];
}

export interface EvaluateOptions {
  /**
   * `shown`, or `first`: the tab that the session began with, whose dialogs are cancelled before. It is the one that is judged. Default
   * `shown`.
   */
  readonly tab?: 'shown' | 'first' | undefined;
}

/** The page that a browser session shows, for set-ups, verifiers and oracles; never for the agent. */
export interface BrowserSurface {
  /**
   * Shows a fresh document, with the clock at 0 and seeded randomness. Throws `infra` where it does not load in time, and
   * `bad_input` where its script throws.
   */
  open(page: PageSource): Promise<void>;
  /**
   * Loads a URL. What does not load shows a page that says why; what is still to come when the load's time is over is not waited for.
   * `page` and the notices of the screen tell. Throws `bad_input` for anything but the web.
   */
  navigate(url: string): Promise<void>;
  /** What is known of the page that is shown. */
  readonly page: PageState;
  /** What the screen shows now, encoded; `quality` (0..100) is for JPEG. */
  screenshot(format: 'png' | 'jpeg', quality?: number): Promise<Uint8Array>;
  /** Moves game time by `ms`, rounded to whole frames of 1/60 s. */
  advance(ms: number): Promise<void>;
  /**
   * Value of an expression in the isolated world `gyre`, as JSON carries it. What it changes on the page shows with the next frame, so when
   * game time passes. Throws `bad_input` with what the expression threw, and where a dialog is open whose page answers nothing else.
   */
  evaluate<T>(expression: string, options?: EvaluateOptions): Promise<T>;
  /**
   * On a stepped clock, what its pages have used so far that keeps the browser's own time or randomness, such as `workers`: frames may differ
   * when the same actions are carried out again.
   */
  readonly uncontrolled?: readonly string[];
  /**
   * Lets clients of the Chrome DevTools Protocol, such as Playwright and puppeteer, use this page and open others beside it; they see
   * nothing of other sessions. Each of their commands renews the lease. Throws `bad_input` where time stands still.
   */
  cdp(options?: CdpOptions): Promise<CdpEndpoint>;
}

/**
 * One leased sandbox with its surfaces. Every call of a surface renews the lease. All of them throw `infra` when what is behind them,
 * or the lease, is gone.
 */
export interface Session {
  readonly id: string;
  readonly state: SessionState;
  /** Resolves with the reason when the session ends otherwise than by being released. */
  readonly broken: Promise<GyreError>;
  readonly screen: Screen;
  /** Where the screen is that of a browser. */
  readonly browser?: BrowserSurface;
  /** Gives the sandbox back. Twice is once. */
  release(): Promise<void>;
}

/** A session whose screen is that of a browser. */
export interface BrowserSession extends Session {
  readonly browser: BrowserSurface;
}

/** The browser of a session. Throws `bad_input` where it has none. */
export function browserOf({ browser }: Session): BrowserSurface {
  if (browser) return browser;
  throw new GyreError('bad_input', 'the session has no browser', {
    field: 'session',
    fix: 'lease one of a browser pool',
  });
}

export interface LeaseTerms extends Omit<WindowOptions, 'onBroken'> {
  readonly id: string;
  /** The lease ends when no call comes for this long. */
  readonly ttlMs: number;
  /** Takes the tab back, whole or broken. Called once. */
  readonly giveBack: (tab: Tab, whole: boolean) => Promise<void>;
}

/** The most that game time moves by one call, in ms: an hour. */
const longestAdvanceMs = 3_600_000;

/** A session on a tab of a pool's browser. */
export class LeasedSession implements BrowserSession, Screen, BrowserSurface {
  readonly id: string;
  readonly screen: Screen = this;
  readonly browser: BrowserSurface = this;
  readonly #tab: Tab;
  readonly #window: BrowserWindow;
  readonly #lease: Lease;
  readonly #turns = new Turns();
  readonly #endpoints = new Set<CdpEndpoint>();

  constructor(tab: Tab, { id, ttlMs, giveBack, ...terms }: LeaseTerms) {
    this.id = id;
    this.#tab = tab;
    this.#window = new BrowserWindow(tab, { ...terms, onBroken: (reason) => this.#lease.break(reason) });
    this.#lease = new Lease(ttlMs, async (whole) => {
      const strangers = this.#endpoints.size > 0;
      await Promise.all([...this.#endpoints].map((endpoint) => endpoint.close()));
      if (whole) await this.#turns.over;
      // What CDP clients and other tabs leave in a page is not for the next session.
      const isPlain = whole && !strangers && this.#window.isPlain;
      const clean =
        isPlain &&
        (await this.#window.reset().then(
          () => true,
          () => false,
        ));
      await this.#window.end();
      await giveBack(tab, clean);
    });
  }

  get uncontrolled(): readonly string[] {
    return [...this.#tab.uncontrolled].sort();
  }

  get size(): Size {
    return this.#window.size;
  }

  get page(): PageState {
    return this.#window.page;
  }

  get broken(): Promise<GyreError> {
    return this.#lease.broken;
  }

  get state(): SessionState {
    return this.#lease.state;
  }

  open(page: PageSource): Promise<void> {
    return this.#next(() => this.#window.open(page));
  }

  navigate(url: string): Promise<void> {
    return this.#next(() => this.#window.navigate(webUrl(url)));
  }

  act(action: Action): Promise<void> {
    return this.#next(() => this.#window.act(action));
  }

  observe(): Promise<Frame> {
    return this.#next(() => this.#window.observe());
  }

  notices(): readonly string[] {
    return this.#window.takeNotices();
  }

  /**
   * What the screen shows, for those who watch; undefined where nothing can be seen just now. Where time stands still it is drawn
   * between calls, as for `observe`, else at any time.
   */
  look(): Promise<Look | undefined> {
    const look = async () => {
      const begin = this.#window.taken ? undefined : performance.now();
      const frame = await this.#window.picture();
      return { frame, costMs: begin === undefined ? 0 : performance.now() - begin };
    };
    if (!this.#window.live) return this.#turns.next(look);
    // A page that is being replaced cannot be captured.
    return look().catch((error: unknown) => {
      if (!(error instanceof CommandRefused)) throw error;
      return undefined;
    });
  }

  screenshot(format: 'png' | 'jpeg', quality?: number): Promise<Uint8Array> {
    return this.#next(() => {
      if (quality !== undefined) checkedNumber('quality', quality, { least: 0, most: 100 });
      return this.#window.encoded({ format, ...(quality === undefined ? {} : { quality }) });
    });
  }

  advance(ms: number): Promise<void> {
    return this.#next(() =>
      this.#window.advance(framesIn(checkedNumber('ms', ms, { least: 0, most: longestAdvanceMs }))),
    );
  }

  evaluate<T>(expression: string, { tab = 'shown' }: EvaluateOptions = {}): Promise<T> {
    return this.#next(() => this.#window.evaluate<T>(expression, tab));
  }

  cdp({ onCommand }: CdpOptions = {}): Promise<CdpEndpoint> {
    return this.#lease.use(async () => {
      const endpoint = await openEndpoint(this.#tab.scope(), () => {
        this.#lease.renew();
        onCommand?.();
      });
      this.#endpoints.add(endpoint);
      // It may have ended meanwhile, and nobody else would close it.
      if (this.state !== 'leased') await endpoint.close();
      this.#lease.check();
      return endpoint;
    });
  }

  release(): Promise<void> {
    return this.#lease.release();
  }

  /** Runs a call after those before it, while the lease holds. */
  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#turns.next(() => this.#lease.use(call));
  }
}
