import type { Socket } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { endWithProcess } from '../lease/shutdown.js';
import { bubblewrapBuilder } from './bubblewrap.js';
import { ControlGroup, findGroupPlaces, type GroupPlace } from './controlGroup.js';
import { DiskWatch } from './diskWatch.js';
import { SocketBroker } from './socketBroker.js';
import type { Command, CommandOptions, Enclosure, EnclosureHold, Limits } from './enclosure.js';
import { NamespaceEntry, resourceLimits, type Restrictions } from './namespaceEntry.js';
import { EgressProxy } from './egressProxy.js';
import { forwardHostPort, splitHostPorts } from './hostPorts.js';
import { OwnRoot } from './ownRoot.js';
import { runOnHost } from './program.js';
import { defaultBase, SessionDirectory } from './sessionDirectory.js';
import { baseEnv, proxyEnv, proxyPort, rootEnv, systemEnv, userEnv } from './sessionEnv.js';
import type { HostProgram } from './starter.js';
import { filtered } from './systemCallFilter.js';
import { homeOf, sharedMemory, system } from './view.js';
import { IsolationUnavailable, type IsolationBuilder, type IsolationPlan } from './isolationBuilder.js';
import { checkedLimits, checkedPaths, checkedRoot, checkedUser, type IsolationOptions } from './isolationOptions.js';

let groupPlaces: readonly GroupPlace[] | undefined;
let filterWorks: Promise<boolean> | undefined;

async function tryFilter(): Promise<boolean> {
  const [file = '', ...args] = filtered(['true'], 'inside') ?? ['false'];
  return (await runOnHost(file, args)).code === 0;
}

/**
 * Namespaces that a first process keeps and every program enters. A hole in the shared kernel is a hole in the
 * isolation.
 */
export class IsolatedEnclosure implements Enclosure {
  readonly kind: IsolationBuilder['kind'];
  readonly home: string;
  readonly apart: boolean;
  readonly ended: Promise<void>;
  #initProcess: HostProgram | undefined;
  #first = 0;
  #namespaceEntry: NamespaceEntry | undefined;
  #socketBroker: SocketBroker | undefined;
  #proxy: EgressProxy | undefined;
  readonly #forwarded: { close(): void }[] = [];
  #watch: DiskWatch | undefined;
  #why = 'the enclosure has ended';
  #over = false;
  #closed: Promise<void> | undefined;
  #end: () => void = () => undefined;
  #forget: () => void = () => undefined;

