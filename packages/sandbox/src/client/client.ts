import { type Action, type ErrorCode, GyreError, type Size } from '@gyre/protocol';
import type { z } from 'zod';
import { Checkpoint } from '../lease/checkpoint.js';
import { SandboxEvent } from '../events/event.js';
import type { EventsOptions } from '../events/eventStream.js';
import { type ClientDesktop, clientDesktop } from './clientDesktop.js';
import { type ClientPhone, clientPhone, type ClientRemote, clientRemote } from './clientDevice.js';
import { type ClientTools, clientTools, type SessionLink } from './clientTools.js';
import type { CdpEndpoint } from '../browser/cdp/endpoint.js';
import { type ClientRecording, clientRecording, type ClientRecordOptions } from './clientRecording.js';
import { formatOf } from '../recording/ffmpeg.js';
import { type Frame, frameOf } from '../recording/frame.js';
import { deviceKinds } from '../lease/kind.js';
import type { PageSource } from '../browser/page.js';
import { sizeOfPng } from '../foreign/driven/png.js';
import { sentEvents } from '../server/sentEvents.js';
import {
  ActReply,
  EvaluateReply,
  Failure,
  type LeaseRequest,
  LinkReply,
  Listing,
  RecordingInfo,
  RunReply,
  type RunRequest,
  SessionInfo,
} from '../server/wire.js';
import { SessionLogs } from '../events/sessionLog.js';
import type { BrowserSurface, EvaluateOptions, Screen, Session } from '../lease/session.js';
import type { SessionState } from '../lease/state.js';
import type { PageState } from '../browser/tab/tab.js';

export interface ClientOptions {
  /** Of `gyre serve sandbox`, such as http://127.0.0.1:8700. */
  readonly url: string;
  readonly token: string;
  /** How long an answer may take. Default 2 minutes. */
  readonly timeoutMs?: number;
}

/** Commands in a session elsewhere. */
export interface ClientShell {
  run(command: string, options?: Omit<z.input<typeof RunRequest>, 'command'>): Promise<z.infer<typeof RunReply>>;
}

/** Files of a session elsewhere. */
export interface ClientFiles {
  readBytes(path: string): Promise<Uint8Array>;
  /** Replaces the file, and makes the folders on the way. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  list(path?: string): Promise<z.infer<typeof Listing>>;
}

/** A session of a server elsewhere: used like one here. */
export interface ClientSession extends Session {
  readonly kind: SessionInfo['kind'];
  readonly shell: ClientShell;
  readonly files: ClientFiles;
  /** Of kind `desktop`: its programs and windows. */
  readonly desktop?: ClientDesktop;
  readonly tools: ClientTools;
  /** Of kind `phone`. */
  readonly phone?: ClientPhone;
  /** Of kind `remote`. */
  readonly remote?: ClientRemote;
  /** An address at which a person's browser reaches a server of the session without a token, as long as the session lasts. */
  link(port: number): Promise<string>;
  /** Begins a video, which is written here when it is stopped. Throws as `SandboxSession.record` does. */
  record(options: ClientRecordOptions): Promise<ClientRecording>;
  renew(): Promise<void>;
  /** What `SandboxClient.restore` makes another session from; see `SandboxSession.checkpoint`. */
  checkpoint(): Promise<Checkpoint>;
  /** What happened in it; also when it has ended, for a while. */
  logs(): Promise<SessionLogs>;
}

/** Leases sessions of a sandbox server. */
export class SandboxClient {
  readonly #link: Link;

  /** Throws `bad_input` for an address that is none. */
  constructor(options: ClientOptions) {
    this.#link = new Link(options);
  }

  /** Throws what the server answers, and `infra` where it does not. */
  async lease(terms: LeaseRequest): Promise<ClientSession> {
    return new LinkedSession(this.#link, await this.#link.json('POST', '/v1/sessions', SessionInfo, terms));
  }

  /** A new session as the checkpointed one was. Throws what the server answers. */
  async restore(checkpoint: Checkpoint, lease: Pick<LeaseRequest, 'ttlMs' | 'waitMs'> = {}): Promise<ClientSession> {
    const info = await this.#link.json('POST', '/v1/restore', SessionInfo, { checkpoint, ...lease });
    return new LinkedSession(this.#link, info);
  }

  /** Those that the token may see. */
  sessions(): Promise<SessionInfo[]> {
    return this.#link.json('GET', '/v1/sessions', SessionInfo.array());
  }

  /** What happens from now on: everything, for admins, or what happens to one session. Ends with it, or by `signal`; throws `infra`. */
  async *events({ session, signal }: Omit<EventsOptions, 'capacity'> = {}): AsyncGenerator<SandboxEvent, void> {
    const path = session === undefined ? '/v1/events' : `/v1/sessions/${encodeURIComponent(session)}/events`;
    const left = new AbortController();
    try {
      const { body } = await this.#link.send(
        'GET',
        path,
        undefined,
        AbortSignal.any([left.signal, ...(signal ? [signal] : [])]),
      );
      if (!body) return;
      for await (const data of sentEvents(body)) {
        const event = SandboxEvent.safeParse(JSON.parse(data));
        // A newer server may tell of more.
        if (event.success) yield event.data;
      }
    } catch (error) {
      if (signal?.aborted) return;
      throw error instanceof GyreError
        ? error
        : new GyreError('infra', 'the server has gone', { part: 'remote', cause: error });
    } finally {
      left.abort();
    }
  }
}

/** Requests to one server. */
class Link {
  readonly #base: URL;
  readonly #token: string;
  readonly #timeoutMs: number;

