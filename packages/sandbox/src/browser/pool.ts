import { GyreError, type Size } from '@gyre/protocol';
import { Browser } from './browser.js';
import { checkedNumber, maxTimerMs } from '../checkedNumber.js';
import { framesIn } from './clock/clock.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { findBrowser } from './executable.js';
import type { Files } from '../files/files.js';
import type { Clock, Network } from './flags.js';
import { FreeTab } from './tab/freeTab.js';
import { Modals } from './window/modal/modal.js';
import { checkedSize } from '../input/screenSize.js';
import { LeasedSession } from '../lease/session.js';
import { SteppedTab } from './tab/steppedTab.js';
import type { Tab, TabOptions } from './tab/tab.js';

export interface PoolOptions {
  /** Processes. Each draws one frame at a time, so one per core suffices. Default 1. */
  readonly browsers?: number;
  /** Default 16. */
  readonly sessionsPerBrowser?: number;
  /** Path of chromium-headless-shell. Default: `findBrowser(env)`. */
  readonly executable?: string;
  /** Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit per answer of browser or page. Default 15 s. */
  readonly timeoutMs?: number;
  /** Idle time before a lease expires. Default 10 minutes. */
  readonly ttlMs?: number;
  /** Default `none`. */
  readonly network?: Network;
  /**
   * `stepped`: time stands still between calls; frames are reproducible. `free`: real time, for ordinary web pages.
   * Default `stepped`.
   */
  readonly clock?: Clock;
  /** Default: the host, without isolation. */
  readonly enclosure?: Enclosure | undefined;
  /** As the browser sees it. Default: none. */
  readonly downloads?: string | undefined;
  /** Offered by file choosers. Default: none. */
  readonly files?: (() => Promise<Files>) | undefined;
  /** Explains why an address is blocked. Default: explains network `none`. */
  readonly explain?: TabOptions['explain'];
  /** Receives standard error and console output. */
  readonly log?: ((from: 'browser' | 'page', text: string) => void) | undefined;
}

export interface LeaseOptions {
  readonly size: Size;
  readonly ttlMs?: number;
  /**
   * A phone's touch screen, without a mouse. Requires a free clock: Chromium throttles touch moves by the wall clock.
   * Default false.
   */
  readonly touch?: boolean;
  /** Starts a dedicated browser, unaffected by other sessions. Default false. */
  readonly alone?: boolean;
  /** Duration of an `act`: game time on a stepped clock (default 100 ms), real time on a free one (default 0). */
  readonly stepMs?: number;
  /** Time to wait for a page load. Default 10 s. */
  readonly loadMs?: number | undefined;
  /** Accepts invalid certificates. Default false. */
  readonly ignoreCertificateErrors?: boolean | undefined;
  /** If false, nothing is composited and frames of `observe` are empty. Default true. */
  readonly pictures?: boolean | undefined;
}

type Settings = Required<Omit<PoolOptions, 'browsers' | 'enclosure' | 'downloads' | 'files' | 'explain' | 'log'>> &
  Pick<PoolOptions, 'enclosure' | 'downloads' | 'files' | 'explain' | 'log'>;

const reachesNothing = ({ hostname }: URL): string =>
  `host not in allow: ${hostname}; the session has no network access`;

interface Slot {
  browser: Promise<Browser>;
  taken: number;
  idle: Tab[];
}

/** Keeps browsers running and leases their pages. */
export class BrowserPool {
  readonly #slots: Slot[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #sessions = new Set<LeasedSession>();
  readonly #options: Settings;
  #launched = 0;
  #crashed = 0;
  #leases = 0;
  readonly #leased = new WeakMap<Browser, number>();
  /** Browsers that end with their last session: broken or dedicated ones. */
  readonly #retired = new Set<Browser>();
  readonly #starting = new Set<Promise<Browser>>();
  readonly #modals: Modals;
  #closed = false;