  private constructor(
    readonly builder: IsolationBuilder,
    readonly directory: SessionDirectory,
    user: string,
    readonly limits: Limits,
    readonly holds: Readonly<Record<keyof Limits, EnclosureHold>>,
    readonly group: ControlGroup,
    readonly restrictions: Restrictions,
    readonly env: Readonly<Record<string, string>>,
  ) {
    this.kind = builder.kind;
    this.home = homeOf(user);
    this.apart = directory.apart;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Throws 'bad_input'; 'missing' or 'infra' if isolation is not installed or does not work; 'storage'. */
  static async create(
    options: IsolationOptions = {},
    builder: IsolationBuilder = bubblewrapBuilder,
  ): Promise<IsolatedEnclosure> {
    if (process.platform !== 'linux') {
      throw new IsolationUnavailable('missing', `${builder.kind} is not available on ${process.platform}`, {
        field: 'isolation',
        fix: 'use Linux',
      });
    }
    const limits = checkedLimits(options.limits);
    const readable = checkedPaths(options.readable ?? []);
    const user = checkedUser(options.user);
    const network = options.network ?? 'none';
    const { ports, others } = splitHostPorts(network === 'none' ? [] : network.allow);
    const proxy = network === 'none' ? undefined : new EgressProxy({ ...network, allow: others });
    const places = (groupPlaces ??= findGroupPlaces());
    const source = options.root === undefined ? undefined : checkedRoot(options.root);
    const { pinned } = options;
    const directory = SessionDirectory.create(options.directory ?? defaultBase(), {
      pinned,
      rooted: source !== undefined,
    });
    const name = `gyre-${process.pid}-${directory.name}`;
    let enclosure: IsolatedEnclosure | undefined;
    try {
      directory.recordOwner(ControlGroup.directories(places, name), builder.kind === 'podman' ? name : undefined);
      const mounted = await directory.layOutDisk(limits.diskBytes);
      const group = ControlGroup.create(places, name, limits);
      const enforced: readonly (keyof Limits)[] = mounted ? [...group.limits, 'diskBytes'] : group.limits;
      const holds = {
        memoryBytes: enforced.includes('memoryBytes') ? 'session' : 'each',
        cpus: enforced.includes('cpus') ? 'session' : 'none',
        // Without a control group, `prlimit` counts per user.
        processes: 'session',
        diskBytes: mounted ? 'session' : 'watched',
      } as const;
      const restrictions = {
        memberFiles: group.memberFiles,
        resourceLimits: resourceLimits(enforced, limits),
        filter: await (filterWorks ??= tryFilter()),
      };
      const root = source === undefined ? undefined : await OwnRoot.layOut(source, directory);
      const identity = root ? { ...rootEnv, ...root.env } : userEnv(user);
      const env = { ...baseEnv, ...identity, ...(proxy ? proxyEnv : {}), ...options.env };
      enclosure = new IsolatedEnclosure(builder, directory, user, limits, holds, group, restrictions, env);
      enclosure.#forget = endWithProcess({ end: () => enclosure?.close() });
      const { nestedNamespaces = false, devices = [] } = options;
      await enclosure.#build({
        directory,
        name,
        user,
        limits,
        restrictions,
        readable,
        nestedNamespaces,
        devices,
        root,
      });
      if (proxy) await enclosure.#open(proxy, ports);
      if (!mounted) enclosure.#guardDisk();
      return enclosure;
    } catch (error) {
      await (enclosure ? enclosure.close() : directory.remove()).catch(() => undefined);
      throw error;
    }
  }

  get endsAll(): boolean {
    return this.#over;
  }

  get homeOnHost(): string {
    return this.directory.home;
  }

  get system(): { home: string; onHost: string } {
    return { home: system.home, onHost: this.directory.system };
  }

  command(program: string, args: readonly string[] = [], options: CommandOptions = {}): Command {
    const namespaceEntry = this.#namespaceEntry;
    if (!namespaceEntry || this.#over) throw this.#gone();
    const { as = 'agent', cwd = as === 'agent' ? this.home : system.home, env } = options;
    const overrides = as === 'agent' ? {} : systemEnv;
    const { argv, env: hostEnv } = namespaceEntry.command(program, args, {
      as,
      cwd,
      env: { ...this.env, ...overrides, ...env },
    });
    const [file = '', ...rest] = argv;
    return { file, args: rest, env: hostEnv, cwd: '/' };
  }

  connect(port: number): Promise<Socket> {
    if (!this.#socketBroker || this.#over) return Promise.reject(this.#gone());
    return this.#socketBroker.connect(port);
  }

  explain(url: URL): string | undefined {
    if (this.#proxy) return this.#proxy.refusal(url);
    // The loopback is the session's own.
    if (/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return undefined;
    return `host not in allow: ${url.hostname}; the session has no network access`;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  #gone(): GyreError {
    return new GyreError('infra', this.#why, { part: 'machine', fix: 'lease another session' });
  }

  async #build(plan: IsolationPlan): Promise<void> {
    const builder = await this.builder.start(plan);
    const { program } = builder;
    this.#initProcess = program;
    void program.ended.then(() => this.#stop('the first process of the session has ended'));
    const first = await this.builder.finish(builder, plan);
    this.#first = first;
    const [nested, rooted] = [plan.nestedNamespaces, plan.root !== undefined];
    this.#namespaceEntry = new NamespaceEntry(first, program.pid, this.restrictions, { nested, rooted });
    if (this.#over) throw this.#gone();
    this.#socketBroker = new SocketBroker((command) => this.#namespaceEntry!.inNetwork(command));
    program.unref();
  }

  async #open(proxy: EgressProxy, ports: readonly number[]): Promise<void> {
    this.#proxy = proxy;
    proxy.serve(await this.#socketBroker!.listen(proxyPort));
    for (const port of ports) this.#forwarded.push(await forwardHostPort(this.#socketBroker!, port));
  }

  #guardDisk(): void {
    const { diskBytes } = this.limits;
    const memory = `/proc/${this.#first}/root${sharedMemory}`;
    this.#watch = new DiskWatch({ directory: this.directory.path, memory }, diskBytes, () => {
      this.#stop(`the session exceeded its disk limit of ${diskBytes} bytes`);
      void this.close().catch(() => undefined);
    });
  }

  #stop(why: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#why = why;
    this.#watch?.stop();
    this.#proxy?.close();
    for (const forwarded of this.#forwarded) forwarded.close();
    this.#socketBroker?.close();
    this.#end();
  }

  async #close(): Promise<void> {
    this.#stop('the enclosure has been closed');
    const initProcess = this.#initProcess;
    if (initProcess && !initProcess.over) {
      initProcess.ref();
      // The kernel ends all others with the first process, then the builder ends. It may have to wait: a program whose
      // nsenter was killed is the host's to reap, and in many containers nobody does.
      if (this.#first > 0) kill(this.#first);
      const late = setTimeout(() => initProcess.kill(), this.#first > 0 ? this.builder.buryMs : 0);
      await initProcess.ended;
      clearTimeout(late);
    }
    this.#namespaceEntry?.close();
    await this.directory.remove().finally(this.#forget);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
