import { performance } from 'node:perf_hooks';
import type { PageEventHandlers, PageEventName } from '../pageEvent.js';

/** Maximum delay of a meta refresh that continues a load. */
const soonS = 1;

type LoadEvents = Pick<
  PageEventHandlers,
  Extract<
    PageEventName,
    | 'Page.frameScheduledNavigation'
    | 'Page.frameClearedScheduledNavigation'
    | 'Page.frameRequestedNavigation'
    | 'Page.frameStartedNavigating'
    | 'Page.frameStartedLoading'
    | 'Page.frameStoppedLoading'
    | 'Page.domContentEventFired'
    | 'Page.loadEventFired'
    | 'Page.navigatedWithinDocument'
  >
>;

/**
 * Tracks the main frame's loads, from the request until the browser stops loading. Scripted redirects, and meta
 * refreshes within a second, continue a load.
 */
export class Loading {
  #frame: string;
  #asked = false;
  #requested = false;
  #scheduled = false;
  /** Loader of an uncommitted navigation. */
  #started: string | undefined;
  #busy = false;
  #since: number | undefined;
  #renewed = false;
  #parsed = false;
  #loaded = false;
  #loads = 0;
  #waiting: (() => void)[] = [];

  constructor(frame: string) {
    this.#frame = frame;
  }

  get isOver(): boolean {
    return !this.#asked && !this.#requested && !this.#scheduled && this.#started === undefined && !this.#busy;
  }

  /** Whether a document is pending; until then the browser defers commands to the current page. */
  get isUncommitted(): boolean {
    return this.#started !== undefined;
  }

  get loader(): string | undefined {
    return this.#started;
  }

  /** `performance.now()` at the start of the load, if any. */
  get since(): number | undefined {
    return this.#since;
  }

  get isParsed(): boolean {
    return this.#parsed;
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  get documents(): number {
    return this.#loads;
  }

  /** Starts a load requested by gyre. */
  ask(): void {
    this.#asked = true;
    this.#since = performance.now();
    this.#tell();
  }

  /** Makes the next request a new load, not a redirect. */
  renew(): void {
    this.#renewed = true;
  }

  /** Called after the request's answer, which follows the navigation's events. */
  answered(): void {
    this.#asked = false;
    this.#tell();
  }

  committed(frame: string): void {
    this.#frame = frame;
    this.#started = undefined;
    this.#requested = false;
    this.#parsed = false;
    this.#loaded = false;
    this.#loads++;
    this.#tell();
  }

  abandon(): void {
    this.#asked = false;
    this.#requested = false;
    this.#scheduled = false;
    this.#started = undefined;
    this.#busy = false;
    this.#tell();
  }

  /** Resolves with whether the load ended within `ms`. */
  async ended(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (!this.isOver) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) return false;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        timer = setTimeout(resolve, remainingMs);
      });
      clearTimeout(timer);
    }
    return true;
  }

  handlers(): LoadEvents {
    const isMain = (frameId: string): boolean => frameId === this.#frame;
    return {
      'Page.frameScheduledNavigation': ({ frameId, delay }) => {
        if (!isMain(frameId) || delay > soonS) return;
        this.#scheduled = true;
        this.#tell();
      },
      'Page.frameClearedScheduledNavigation': ({ frameId }) => {
        if (!isMain(frameId)) return;
        this.#scheduled = false;
        this.#requested = false;
        this.#tell();
      },
      'Page.frameRequestedNavigation': ({ frameId, disposition }) => {
        if (!isMain(frameId) || disposition !== 'currentTab') return;
        this.#requested = true;
        this.#restart();
        this.#tell();
      },
      'Page.frameStartedNavigating': ({ frameId, loaderId, navigationType }) => {
        if (!isMain(frameId) || /samedocument/i.test(navigationType)) return;
        this.#started = loaderId;
        this.#restart();
        this.#tell();
      },
      'Page.frameStartedLoading': ({ frameId }) => {
        if (!isMain(frameId)) return;
        this.#busy = true;
        // Going back has no answer.
        if (this.#started !== undefined) this.#asked = false;
        this.#tell();
      },
      'Page.frameStoppedLoading': ({ frameId }) => {
        if (!isMain(frameId)) return;
        this.#busy = false;
        this.#started = undefined;
        this.#requested = false;
        this.#tell();
      },
      'Page.domContentEventFired': () => {
        this.#parsed = true;
      },
      'Page.loadEventFired': () => {
        this.#parsed = true;
        this.#loaded = true;
      },
      'Page.navigatedWithinDocument': ({ frameId }) => {
        if (!isMain(frameId)) return;
        this.#asked = false;
        this.#requested = false;
        this.#tell();
      },
    };
  }

  #restart(): void {
    if (this.#renewed) this.#since = performance.now();
    this.#renewed = false;
  }

  #tell(): void {
    if (!this.isOver) {
      this.#since ??= performance.now();
      return;
    }
    this.#since = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
