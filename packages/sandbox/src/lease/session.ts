import { GyreError, type Action, type Size } from '@gyre/protocol';
import PQueue from 'p-queue';
import { type CdpEndpoint, type CdpOptions, openEndpoint } from '../browser/cdp/endpoint.js';
import { BrowserWindow, type WindowOptions } from '../browser/window/browserWindow.js';
import { checkedNumber } from '../checkedNumber.js';
import { framesIn } from '../browser/clock/clock.js';
import { CommandRefused } from '../browser/connection.js';
import type { Frame } from '../recording/frame.js';
import type { CapturedFrame } from '../recording/frameFeed.js';
import { webUrl } from '../browser/webUrl.js';
import { Lease } from './lease.js';
import type { PageSource } from '../browser/page.js';
import type { SessionState } from './state.js';
import type { PageState, Tab } from '../browser/tab/tab.js';

/** Pixels out, mouse and keys in. Calls are serialized. */
export interface Screen {
  /** In px. */
  readonly size: Size;
  /**
   * Executes an action; a frame-stepped screen then advances by `stepMs`. `screenshot`, `finished` and `call_user` do
   * nothing. Throws `bad_input`, before anything happens, for an action that the screen cannot take.
   */
  act(action: Action): Promise<void>;
  /** Captures the screen; if frame-stepped, the last frame of game time. */
  observe(): Promise<Frame>;
  /** Takes new notices that the screen may not show: failed or slow loads, downloads. */
  notices?(): readonly string[];
}

export interface EvaluateOptions {
  /** `first` is the tab that the session began with, for verifiers; its dialogs are cancelled. Default `shown`. */
  readonly tab?: 'shown' | 'first' | undefined;
}

/** The page of a browser session, for set-up, verifiers and oracles; never for the agent. */
export interface BrowserSurface {
  /**
   * Opens a fresh document with the clock at 0 and seeded randomness. Throws `infra` if it loads too slowly,
   * `bad_input` if its script throws.
   */
  open(page: PageSource): Promise<void>;
  /**
   * Loads a URL within `loadMs`. A failure shows an error page, and appears in `page` and the notices. Throws
   * `bad_input` for anything but the web.
   */
  navigate(url: string): Promise<void>;
  readonly page: PageState;
  /** @param quality 0 to 100, JPEG only. */
  screenshot(format: 'png' | 'jpeg', quality?: number): Promise<Uint8Array>;
  /** Advances game time, rounded to whole frames of 1/60 s. */
  advance(ms: number): Promise<void>;
  /**
   * Evaluates in the isolated world `gyre`; returns JSON. Changes show with the next frame. Throws `bad_input` with the
   * expression's error, and while a dialog is open.
   */
  evaluate<T>(expression: string, options?: EvaluateOptions): Promise<T>;
  /** Features in use that escape the stepped clock or the seed, such as `workers`: replays may differ. */
  readonly uncontrolled?: readonly string[];
  /**
   * Opens a Chrome DevTools Protocol endpoint, as for Playwright. Clients see this session only; commands renew the
   * lease. Throws `bad_input` on a stepped clock.
   */
  cdp(options?: CdpOptions): Promise<CdpEndpoint>;
}

/** Every call of a surface renews the lease, and throws `infra` once the session has ended. */
export interface Session {
  readonly id: string;
  readonly state: SessionState;
  /** Resolves with the reason if the session ends without being released. */
  readonly broken: Promise<GyreError>;
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  /** Ends the session. Idempotent. */
  release(): Promise<void>;
}

export interface BrowserSession extends Session {
  readonly browser: BrowserSurface;
}

/** Throws `bad_input` without a browser. */
export function browserOf({ browser }: Session): BrowserSurface {
  if (browser) return browser;
  throw new GyreError('bad_input', 'the session has no browser', {
    field: 'session',
    fix: 'lease a session from a browser pool',
  });
}

export interface LeaseTerms extends Omit<WindowOptions, 'onBroken'> {
  readonly id: string;
  readonly ttlMs: number;
  /** Called once. */
  readonly giveBack: (tab: Tab, whole: boolean) => Promise<void>;
}

const longestAdvanceMs = 3_600_000;

export class LeasedSession implements BrowserSession, Screen, BrowserSurface {
  readonly id: string;
  readonly screen: Screen = this;
  readonly browser: BrowserSurface = this;
  readonly #tab: Tab;
  readonly #window: BrowserWindow;
  readonly #lease: Lease;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #endpoints = new Set<CdpEndpoint>();

  constructor(tab: Tab, { id, ttlMs, giveBack, ...terms }: LeaseTerms) {
    this.id = id;
    this.#tab = tab;
    this.#window = new BrowserWindow(tab, { ...terms, onBroken: (reason) => this.#lease.break(reason) });
    this.#lease = new Lease(ttlMs, async (whole) => {
      const strangers = this.#endpoints.size > 0;
      await Promise.all([...this.#endpoints].map((endpoint) => endpoint.close()));
      if (whole) await this.#queue.onIdle();
      // Leftovers of CDP clients and other tabs must not reach the next session.
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

  /** Captures the screen for viewers; on a stepped clock, between calls. */
  look(): Promise<CapturedFrame | undefined> {
    const look = async () => {
      const begin = this.#window.taken ? undefined : performance.now();
      const frame = await this.#window.picture();
      return { frame, costMs: begin === undefined ? 0 : performance.now() - begin };
    };
    if (!this.#window.live) return this.#queue.add(look);
    // A page being replaced cannot be captured.
    return look().catch((error: unknown) => {
      if (!(error instanceof CommandRefused)) throw error;
      return undefined;
    });
  }

  screenshot(format: 'png' | 'jpeg', quality?: number): Promise<Uint8Array> {
    return this.#next(() => {
      if (quality !== undefined) checkedNumber('quality', quality, { min: 0, max: 100 });
      return this.#window.encoded({ format, ...(quality === undefined ? {} : { quality }) });
    });
  }

  advance(ms: number): Promise<void> {
    return this.#next(() => this.#window.advance(framesIn(checkedNumber('ms', ms, { min: 0, max: longestAdvanceMs }))));
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
      // It may have ended meanwhile.
      if (this.state !== 'leased') await endpoint.close();
      this.#lease.check();
      return endpoint;
    });
  }

  release(): Promise<void> {
    return this.#lease.release();
  }

  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#queue.add(() => this.#lease.use(call));
  }
}
