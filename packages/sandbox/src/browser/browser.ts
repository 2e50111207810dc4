import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { type BrowserPlace, isWalled, type PlaceOptions, placeOnHost, placeWithin } from './browserPlace.js';
import { confined } from '../isolation/browser/confinement.js';
import { Connection } from './connection.js';
import type { Network } from './flags.js';
import { readLines } from '../events/lines.js';
import { Pages } from './pages.js';
import { killFollowers } from '../shell/processTree.js';
import { endWithProcess } from '../lease/shutdown.js';

export interface BrowserOptions extends PlaceOptions {
  /** Hears what it writes to standard error, line by line. Default: nobody does. */
  readonly log?: ((line: string) => void) | undefined;
  /** How long the browser may take to start. */
  readonly timeoutMs: number;
}

/** Time limits of ending: after the order to, and after a kill. */
const graceMs = 2_000;
const buryMs = 2_000;

/** One browser process. It ends when this process does, however that happens: its pipe closes. */
export class Browser {
  readonly connection: Connection;
  readonly pages: Pages;
  /** Leader of the browser's process group. */
  readonly pid: number;
  readonly network: Network;
  readonly downloads: string | undefined;
  /** Whether it is isolated: then it can read only files of its session. */
  readonly walled: boolean;
  /**
   * Resolves with the reason when the process has ended and its profile is gone. It keeps this process alive until then: its pipes do so too,
   * but they close before its end is known, and whoever awaits that end would be left without an answer.
   */
  readonly ended: Promise<GyreError>;
  /** Why gyre ended it; undefined where it ended by itself. */
  #reason: GyreError | undefined;
  readonly #process: ChildProcess;
  readonly #place: BrowserPlace;
  #running = true;
  /** Frames are drawn one at a time: two at once, even of two pages, kill the compositor. */
  #lastFrame: Promise<unknown> = Promise.resolve();

  private constructor(options: BrowserOptions, place: BrowserPlace) {
    this.network = options.network;
    this.downloads = options.downloads;
    this.walled = isWalled(options);
    this.#place = place;
    const kill = () => this.kill();
    const forget = endWithProcess({ end: kill, endNow: () => this.#killNow() });
    const { command } = place;
    this.#process = spawn(command.file, command.args, {
      stdio: ['ignore', 'ignore', options.log ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // A group of its own: ctrl-C reaches gyre alone, and the whole family can be killed at once.
      detached: true,
      env: command.env,
      cwd: command.cwd,
    });
    if (options.log && this.#process.stderr) {
      readLines(this.#process.stderr, options.log);
      (this.#process.stderr as Readable & { unref(): void }).unref();
    }
    this.pid = this.#process.pid ?? 0;
    const [out, into] = [this.#process.stdio[3] as Writable, this.#process.stdio[4] as Readable];
    this.connection = new Connection(out, into, (reason) => {
      this.#reason = reason;
      this.kill();
    });
    this.pages = new Pages(this.connection);
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#running = false;
        this.kill();
        forget();
        const fix = 'lease another session';
        this.#reason ??= new GyreError('infra', 'the browser has ended', { part: 'browser', fix });
        this.connection.close(this.#reason);
        resolve(this.#reason);
      };
      this.#process.once('exit', end);
      this.#process.once('error', end);
    });
  }

  /**
   * Starts a browser: within the walls of its enclosure, or in the strongest confinement that the host allows. Throws `infra` where it
   * does not answer in time.
   */
  static async launch(options: BrowserOptions): Promise<Browser> {
    const { enclosure, executable } = options;
    if (enclosure && isWalled(options)) return Browser.#start(options, placeWithin(enclosure, options));
    let hangs = false;
    return confined(
      executable,
      (confinement) => Browser.#start(options, placeOnHost(options, confinement), () => (hangs = true)),
      // Without its sandbox or its user a browser ends at once.
      (error) => !hangs && error instanceof GyreError && error.code === 'infra',
    );
  }

  static async #start(options: BrowserOptions, place: BrowserPlace, onLate?: () => void): Promise<Browser> {
    const browser = new Browser(options, place);
    const timer = setTimeout(() => {
      onLate?.();
      browser.kill();
    }, options.timeoutMs);
    try {
      await Promise.all([browser.connection.send('Browser.getVersion'), browser.pages.start()]);
    } catch (cause) {
      await browser.ended;
      throw new GyreError('infra', `${options.executable} did not start`, {
        part: 'browser',
        field: 'executable',
        fix: 'start it by hand with --headless --version; `gyre doctor` says whether its sandbox works here',
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
    return browser;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Returns how pages of a context may download: into the folder for it, or not at all. */
  downloading(browserContextId: string): Readonly<Record<string, unknown>> {
    const { downloads } = this;
    if (downloads === undefined) return { browserContextId, behavior: 'deny' };
    return { browserContextId, behavior: 'allow', downloadPath: downloads };
  }

  /** Runs `draw` when no other frame of this browser is being drawn. */
  exclusively<Result>(draw: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastFrame.then(draw);
    this.#lastFrame = turn.catch(() => undefined);
    return turn;
  }

  /** Kills the process and all its children, and removes what they wrote. */
  kill(): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, 'SIGKILL');
    } catch {
      // It is already gone.
    }
    this.#place.remove();
  }

  /** Kills the browser without its keeper, which removes the files once nothing writes there any more: nobody else waits for that. */
  #killNow(): void {
    if (this.pid <= 0 || killFollowers(this.pid) === 0) this.kill();
  }

  /** Ends the process; resolves when it and its files are gone, or when the kernel does not end it although it was killed. */
  async close(): Promise<void> {
    this.connection.hangUp();
    const late = setTimeout(() => this.kill(), graceMs);
    const over = await Promise.race([this.ended, pause(graceMs + buryMs, this, { ref: false })]);
    clearTimeout(late);
    // The kernel does not end it, so nothing can: this process does not wait for it any longer.
    if (over === this) this.#process.unref();
  }
}