  private constructor(options: Settings) {
    this.#options = options;
    const { executable, env, enclosure, timeoutMs } = options;
    this.#modals = new Modals(() =>
      Browser.launch({ executable, env, network: 'none', clock: 'stepped', enclosure, timeoutMs }),
    );
  }

  /** Throws `missing` without a browser, `infra` if one does not start. */
  static async launch(options: PoolOptions = {}): Promise<BrowserPool> {
    const env = options.env ?? process.env;
    const pool = new BrowserPool({
      env,
      executable: options.executable ?? findBrowser(env).path,
      sessionsPerBrowser: checkedNumber('sessionsPerBrowser', options.sessionsPerBrowser ?? 16, counts),
      timeoutMs: checkedNumber('timeoutMs', options.timeoutMs ?? 15_000, times),
      ttlMs: checkedNumber('ttlMs', options.ttlMs ?? 600_000, times),
      network: options.network ?? 'none',
      clock: options.clock ?? 'stepped',
      enclosure: options.enclosure,
      explain: options.explain,
      downloads: options.downloads,
      files: options.files,
      log: options.log,
    });
    const browsers = checkedNumber('browsers', options.browsers ?? 1, counts);
    for (let index = 0; index < browsers; index++) {
      pool.#slots.push({ browser: pool.#start(), taken: 0, idle: [] });
    }
    try {
      await Promise.all(pool.#slots.map((slot) => slot.browser));
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  /** Counts current leases, and browsers started and crashed. */
  get stats(): { leased: number; launched: number; crashed: number } {
    return { leased: this.#sessions.size, launched: this.#launched, crashed: this.#crashed };
  }

  /** Returns the shared browsers' process group leaders. */
  async pids(): Promise<number[]> {
    const browsers = await Promise.allSettled(this.#slots.map((slot) => slot.browser));
    return browsers.flatMap((result) =>
      result.status === 'fulfilled' && result.value.running ? [result.value.pid] : [],
    );
  }

  /**
   * Leases a blank screen, waiting for a free one. Replaces dead browsers. Throws `infra`, or `bad_input` for bad
   * options.
   */
  async lease(options: LeaseOptions): Promise<LeasedSession> {
    if (options.touch && this.#options.clock === 'stepped') {
      throw new GyreError('bad_input', "a screen with clock: 'stepped' does not support touch", {
        field: 'touch',
        fix: "use clock: 'free'",
      });
    }
    const size = checkedSize(options.size);
    const stepFrames = this.#stepFrames(options.stepMs);
    if (options.loadMs !== undefined) checkedNumber('loadMs', options.loadMs, loads);
    const ttlMs = checkedNumber('ttlMs', options.ttlMs ?? this.#options.ttlMs, times);
    const slot = await this.#take();
    try {
      const tab = await (options.alone
        ? this.#tabAlone({ ...options, size })
        : this.#tabWithRetry(slot, { ...options, size }));
      this.#countSessions(tab.browser, 1);
      if (options.alone) this.#retired.add(tab.browser);
      const session = new LeasedSession(tab, {
        id: `session-${++this.#leases}`,
        stepFrames,
        pictures: options.pictures ?? true,
        modals: this.#modals,
        files: this.#options.files,
        home: this.#options.enclosure?.home,
        claim: () => this.#claim(slot, tab.browser),
        ttlMs,
        giveBack: async (tab, isIntact) => {
          this.#sessions.delete(session);
          const { browser } = tab;
          // Browsers remember accepted certificates and stored data.
          const isStored = options.ignoreCertificateErrors || this.#options.network !== 'none';
          const isReusable = isIntact && !isStored && !this.#retired.has(browser);
          const isClean = isReusable && browser.running && !this.#closed && (await isBlanked(tab));
          if (isClean) slot.idle.push(tab);
          else await tab.close().catch(() => {});
          this.#countSessions(browser, -1);
          this.#free(slot);
        },
      });
      this.#sessions.add(session);
      return session;
    } catch (error) {
      this.#free(slot);
      throw error;
    }
  }

  /** Ends all sessions and browsers, and waits for them. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    const started = [...this.#slots.map((slot) => slot.browser), ...this.#starting];
    const browsers = await Promise.allSettled(started);
    const running = browsers.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await Promise.all([...running, ...this.#retired, this.#modals].map((browser) => browser.close()));
  }

  /** Opens a blank page. Replaces a browser that fails to. */
  async #tabWithRetry(slot: Slot, options: LeaseOptions): Promise<Tab> {
    const current = slot.browser;
    try {
      return await this.#tab(slot, options);
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'infra') || this.#closed) throw error;
      const browser = await current.catch(() => undefined);
      if (slot.browser === current) {
        slot.idle = [];
        slot.browser = this.#start();
        if (browser?.running) this.#retire(browser);
      }
      return this.#tab(slot, options);
    }
  }

  async #tabAlone(options: LeaseOptions): Promise<Tab> {
    const browser = this.#start();
    this.#starting.add(browser);
    try {
      return await this.#tab({ browser, taken: 1, idle: [] }, options);
    } catch (error) {
      await browser.then((started) => started.close()).catch(() => undefined);
      throw error;
    } finally {
      this.#starting.delete(browser);
    }
  }

  /** Dedicates a browser to its only session and starts another. False if it has more sessions. */
  #claim(slot: Slot, browser: Browser): boolean {
    if (this.#leased.get(browser) !== 1) return false;
    if (this.#retired.has(browser) || this.#options.sessionsPerBrowser === 1) return true;
    this.#retire(browser);
    slot.idle = [];
    slot.browser = this.#start();
    // The next lease reports a failed start.
    slot.browser.catch(() => undefined);
    return true;
  }

  #retire(browser: Browser): void {
    this.#retired.add(browser);
    this.#countSessions(browser, 0);
  }

  #countSessions(browser: Browser, change: number): void {
    const leased = (this.#leased.get(browser) ?? 0) + change;
    this.#leased.set(browser, leased);
    if (leased > 0 || !this.#retired.has(browser)) return;
    void browser.close().then(() => this.#retired.delete(browser));
  }

  /** At least one frame on a stepped clock. */
  #stepFrames(ms: number | undefined): number {
    if (this.#options.clock === 'free') return ms === undefined ? 0 : framesIn(checkedNumber('stepMs', ms, steps));
    return framesIn(checkedNumber('stepMs', ms ?? 100, steps), 1);
  }

  async #start(): Promise<Browser> {
    const { executable, env, network, clock, enclosure, downloads, log, timeoutMs } = this.#options;
    const heard =
      log &&
      ((line: string) => {
        // Pages report these themselves.
        if (!/:INFO:CONSOLE\b/.test(line)) log('browser', line);
      });
    const launch = (): Promise<Browser> =>
      Browser.launch({ executable, env, network, clock, enclosure, downloads, log: heard, timeoutMs });
    // Under load a starting browser may crash.
    const browser = await launch().catch(launch);
    this.#launched += 1;
    void browser.ended.then(() => {
      const isDone = this.#retired.has(browser) && this.#leased.get(browser) === 0;
      if (!this.#closed && !isDone) this.#crashed += 1;
    });
    return browser;
  }

  async #take(): Promise<Slot> {
    for (;;) {
      if (this.#closed)
        throw new GyreError('infra', 'the pool was closed', { part: 'lease', fix: 'launch another pool' });
      const free = this.#slots.filter((slot) => slot.taken < this.#options.sessionsPerBrowser);
      const slot = free.sort((a, b) => a.taken - b.taken)[0];
      if (slot !== undefined) {
        slot.taken += 1;
        return slot;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #free(slot: Slot): void {
    slot.taken -= 1;
    this.#waiting.shift()?.();
  }

  async #tab(slot: Slot, lease: LeaseOptions): Promise<Tab> {
    const { size, touch = false, loadMs = defaultLoadMs, ignoreCertificateErrors = false } = lease;
    const browser = await this.#browser(slot);
    const { timeoutMs, clock, network, log, explain = network === 'none' ? reachesNothing : undefined } = this.#options;
    const kind = { stepped: SteppedTab, free: FreeTab }[clock];
    let idle = ignoreCertificateErrors ? undefined : slot.idle.pop();
    while (idle?.failure) idle = slot.idle.pop();
    const tab = idle ?? (await kind.create(browser, { size, timeoutMs, explain, ignoreCertificateErrors }));
    tab.loadMs = loadMs;
    if (log) tab.onConsole = (text) => log('page', text);
    const fits = tab.size.width === size.width && tab.size.height === size.height && tab.touch === touch;
    if (!fits) {
      await tab.resize(size, touch);
      await tab.blank();
    }
    return tab;
  }

  async #browser(slot: Slot): Promise<Browser> {
    const current = slot.browser;
    const running = await current.then(
      (browser) => browser.running,
      () => false,
    );
    // Only the first of concurrent leases replaces a dead browser.
    if (!running && !this.#closed && slot.browser === current) {
      slot.idle = [];
      slot.browser = this.#start();
    }
    return slot.browser;
  }
}

const isBlanked = (tab: Tab): Promise<boolean> =>
  tab.blank().then(
    () => true,
    () => false,
  );

const defaultLoadMs = 10_000;
const loads = { min: 1, max: 600_000 } as const;
const counts = { min: 1, max: 1_000, whole: true } as const;
const times = { min: 1, max: maxTimerMs } as const;
const steps = { min: 1, max: 60_000 } as const;
