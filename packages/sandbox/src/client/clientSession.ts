import { type Action, GyreError, type Size } from '@gyre/protocol';
import type { CdpEndpoint } from '../browser/cdp/endpoint.js';
import type { PageSource } from '../browser/page.js';
import type { PageState } from '../browser/tab/tab.js';
import type { SessionLogs } from '../events/sessionLog.js';
import { sizeOfPng } from '../foreign/driven/png.js';
import type { Checkpoint } from '../lease/checkpoint.js';
import { deviceKinds, type SandboxKind } from '../lease/kind.js';
import type { BrowserSurface, EvaluateOptions, Screen, Session } from '../lease/session.js';
import { fork, type Forkable, type ForkOptions } from '../lease/fork.js';
import type { SessionState } from '../lease/state.js';
import type { LeaseRequest } from '../wire/lease.js';
import { formatOf } from '../recording/ffmpeg.js';
import { type Frame, frameOf } from '../recording/frame.js';
import type { BodyOf, ReplyOf } from '../wire/route.js';
import { routes } from '../wire/routes.js';
import type { ActReply, SessionInfo } from '../wire/session.js';
import { type ClientDesktop, clientDesktop } from './clientDesktop.js';
import { type ClientPhone, clientPhone, type ClientRemote, clientRemote } from './clientDevice.js';
import { type ClientRecording, clientRecording, type ClientRecordOptions } from './clientRecording.js';
import { type ClientTools, clientTools } from './clientTools.js';
import type { Call, Link, ReadBytes } from './link.js';
import type { SessionLink } from './sessionLink.js';

export interface ClientShell {
  run(
    command: string,
    options?: Omit<BodyOf<typeof routes.shell.run>, 'command'>,
  ): Promise<ReplyOf<typeof routes.shell.run>>;
}

export interface ClientFiles {
  readBytes(path: string): Promise<Uint8Array>;
  /** Creates parent folders. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  list(path?: string): Promise<ReplyOf<typeof routes.files.list>>;
}

export interface ClientForkOptions extends ForkOptions {
  /** Labels of the servers that may lease the forks. Default: any. */
  readonly labels?: LeaseRequest['labels'];
}

/** Leases a session from a checkpoint, where the session itself was leased. */
export type Restore = (checkpoint: Checkpoint, lease: Omit<ClientForkOptions, 'count'>) => Promise<ClientSurfaces>;

export interface ClientSurfaces extends Session {
  readonly kind: SandboxKind;
  readonly shell: ClientShell;
  readonly files: ClientFiles;
  readonly desktop?: ClientDesktop;
  readonly tools: ClientTools;
  readonly phone?: ClientPhone;
  readonly remote?: ClientRemote;
  /** Needs no token, and lasts as long as the session. */
  link(port: number): Promise<string>;
  /** Downloaded when stopped. Throws like `SandboxSession.record`. */
  record(options: ClientRecordOptions): Promise<ClientRecording>;
  renew(): Promise<void>;
  /** See `SandboxSession.checkpoint`. */
  checkpoint(): Promise<Checkpoint>;
  /** See `SandboxSession.fork`. A fleet places forks on any node. */
  fork(options: ClientForkOptions): Promise<this[]>;
  /** Also works shortly after the end. */
  logs(): Promise<SessionLogs>;
}

interface ClientSessions {
  browser: ClientSurfaces & { readonly kind: 'browser'; readonly browser: BrowserSurface };
  desktop: ClientSurfaces & { readonly kind: 'desktop'; readonly desktop: ClientDesktop };
  shell: ClientSurfaces & { readonly kind: 'shell' };
  vm: ClientSurfaces & { readonly kind: 'vm' };
  phone: ClientSurfaces & { readonly kind: 'phone'; readonly phone: ClientPhone };
  remote: ClientSurfaces & { readonly kind: 'remote'; readonly remote: ClientRemote };
}

/** E.g. `ClientSession<'browser'>` has a `browser`. */
export type ClientSession<Kind extends SandboxKind = SandboxKind> = ClientSessions[Kind];

export class LinkedSession implements ClientSurfaces, Screen, BrowserSurface {
  readonly id: string;
  readonly kind: SandboxKind;
  readonly screen: Screen = this;
  readonly browser?: BrowserSurface;
  readonly desktop?: ClientDesktop;
  readonly phone?: ClientPhone;
  readonly remote?: ClientRemote;
  readonly tools: ClientTools;
  readonly broken: Promise<GyreError>;
  readonly #link: Link;
  readonly #params: { readonly id: string };
  readonly #restore: Restore;
  readonly #notices: string[] = [];
  #size: Size;
  #page: PageState;
  #state: SessionState = 'leased';
  #break: (reason: GyreError) => void = () => undefined;