  constructor({ url, token, timeoutMs = 120_000 }: ClientOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new GyreError('bad_input', `${url} is no address of a server`, {
        field: 'url',
        fix: 'write one such as http://127.0.0.1:8700',
      });
    }
    this.#base = new URL(url);
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  async json<T extends z.ZodType>(method: string, path: string, reply: T, body?: unknown): Promise<z.infer<T>> {
    const response = await this.send(method, path, body);
    const parsed = reply.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    throw new GyreError('infra', `the server answered ${method} ${path} with something else`, {
      part: 'remote',
      field: 'url',
      fix: 'use a server of this version',
    });
  }

  address(path: string): URL {
    return new URL(path, this.#base);
  }

  /** Where a WebSocket of the server is, and what it wants to be sent. */
  socket(path: string): CdpEndpoint {
    return {
      url: this.address(path).href.replace(/^http/, 'ws'),
      headers: { authorization: `Bearer ${this.#token}` },
      // It is the server's, and goes with the session.
      close: () => Promise.resolve(),
    };
  }

  /**
   * Throws what the server says, as it says it; `infra` where it says nothing.
   *
   * @param signal ends the answer, in place of the time that it may take.
   */
  async send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const bytes = body instanceof Uint8Array;
    const response = await fetch(this.address(path), {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body !== undefined && { body: bytes ? Buffer.from(body) : JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(this.#timeoutMs),
    }).catch((cause: unknown) => {
      throw new GyreError('infra', `${this.#base.origin} does not answer: ${reasonOf(cause)}`, {
        part: 'remote',
        field: 'url',
        fix: 'see that the server runs and can be reached',
        cause,
      });
    });
    if (response.ok) return response;
    const failure = Failure.safeParse(await response.json().catch(() => undefined));
    if (!failure.success)
      throw new GyreError('infra', `the server answered with status ${response.status}`, { part: 'remote' });
    const { code, message, field, fix, part } = failure.data.error;
    throw new GyreError(known(code, response.status), message, {
      ...(field !== undefined && { field }),
      ...(fix !== undefined && { fix }),
      ...(part !== undefined && { part }),
    });
  }
}

/** A session that is no longer there has ended; what else is refused is a mistake of who asks. */
function known(code: string, status: number): ErrorCode {
  const codes: readonly ErrorCode[] = ['bad_input', 'missing', 'corrupt', 'infra', 'bug', 'storage', 'held'];
  return codes.find((one) => one === code) ?? (status === 404 || status >= 429 ? 'infra' : 'bad_input');
}

function reasonOf(cause: unknown): string {
  const { name, message, cause: inner } = cause as Error;
  if (name === 'TimeoutError') return 'it takes too long';
  return inner instanceof Error ? inner.message : message;
}

class LinkedSession implements ClientSession, Screen, BrowserSurface {
  readonly id: string;
  readonly kind: SessionInfo['kind'];
  readonly screen: Screen = this;
  readonly browser?: BrowserSurface;
  readonly desktop?: ClientDesktop;
  readonly phone?: ClientPhone;
  readonly remote?: ClientRemote;
  readonly broken: Promise<GyreError>;
  readonly #link: Link;
  #size: Size;
  #break: (reason: GyreError) => void = () => undefined;
  #state: SessionState = 'leased';
  #page: PageState;
  readonly #notices: string[] = [];

  constructor(link: Link, { id, kind, size, page = { url: '', loading: false } }: SessionInfo) {
    this.#page = page;
    this.#link = link;
    this.id = id;
    this.kind = kind;
    this.#size = size;
    if (kind === 'browser') this.browser = this;
    if (kind === 'desktop') this.desktop = clientDesktop(this.#ends);
    if (kind === 'phone') this.phone = clientPhone(this.#ends);
    if (kind === 'remote') this.remote = clientRemote(this.#ends);
    this.broken = new Promise((resolve) => (this.#break = resolve));
  }

  readonly shell: ClientShell = {
    run: (command, options = {}) => this.#json('POST', '/run', RunReply, { command, ...options }),
  };

  readonly files: ClientFiles = {
    readBytes: async (path) => {
      const response = await this.#send('GET', `/file?path=${encodeURIComponent(path)}`);
      return new Uint8Array(await response.arrayBuffer());
    },
    write: async (path, data) => {
      await this.#send('PUT', `/file?path=${encodeURIComponent(path)}`, Buffer.from(data));
    },
    list: (path = '.') => this.#json('GET', `/files?path=${encodeURIComponent(path)}`, Listing),
  };

  /** Requests about what may fail while the session goes on. */
  readonly #ends: SessionLink = {
    json: (method, rest, reply, body) => this.#apart(() => this.#link.json(method, this.#path(rest), reply, body)),
    send: (method, rest, body) => this.#apart(() => this.#link.send(method, this.#path(rest), body)),
  };

  readonly tools: ClientTools = clientTools(this.#ends);

  /** Of the screen when it was last looked at: a phone may be turned, a guest may choose another. */
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
    this.#hear(await this.#json('POST', '/act', ActReply, { actions: [action] }));
  }

  notices(): readonly string[] {
    return this.#notices.splice(0);
  }

  async observe(): Promise<Frame> {
    const response = await this.#send('GET', '/frame');
    const png = new Uint8Array(await response.arrayBuffer());
    this.#size = sizeOfPng(png, 'frame');
    return frameOf(png, this.#size);
  }

  async open(page: PageSource): Promise<void> {
    await this.#send('POST', '/browser/open', page);
  }

  async navigate(url: string): Promise<void> {
    this.#hear(await this.#json('POST', '/browser/navigate', ActReply, { url }));
  }

  async screenshot(format: 'png' | 'jpeg', quality?: number): Promise<Uint8Array> {
    if (format === 'png' && quality === undefined) return (await this.observe()).png;
    throw new GyreError('bad_input', `the server gives no ${format}`, { field: 'format', fix: 'ask for png' });
  }

  async advance(ms: number): Promise<void> {
    await this.#send('POST', '/browser/advance', { ms });
  }

  async evaluate<T>(expression: string, { tab }: EvaluateOptions = {}): Promise<T> {
    const { value } = await this.#json('POST', '/browser/evaluate', EvaluateReply, { expression, tab });
    return value as T;
  }

  async cdp(): Promise<CdpEndpoint> {
    // Whoever cannot have one hears of it here, and not as a WebSocket that is refused.
    await this.#send('GET', '/cdp/json/version');
    return this.#link.socket(this.#path('/cdp'));
  }

  async link(port: number): Promise<string> {
    const { path } = await this.#json('POST', '/links', LinkReply, { port });
    return this.#link.address(path).href;
  }

  async record({ path, fps }: ClientRecordOptions): Promise<ClientRecording> {
    const wanted = { format: formatOf(path), ...(fps !== undefined && { fps }) };
    const { id } = await this.#json('POST', '/recordings', RecordingInfo, wanted);
    return clientRecording(path, this.#path(`/recordings/${id}`), (...request) => this.#link.send(...request));
  }

  checkpoint(): Promise<Checkpoint> {
    return this.#json('POST', '/checkpoint', Checkpoint);
  }

  logs(): Promise<SessionLogs> {
    return this.#link.json('GET', this.#path('/logs'), SessionLogs);
  }

  async renew(): Promise<void> {
    await this.#send('POST', '/renew');
  }

  async release(): Promise<void> {
    if (this.#state === 'released') return;
    const whole = this.#state === 'leased';
    this.#state = 'released';
    if (whole) await this.#link.send('DELETE', this.#path(''));
  }

  #hear({ notices, page = this.#page }: ActReply): void {
    this.#notices.push(...notices);
    this.#page = page;
  }

  #path(rest: string): string {
    return `/v1/sessions/${encodeURIComponent(this.id)}${rest}`;
  }

  #json<T extends z.ZodType>(method: string, rest: string, reply: T, body?: unknown): Promise<z.infer<T>> {
    return this.#watched(() => this.#link.json(method, this.#path(rest), reply, body));
  }

  #send(method: string, rest: string, body?: unknown): Promise<Response> {
    return this.#watched(() => this.#link.send(method, this.#path(rest), body));
  }

  /** A session whose machine or server is gone is broken for good. */
  async #watched<T>(work: () => Promise<T>): Promise<T> {
    // A device may fail at one thing and be there for the next.
    if (deviceKinds.some((kind) => kind === this.kind)) return this.#apart(work);
    this.#check();
    try {
      return await work();
    } catch (error) {
      if (error instanceof GyreError && error.code === 'infra') this.#lose(error);
      throw error;
    }
  }

  /** A tool server, say, may fail and its session go on: whether it does is asked. */
  async #apart<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    try {
      return await work();
    } catch (error) {
      if (error instanceof GyreError && error.code === 'infra') {
        const state = await this.#link.json('GET', this.#path(''), SessionInfo).then(
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
