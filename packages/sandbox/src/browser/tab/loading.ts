import { performance } from 'node:perf_hooks';
import type { PageEventHandlers, PageEventName } from '../pageEvent.js';

/** Delay of a client redirect that belongs to the load before it, in s. */
const soonS = 1;

/** Events that say how far the load of the main frame is. */
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
 * Follows the main frame of a page from one document to the next. A load begins when a document is asked for, by gyre or by the page, and
 * ends when the browser stops loading. Redirects by script, and by meta refresh within a second, continue it.
 */
export class Loading {
  #frame: string;
  /** Gyre has asked for a document, and the browser has not begun to fetch it. */
  #asked = false;
  /** The page has. */
  #requested = false;
  /** A redirect was scheduled. */
  #scheduled = false;
  /** The loader of a navigation that has no document yet. */
  #started: string | undefined;
  #busy = false;
  #since: number | undefined;
  /** Whether the next navigation restarts the time limit. */
  #renewed = false;
  #parsed = false;
  #loaded = false;
  #loads = 0;
  #waiting: (() => void)[] = [];

  constructor(frame: string) {
    this.#frame = frame;
  }

  /** Tells whether nothing is loading. */
  get isOver(): boolean {
    return !this.#asked && !this.#requested && !this.#scheduled && this.#started === undefined && !this.#busy;
  }

  /** Whether a requested document has not come: the browser holds back commands to the page before. */
  get isUncommitted(): boolean {
    return this.#started !== undefined;
  }

  /** The loader of the requested document. */
  get loader(): string | undefined {
    return this.#started;
  }

  /** When the load began, by `performance.now()`; undefined where nothing is loading. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Whether the current document has been parsed. */
  get isParsed(): boolean {
    return this.#parsed;
  }

  /** Whether the current document is complete. */
  get isLoaded(): boolean {
    return this.#loaded;
  }

  /** Counts the documents so far. */
  get documents(): number {
    return this.#loads;
  }

  /** Says that gyre asks for a document: its time begins now. */
  ask(): void {
    this.#asked = true;
    this.#since = performance.now();
    this.#tell();
  }

  /** Says that what the page asks for next is a load of its own, and not one that the last continues with. */
  renew(): void {
    this.#renewed = true;
  }

  /** Says that the browser has answered `ask`: the events of the navigation came before. */
  answered(): void {
    this.#asked = false;
    this.#tell();
  }

  /** Says that the document is there, and which frame shows it. */
  committed(frame: string): void {
    this.#frame = frame;
    this.#started = undefined;
    this.#requested = false;
    this.#parsed = false;
    this.#loaded = false;
    this.#loads++;
    this.#tell();
  }

  /** Says that nothing of it will come any more. */
  abandon(): void {
    this.#asked = false;
    this.#requested = false;
    this.#scheduled = false;
    this.#started = undefined;
    this.#busy = false;
    this.#tell();
  }

  /** Resolves to true when the load has ended, to false after `ms`. */
  async ended(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (!this.isOver) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        timer = setTimeout(resolve, left);
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
        // What was asked for by `ask` without an answer, such as going back, has begun.
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
