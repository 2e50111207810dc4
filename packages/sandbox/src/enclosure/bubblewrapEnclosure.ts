import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import { ControlGroup, findGroupPlaces, type GroupPlace } from './controlGroup.js';
import { DiskWatch } from './diskWatch.js';
import { Doorway } from './doorway.js';
import type { Command, CommandOptions, Enclosure, Hold, Limits } from './enclosure.js';
import { Entrance, harnessed, resourceLimits, type Harness } from './entrance.js';
import { hostEnv, runOnHost } from './program.js';
import { OutsideProxy, type Outside } from './outsideProxy.js';
import { defaultBase, SessionDirectory } from './sessionDirectory.js';
import { filtered } from './systemCallFilter.js';
import { agent, walls } from './walls.js';

export interface BubblewrapOptions {
  readonly limits?: Partial<Limits>;
  /** What the session may reach: nothing but itself, or the hosts of a list. Default: nothing. */
  readonly network?: 'none' | Outside;
  /** Absolute paths of the host that programs inside may read, beside the system. The session's user must be able to. */
  readonly readable?: readonly string[];
  /** For every program of the session. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Lets programs inside make namespaces of their own, which Chromium's own sandbox needs. More of the kernel is within
   * their reach then. Default: no.
   */
  readonly nestedNamespaces?: boolean;
  /** Where sessions have their directories on the host. Default: `gyre-sandbox-UID` among the temporary files. */
  readonly directory?: string;
}

export const defaultLimits: Limits = { memoryBytes: 2 ** 31, cpus: 2, processes: 512, diskBytes: 2 ** 30 };

/** Where the session finds the way out, on its own loopback. */
const proxyPort = 3128;

/** How long the host may take to bury the dead of a session. */
const buryMs = 500;

/** How long the walls may take to stand. */
const startMs = 20_000;

/**
 * The first process inside. No signal from inside ends it. It takes in orphans while it waits for the program that reads
 * its input, starts that again when somebody kills it, and ends, with all that is inside, when the input does.
 */
const keeper = [
  'bash',
  '--noprofile',
  '--norc',
  '-c',
  'echo standing; until cat <&0 >/dev/null & wait "$!"; do :; done',
];

const install = 'install bubblewrap and util-linux (apt-get install bubblewrap util-linux)';
const allow =
  'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container: see its seccomp and AppArmor profiles)';

/** Neither changes while this process lives. */
let groupPlaces: readonly GroupPlace[] | undefined;
let filterWorks: Promise<boolean> | undefined;

async function tryFilter(): Promise<boolean> {
  const [file = '', ...args] = filtered(['true']) ?? ['false'];
  return (await runOnHost(file, args)).code === 0;
}

/**
 * Walls by bubblewrap: one set of namespaces that a first process keeps and every program of the session enters. They
 * share the host's kernel: a hole in the kernel is a hole in the wall.
 */
export class BubblewrapEnclosure implements Enclosure {
  readonly kind = 'bubblewrap';
  readonly home = agent.home;
  readonly ended: Promise<void>;
  #keeper: ChildProcess | undefined;
  #first = 0;
  #entrance: Entrance | undefined;
  #doorway: Doorway | undefined;
  #proxy: OutsideProxy | undefined;
  #watch: DiskWatch | undefined;
  #why = 'the enclosure has ended';
  #over = false;
  #closed: Promise<void> | undefined;
  #end: () => void = () => undefined;