  constructor(link: Link, { id, kind, size, page = { url: '', loading: false } }: SessionInfo, restore: Restore) {
    this.id = id;
    this.kind = kind;
    this.#link = link;
    this.#restore = restore;
    this.#params = { id };
    this.#size = size;
    this.#page = page;
    const apart: SessionLink = { id, call: this.#callApart };
    this.tools = clientTools(apart);
    if (kind === 'browser') this.browser = this;
    if (kind === 'desktop') this.desktop = clientDesktop(apart);
    if (kind === 'phone') this.phone = clientPhone(apart);
    if (kind === 'remote') this.remote = clientRemote(apart);
    this.broken = new Promise((resolve) => (this.#break = resolve));
  }

  readonly shell: ClientShell = {
    run: (command, options = {}) =>
      this.#call(routes.shell.run, { params: this.#params, body: { command, ...options } }),
  };

  readonly files: ClientFiles = {
    readBytes: (path) => this.#bytes(routes.files.read, { params: this.#params, query: { path } }),
    write: (path, data) =>
      this.#call(routes.files.write, { params: this.#params, query: { path }, body: Buffer.from(data) }),
    list: (path = '.') => this.#call(routes.files.list, { params: this.#params, query: { path } }),
  };

  /** As last observed. */
  get size(): Size {
    return this.#size;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** As of the last action. */
  get page(): PageState {
    return this.#page;
  }

  async act(action: Action): Promise<void> {
    this.#update(await this.#call(routes.sessions.act, { params: this.#params, body: { actions: [action] } }));
  }

  notices(): readonly string[] {
    return this.#notices.splice(0);
  }

  async observe(): Promise<Frame> {
    const png = await this.#bytes(routes.frames.latest, { params: this.#params });
    this.#size = sizeOfPng(png, 'frame');
    return frameOf(png, this.#size);
  }

  open(page: PageSource): Promise<void> {
    const body = page as BodyOf<typeof routes.browser.open>;
    return this.#call(routes.browser.open, { params: this.#params, body });
  }

  async navigate(url: string): Promise<void> {
    this.#update(await this.#call(routes.browser.navigate, { params: this.#params, body: { url } }));
  }

  async screenshot(format: 'png' | 'jpeg', quality?: number): Promise<Uint8Array> {
    if (format === 'png' && quality === undefined) return (await this.observe()).png;
    throw new GyreError('bad_input', 'the server sends PNG screenshots only', {
      field: 'format',
      fix: 'use png without a quality',
    });
  }

  advance(ms: number): Promise<void> {
    return this.#call(routes.browser.advance, { params: this.#params, body: { ms } });
  }

  async evaluate<T>(expression: string, { tab }: EvaluateOptions = {}): Promise<T> {
    const body = { expression, tab };
    const { value } = await this.#call(routes.browser.evaluate, { params: this.#params, body });
    return value as T;
  }

  async cdp(): Promise<CdpEndpoint> {
    // A missing endpoint should be an error, not a refused WebSocket.
    await this.#call(routes.browser.cdpJson, { params: { ...this.#params, '*': 'version' } });
    return this.#link.socket(routes.browser.cdp, { params: this.#params });
  }

  async link(port: number): Promise<string> {
    const { path } = await this.#call(routes.ports.link, { params: this.#params, body: { port } });
    return this.#link.address(path).href;
  }

  async record({ path, fps }: ClientRecordOptions): Promise<ClientRecording> {
    const body = { format: formatOf(path), fps };
    const { id } = await this.#call(routes.recordings.begin, { params: this.#params, body });
    return clientRecording(path, id, { id: this.id, call: this.#link.call });
  }

  checkpoint(): Promise<Checkpoint> {
    return this.#call(routes.checkpoints.make, { params: this.#params });
  }

  fork({ labels, ...options }: ClientForkOptions): Promise<this[]> {
    const restored: Restore = (checkpoint, lease) => this.#restore(checkpoint, { ...lease, ...(labels && { labels }) });
    // Sessions from one checkpoint have the same surfaces.
    const restore = restored as Forkable<this>['restore'];
    return fork(options, { checkpoint: () => this.checkpoint(), restore });
  }

  logs(): Promise<SessionLogs> {
    return this.#link.call(routes.events.logs, { params: this.#params });
  }

  renew(): Promise<void> {
    return this.#call(routes.sessions.renew, { params: this.#params });
  }

  async release(): Promise<void> {
    if (this.#state === 'released') return;
    const isLeased = this.#state === 'leased';
    this.#state = 'released';
    if (isLeased) await this.#link.call(routes.sessions.release, { params: this.#params });
  }

  #update({ notices, page = this.#page }: ActReply): void {
    this.#notices.push(...notices);
    this.#page = page;
  }

  readonly #call: Call = (declared, request) => this.#guard(() => this.#link.call(declared, request));

  readonly #callApart: Call = (declared, request) => this.#guardApart(() => this.#link.call(declared, request));

  readonly #bytes: ReadBytes = (declared, request) => this.#guard(() => this.#link.bytes(declared, request));

  /** Failures break the session: its machine or server is gone. */
  async #guard<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    // Devices may recover.
    if (deviceKinds.some((kind) => kind === this.kind)) return this.#guardApart(call);
    this.#check();
    try {
      return await call();
    } catch (error) {
      if (error instanceof GyreError && error.code === 'infra') this.#lose(error);
      throw error;
    }
  }

  /** Asks the server whether the session survived a failure. */
  async #guardApart<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    this.#check();
    try {
      return await call();
    } catch (error) {
      if (error instanceof GyreError && error.code === 'infra') {
        const state = await this.#link.call(routes.sessions.get, { params: this.#params }).then(
          (info) => info.state,
          () => 'gone',
        );
        if (state !== 'leased') this.#lose(error);
      }
      throw error;
    }
  }

  #lose(reason: GyreError): void {
    if (this.#state !== 'leased') return;
    this.#state = 'broken';
    this.#break(reason);
  }

  #check(): void {
    if (this.#state === 'leased') return;
    throw new GyreError('infra', 'the session has ended', { part: 'lease', fix: 'lease another session' });
  }
}
