import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { type BrowserPlace, isIsolated, type PlaceOptions, placeOnHost, placeWithin } from './browserPlace.js';
import { confined } from '../isolation/browser/confinement.js';
import { Connection } from './connection.js';
import type { Network } from './flags.js';
import { readLines } from '../events/lines.js';
import { Pages } from './pages.js';
import { killFollowers } from '../shell/processTree.js';
import { endWithProcess } from '../lease/shutdown.js';

export interface BrowserOptions extends PlaceOptions {
  readonly log?: ((line: string) => void) | undefined;
  readonly timeoutMs: number;
}

/** Grace periods after the order to end and after a kill. */
const graceMs = 2_000;
const buryMs = 2_000;

/** A browser process. It always ends with this process, which holds its pipe. */
export class Browser {
  readonly connection: Connection;
  readonly pages: Pages;
  /** Process group leader. */
  readonly pid: number;
  readonly network: Network;
  readonly downloads: string | undefined;
  /** Whether isolation limits it to its session's files. */
  readonly isolated: boolean;
  /**
   * Resolves when the process has ended. The process stays referenced until then: its pipes close earlier, and this
   * process could exit without an answer.
   */
  readonly ended: Promise<GyreError>;
  /** Set if gyre ended it. */
  #reason: GyreError | undefined;
  readonly #process: ChildProcess;
  readonly #place: BrowserPlace;
  #running = true;
  /** Two frames at once, even of different pages, crash the compositor. */
  #lastFrame: Promise<unknown> = Promise.resolve();

  private constructor(options: BrowserOptions, place: BrowserPlace) {
    this.network = options.network;
    this.downloads = options.downloads;
    this.isolated = isIsolated(options);
    this.#place = place;
    const kill = () => this.kill();
    const forget = endWithProcess({ end: kill, endNow: () => this.#killNow() });
    const { command } = place;
    this.#process = spawn(command.file, command.args, {
      stdio: ['ignore', 'ignore', options.log ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // Protects it from ctrl-C, and lets all children be killed at once.
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

  /** Starts a browser in its enclosure, or in the host's strongest confinement. Throws `infra`. */
  static async launch(options: BrowserOptions): Promise<Browser> {
    const { enclosure, executable } = options;
    if (enclosure && isIsolated(options)) return Browser.#start(options, placeWithin(enclosure, options));
    let hangs = false;
    return confined(
      executable,
      (confinement) => Browser.#start(options, placeOnHost(options, confinement), () => (hangs = true)),
      // Without its sandbox or user a browser exits at once.
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
        fix: 'run it with --headless --version to see its error, and `gyre doctor` to check its sandbox',
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

  downloading(browserContextId: string): Readonly<Record<string, unknown>> {
    const { downloads } = this;
    if (downloads === undefined) return { browserContextId, behavior: 'deny' };
    return { browserContextId, behavior: 'allow', downloadPath: downloads };
  }

  /** Serializes frames. */
  exclusively<Result>(draw: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastFrame.then(draw);
    this.#lastFrame = turn.catch(() => undefined);
    return turn;
  }

  kill(): void {
    try {
      if (this.pid > 0) process.kill(-this.pid, 'SIGKILL');
    } catch {
      // Already gone.
    }
    this.#place.remove();
  }

  /** Spares the keeper, which removes the files after the last write. */
  #killNow(): void {
    if (this.pid <= 0 || killFollowers(this.pid) === 0) this.kill();
  }

  /** Ends the process. Resolves even if the kernel fails to kill it in time. */
  async close(): Promise<void> {
    this.connection.hangUp();
    const late = setTimeout(() => this.kill(), graceMs);
    const over = await Promise.race([this.ended, pause(graceMs + buryMs, this, { ref: false })]);
    clearTimeout(late);
    // An unkillable process must not keep this one alive.
    if (over === this) this.#process.unref();
  }
}
