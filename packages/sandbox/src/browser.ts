import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import { Connection } from './connection.js';
import type { Command, Enclosure } from './enclosure/enclosure.js';
import { browserFlags, type Clock, type Network } from './flags.js';
import { readLines } from './lines.js';

export interface BrowserOptions {
  /** Path of chromium-headless-shell. */
  readonly executable: string;
  readonly env: NodeJS.ProcessEnv;
  readonly network: Network;
  readonly clock: Clock;
  /** Where it runs. Default: on the host, without walls. */
  readonly enclosure?: Enclosure | undefined;
  /** Where it puts what pages let be downloaded, as it sees that folder. Default: nothing can be. */
  readonly downloads?: string | undefined;
  /** Hears what it writes to standard error, line by line. Default: nobody does. */
  readonly log?: ((line: string) => void) | undefined;
  /** How long the browser may take to start. */
  readonly timeoutMs: number;
}

/** Runs the browser, and removes its profile when it ends, even where this process is long dead. */
const keeper = 'profile=$1; shift; "$@"; rm -rf "$profile"';

/** How long a browser that is told to end may take. */
const graceMs = 2_000;

/** One browser process. It ends when this process does, however that happens: its pipe closes. */
export class Browser {
  readonly connection: Connection;
  /** Leader of the browser's process group. */
  readonly pid: number;
  readonly network: Network;
  readonly downloads: string | undefined;
  /** Whether walls stand around it: what it can read of the file system is then its session's alone. */
  readonly walled: boolean;
  /** Resolves with the reason when the process has ended and its profile is gone. */
  readonly ended: Promise<GyreError>;
  /** What it is ended for, where it does not end of its own accord. */
  #reason: GyreError | undefined;
  readonly #process: ChildProcess;
  /** Removed when the browser ends; what lies within walls goes with them. */
  readonly #profile: string | undefined;
  #running = true;
  /** Frames are drawn one at a time: two at once, even of two pages, kill the compositor. */
  #lastFrame: Promise<unknown> = Promise.resolve();

  private constructor(options: BrowserOptions) {
    this.network = options.network;
    this.downloads = options.downloads;
    this.walled = options.enclosure !== undefined && options.enclosure.kind !== 'none';
    const { command, profile } = placed(options);
    this.#profile = profile;
    this.#process = spawn(command.file, command.args, {
      stdio: ['ignore', 'ignore', options.log ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // A group of its own: ctrl-C reaches gyre alone, and the whole family can be killed at once.
      detached: true,
      env: command.env,
      cwd: command.cwd,
    });
    this.#process.unref();
    if (options.log && this.#process.stderr) {
      readLines(this.#process.stderr, options.log);
      (this.#process.stderr as Socket).unref();
    }
    this.pid = this.#process.pid ?? 0;
    const [out, into] = [this.#process.stdio[3] as Writable, this.#process.stdio[4] as Readable];
    this.connection = new Connection(out, into, (reason) => {
      this.#reason = reason;
      this.kill();
    });
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#running = false;
        this.kill();
        const fix = 'lease another session';
        this.#reason ??= new GyreError('infra', 'the browser has ended', { part: 'browser', fix });
        this.connection.close(this.#reason);
        resolve(this.#reason);
      };
      this.#process.once('exit', end);
      this.#process.once('error', end);
    });
  }

  /** Starts a browser. Throws `infra` where it does not answer in time. */
  static async launch(options: BrowserOptions): Promise<Browser> {
    const browser = new Browser(options);
    const timer = setTimeout(() => browser.kill(), options.timeoutMs);
    try {
      await browser.connection.send('Browser.getVersion');
    } catch (cause) {
      await browser.ended;
      throw new GyreError('infra', `${options.executable} did not start`, {
        part: 'browser',
        field: 'executable',
        fix: 'start it by hand with --headless --version; as root it runs with --no-sandbox',
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

  /** How pages of a context may download: to the folder for it, or not at all. */
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
    if (this.#profile === undefined) return;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }

  /** Ends the process; resolves when it and its files are gone. */
  async close(): Promise<void> {
    this.connection.hangUp();
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/** The command that starts a browser, and the profile that is to be removed on the host. */
function placed({ enclosure, env, executable, network, clock }: BrowserOptions): {
  command: Command;
  profile: string | undefined;
} {
  const begin = (profile: string, root: boolean): string[] => [
    '-c',
    keeper,
    'gyre-browser',
    profile,
    executable,
    ...browserFlags({ profile, network, clock, root }),
  ];
  if (enclosure) {
    const name = `.gyre-browser-${randomUUID()}`;
    // Nobody inside is root.
    const args = begin(`${enclosure.home}/${name}`, enclosure.kind === 'none' && process.getuid?.() === 0);
    return { command: enclosure.command('/bin/sh', args), profile: undefined };
  }
  const profile = mkdtempSync(join(tmpdir(), 'gyre-browser-'));
  const args = begin(profile, process.getuid?.() === 0);
  return { command: { file: '/bin/sh', args, env: browserEnv(env, profile), cwd: tmpdir() }, profile };
}

/** What a browser needs of the environment, and no more: tokens and addresses stay here. */
function browserEnv(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH'];
  return {
    ...Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    HOME: home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
}