  private constructor(
    readonly directory: SessionDirectory,
    readonly limits: Limits,
    readonly holds: Readonly<Record<keyof Limits, Hold>>,
    readonly group: ControlGroup,
    readonly harness: Harness,
    readonly env: Readonly<Record<string, string>>,
  ) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /**
   * Throws 'bad_input' for options that make no sense, 'missing' where bubblewrap is not installed, 'infra' where it does
   * not work, 'storage' where there is no place for the session's files.
   */
  static async create(options: BubblewrapOptions = {}): Promise<BubblewrapEnclosure> {
    if (process.platform !== 'linux') {
      throw new GyreError('missing', `there is no bubblewrap on ${process.platform}`, {
        field: 'isolation',
        fix: 'use Linux',
      });
    }
    const limits = checkedLimits(options.limits);
    const readable = checkedPaths(options.readable ?? []);
    const network = options.network ?? 'none';
    const proxy = network === 'none' ? undefined : new OutsideProxy(network);
    const places = (groupPlaces ??= findGroupPlaces());
    const directory = SessionDirectory.create(options.directory ?? defaultBase());
    const name = `gyre-${process.pid}-${directory.name}`;
    let enclosure: BubblewrapEnclosure | undefined;
    try {
      directory.own(ControlGroup.directories(places, name));
      const mounted = await directory.mountHome(limits.diskBytes);
      const group = ControlGroup.create(places, name, limits);
      const held: readonly (keyof Limits)[] = mounted ? [...group.limits, 'diskBytes'] : group.limits;
      const holds = {
        memoryBytes: held.includes('memoryBytes') ? 'session' : 'each',
        cpus: held.includes('cpus') ? 'session' : 'none',
        // What no control group counts is counted by the kernel for the session's user.
        processes: 'session',
        diskBytes: mounted ? 'session' : 'watched',
      } as const;
      const harness = {
        memberFiles: group.memberFiles,
        resourceLimits: resourceLimits(held, limits),
        filter: await (filterWorks ??= tryFilter()),
      };
      const env = { ...baseEnv, ...(proxy ? proxyEnv : {}), ...options.env };
      enclosure = new BubblewrapEnclosure(directory, limits, holds, group, harness, env);
      await enclosure.#stand(
        walls({ directory, limits, readable, nestedNamespaces: options.nestedNamespaces ?? false }),
      );
      if (proxy) await enclosure.#open(proxy);
      if (!mounted) enclosure.#guardDisk();
      return enclosure;
    } catch (error) {
      await (enclosure ? enclosure.close() : directory.remove()).catch(() => undefined);
      throw error;
    }
  }

  get homeOnHost(): string {
    return this.directory.home;
  }

  command(program: string, args: readonly string[] = [], { cwd, env }: CommandOptions = {}): Command {
    const entrance = this.#entrance;
    if (!entrance || this.#over) throw this.#gone();
    const { argv, env: hostEnv } = entrance.command(program, args, {
      cwd: cwd ?? this.home,
      env: { ...this.env, ...env },
    });
    const [file = '', ...rest] = argv;
    return { file, args: rest, env: hostEnv, cwd: '/' };
  }

  connect(port: number): Promise<Socket> {
    if (!this.#doorway || this.#over) return Promise.reject(this.#gone());
    return this.#doorway.connect(port);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  #gone(): GyreError {
    return new GyreError('infra', this.#why, { fix: 'lease another session' });
  }

  /** Builds the walls and opens the way in. */
  async #stand(args: readonly string[]): Promise<void> {
    const { harness } = this;
    const inside = ['prlimit', ...harness.resourceLimits, ...keeper];
    const { uid, gid } = this.directory.user;
    // As root, bubblewrap runs as the session's own user; for an ordinary user, in a user namespace that is his.
    const lead =
      process.getuid?.() === 0
        ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
        : ['unshare', '--user', '--map-root-user', '--'];
    const build = [...lead, 'bwrap', '--json-status-fd', '3', ...args, '--', ...inside];
    const [file = '', ...rest] = harnessed(harness, build);
    const child = spawn(file, rest, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: hostEnv,
      cwd: '/',
      detached: true,
    });
    this.#keeper = child;
    child.once('exit', () => this.#stop('the first process of the session has ended'));
    const first = await standing(child);
    this.#first = first;
    this.#entrance = new Entrance(first, child.pid!, harness);
    if (this.#over) throw this.#gone();
    this.#doorway = new Doorway((command) => this.#entrance!.inNetwork(command));
    child.unref();
  }

  async #open(proxy: OutsideProxy): Promise<void> {
    this.#proxy = proxy;
    proxy.serve(await this.#doorway!.listen(proxyPort));
  }

  #guardDisk(): void {
    const { diskBytes } = this.limits;
    this.#watch = new DiskWatch(this.directory.home, diskBytes, () => {
      this.#stop(`the session has taken more than its ${diskBytes} bytes of disk`);
      void this.close().catch(() => undefined);
    });
  }

  /** Nothing is let in any more. */
  #stop(why: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#why = why;
    this.#watch?.stop();
    this.#proxy?.close();
    this.#doorway?.close();
    this.#end();
  }

  async #close(): Promise<void> {
    this.#stop('the enclosure has been closed');
    const child = this.#keeper;
    if (child && child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      child.ref();
      const exit = once(child, 'exit');
      // With its first process the kernel ends all others of the session, and bubblewrap ends after that. It may have to
      // wait for the host: a program whose way in was killed is the host's to bury, and in many containers nobody does.
      if (this.#first > 0) kill(this.#first);
      const late = setTimeout(() => child.kill('SIGKILL'), this.#first > 0 ? buryMs : 0);
      await exit;
      clearTimeout(late);
    }
    for (const stream of child?.stdio ?? []) stream?.destroy();
    this.#entrance?.close();
    await this.group.remove();
    await this.directory.remove();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The number of the first process, as soon as it says that it is there. Throws what bubblewrap says when it does not come to that. */
async function standing(child: ChildProcess): Promise<number> {
  const [, stdout, stderr, status] = child.stdio as unknown as [unknown, Readable, Readable, Readable];
  const texts = { status: '', said: '', errors: '' };
  stderr.on('data', (chunk: Buffer) => (texts.errors = (texts.errors + chunk.toString()).slice(-2_000)));
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs);
  try {
    return await new Promise<number>((resolve, reject) => {
      const fail = (error: Error | null, code: number | null) => {
        const reason = texts.errors.trim() || error?.message || 'it does not answer';
        const missing = code === 127 || /(execvp?|bwrap).*No such file/.test(reason);
        const message = missing
          ? `what builds the walls is not installed: ${reason}`
          : `bubblewrap does not work: ${reason}`;
        reject(
          new GyreError(missing ? 'missing' : 'infra', message, { field: 'isolation', fix: missing ? install : allow }),
        );
      };
      child.once('error', (error) => fail(error, null));
      child.once('close', (code) => fail(null, code));
      const look = () => {
        const first = /"child-pid": (\d+)/.exec(texts.status)?.[1];
        if (first && texts.said.includes('standing\n')) resolve(Number(first));
      };
      status.on('data', (chunk: Buffer) => {
        texts.status += chunk.toString();
        look();
      });
      stdout.on('data', (chunk: Buffer) => {
        texts.said += chunk.toString();
        look();
      });
    });
  } finally {
    clearTimeout(timer);
    // Whoever takes over the first process could write there for ever.
    for (const stream of [stdout, stderr, status]) stream.destroy();
  }
}

const baseEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games',
  HOME: agent.home,
  USER: agent.name,
  LOGNAME: agent.name,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  XDG_RUNTIME_DIR: `/run/user/${agent.uid}`,
};

const proxyUrl = `http://127.0.0.1:${proxyPort}`;
const proxyEnv = {
  http_proxy: proxyUrl,
  https_proxy: proxyUrl,
  HTTPS_PROXY: proxyUrl,
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
};

function checkedLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given };
  for (const [field, value] of Object.entries(limits)) {
    const ok = Number.isFinite(value) && value > 0 && (field === 'cpus' || Number.isInteger(value));
    if (!ok)
      throw new GyreError('bad_input', `${field} is ${value}`, {
        field: `limits.${field}`,
        fix: 'give a number above 0',
      });
  }
  return limits;
}

function checkedPaths(paths: readonly string[]): readonly string[] {
  for (const path of paths) {
    if (
      isAbsolute(path) &&
      normalize(path) === path &&
      existsSync(path) &&
      path !== '/' &&
      !/^\/(proc|dev|sys)(\/|$)/.test(path)
    )
      continue;
    throw new GyreError('bad_input', `${path} cannot be shown to a session`, {
      field: 'readable',
      fix: 'name an absolute path of a file or directory that is there, without . and ..',
    });
  }
  return paths;
}
