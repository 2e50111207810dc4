import { GyreError, keyName, keysOf, type Action, type MouseButton, type Size } from '@gyre/protocol';
import PQueue from 'p-queue';
import { checkBounds } from '../../input/actionBounds.js';
import { checkAction } from '../../input/checkAction.js';
import { performAction } from '../../input/performAction.js';
import { frameOf, type Frame } from '../../recording/frame.js';
import type { Screen } from '../../lease/session.js';
import { checkedSettle, settled, type Settle } from '../../browser/tab/settle.js';
import { AioDriver } from '../aio/driver.js';
import { CuaDriver } from '../cua/driver.js';
import { Http, HttpFailure } from './http.js';
import { OsworldDriver } from '../osworld/driver.js';
import { waitUnlessAborted } from '../../input/waitUnlessAborted.js';
import { sizeOfPng } from './png.js';
import type { RemoteAccessibility, RemoteEntry, RemoteRun, RemoteDriver } from './driver.js';

const servers = {
  osworld: OsworldDriver,
  aio: AioDriver,
  cua: CuaDriver,
} satisfies Record<string, new (http: Http) => RemoteDriver>;

/** OSWorld's in-VM server, AIO sandbox, or cua's computer-server. */
export type RemoteProtocol = keyof typeof servers;

export const remoteProtocols = Object.keys(servers) as RemoteProtocol[];

/** Remote screenshots are slow and show effects late. */
const remoteSettle: Settle = { firstChangeMs: 500, stableReads: 2, gapMs: 100, boundMs: 2_000 };

export interface RemoteOptions {
  readonly protocol: RemoteProtocol;
  /** Such as `http://192.168.1.5:5000`. */
  readonly url: string;
  /** Bearer token; for cua also the API key. */
  readonly token?: string;
  /** cua requires it with a token. */
  readonly container?: string;
  /** Except for shell commands. Default: 30,000. */
  readonly timeoutMs?: number;
  /**
   * False: an action is done once the server has replied. Default: once the screen has changed within 500 ms and two
   * screenshots 100 ms apart are equal, within 2 s.
   */
  readonly settle?: Partial<Settle> | false;
}

const still: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

/**
 * A remote machine, driven through its server, in real time. Screenshots and actions are serialised; commands and file
 * operations are concurrent. Calls throw `infra` if the server fails or does not reply; an action may then have
 * happened. Once the server is unreachable, all calls throw `infra`.
 */
export class Remote implements Screen {
  /** In pointer px. Screenshots may be larger. */
  readonly size: Size;
  readonly protocol: RemoteProtocol;
  /** Resolves once the server is unreachable, or on `close`. */
  readonly ended: Promise<void>;
  readonly #http: Http;
  readonly #server: RemoteDriver;
  readonly #settle: Settle | undefined;
  readonly #buttons = new Set<MouseButton>();
  readonly #keys = new Set<string>();
  #shown: string | undefined;
  #lost = false;
  readonly #over = new AbortController();
  #closed: Promise<void> | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });
  #end: () => void = () => {};

  private constructor(
    http: Http,
    server: RemoteDriver,
    { protocol, size, settle }: { protocol: RemoteProtocol; size: Size; settle: Settle | undefined },
  ) {
    this.#http = http;
    this.#server = server;
    this.#settle = settle;
    this.protocol = protocol;
    this.size = size;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    http.onLost = () => {
      this.#lost = true;
      this.#over.abort();
      this.#end();
    };
  }

  /** Throws `bad_input` for invalid options, the wrong protocol or a refused token, `infra` if no server answers. */
  static async connect(options: RemoteOptions): Promise<Remote> {
    const { protocol } = options;
    const settle = options.settle === false ? undefined : checkedSettle({ ...remoteSettle, ...options.settle });
    const http = connection(options);
    const server = new servers[known(protocol)](http);
    try {
      return new Remote(http, server, { protocol, size: await server.probe(), settle });
    } catch (error) {
      throw await explained(error, options);
    }
  }

  observe(): Promise<Frame> {
    return this.#next(() => this.#frame());
  }

  /**
   * Performs an action and waits for its effect (`settle`). Throws `bad_input`, before anything happens, for an
   * unsupported one.
   */
  act(action: Action): Promise<void> {
    return this.#next(async () => {
      checkAction(action, this.#server.input(this.size).limits);
      checkBounds(action);
      if (still.has(action.type)) return;
      if (action.type === 'wait') return this.#perform(action);
      if (this.#settle !== undefined && this.#shown === undefined) await this.#frame();
      this.#recordPresses(action);
      await this.#perform(action);
      this.#recordReleases(action);
      if (this.#settle !== undefined) await settled(() => this.#changed(), this.#settle);
    });
  }

  /** Runs a command, which may continue after a timeout. */
  async run(command: string, { timeoutMs = 120_000 }: { timeoutMs?: number } = {}): Promise<RemoteRun> {
    this.#check();
    checkTime('timeoutMs', timeoutMs);
    try {
      return await this.#server.run(command, timeoutMs);
    } catch (error) {
      if (!(error instanceof HttpFailure) || !error.timedOut) throw error;
      // A hanging server, unlike a slow command, would not answer this either.
      await this.#server.probe();
      return { stdout: '', stderr: '', timedOut: true, ms: timeoutMs };
    }
  }

  /** Throws `bad_input` if there is no such file. */
  async readBytes(path: string): Promise<Uint8Array> {
    this.#check();
    return this.#server.read(checkedPath(path));
  }

  /** Replaces a whole file. Throws `bad_input` for an unwritable path. */
  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.#check();
    return this.#server.write(checkedPath(path), typeof content === 'string' ? Buffer.from(content) : content);
  }

  /** Throws `bad_input` if there is no such folder. */
  async list(path: string): Promise<RemoteEntry[]> {
    this.#check();
    return this.#server.list(checkedPath(path));
  }

  /** Throws `bad_input` if the server has none. */
  async accessibility(): Promise<RemoteAccessibility> {
    this.#check();
    return this.#server.accessibility();
  }

  /**
   * Throws `bad_input` if the server cannot do it, or for an unknown program; cua's server does not report the latter.
   */
  async launch(program: string, args: readonly string[] = []): Promise<void> {
    this.#check();
    return this.#server.launch(program, args);
  }

  async answers(): Promise<void> {
    this.#check();
    await this.#server.probe();
  }

  /** Releases pressed keys and buttons, and cancels pending calls; the machine keeps running. Idempotent. */
  close(): Promise<void> {
    return (this.#closed ??= this.#release());
  }

  async #release(): Promise<void> {
    this.#over.abort();
    const releases = this.#lost ? [] : this.#releases();
    if (releases.length === 0) this.#http.close();
    await this.#queue.onIdle();
    for (const action of releases) {
      if (!this.#lost) await this.#perform(action).catch(() => {});
    }
    this.#http.close();
    this.#end();
  }

  #perform(action: Action): Promise<void> {
    const wait = (ms: number) => waitUnlessAborted(ms, this.#over.signal);
    return performAction(action, { ...this.#server.input(this.size), wait });
  }

  /** Records presses before sending: the reply may be lost. */
  #recordPresses(action: Action): void {
    if (action.type === 'press') this.#keys.add(keyName(action.key) ?? action.key);
    if (action.type === 'hotkey') for (const key of keysOf(action.keys)) this.#keys.add(key);
    const button = buttonOf(action);
    if (button !== undefined) this.#buttons.add(button);
  }

  #recordReleases(action: Action): void {
    if (action.type === 'release') this.#keys.delete(keyName(action.key) ?? action.key);
    if (action.type === 'hotkey') for (const key of keysOf(action.keys)) this.#keys.delete(key);
    const button = buttonOf(action);
    if (button !== undefined && action.type !== 'mouse_down') this.#buttons.delete(button);
  }

  #releases(): Action[] {
    return [
      ...[...this.#buttons].map((button) => ({ type: 'mouse_up', button }) as const),
      ...[...this.#keys].map((key) => ({ type: 'release', key }) as const),
    ];
  }

  async #frame(): Promise<Frame> {
    const png = await this.#server.screenshot();
    const frame = frameOf(png, sizeOfPng(png, 'screenshot'));
    this.#shown = frame.hash;
    return frame;
  }

  async #changed(): Promise<boolean> {
    const before = this.#shown;
    return (await this.#frame()).hash !== before;
  }

  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#queue.add(() => {
      this.#check();
      return call();
    });
  }

  #check(): void {
    if (this.#closed === undefined && !this.#lost) return;
    const reason = this.#closed === undefined ? 'the server is no longer reachable' : 'the connection was closed';
    throw new GyreError('infra', reason, { part: 'remote', field: 'url', fix: 'connect again' });
  }
}

function buttonOf(action: Action): MouseButton | undefined {
  switch (action.type) {
    case 'mouse_down':
    case 'mouse_up':
      return action.button ?? 'left';
    case 'click':
    case 'double_click':
    case 'drag':
    case 'swipe':
    case 'long_press':
      return 'left';
    case 'right_click':
      return 'right';
    case 'middle_click':
      return 'middle';
    default:
      return undefined;
  }
}

function connection({ url, token, container, timeoutMs = 30_000 }: RemoteOptions): Http {
  checkTime('timeoutMs', timeoutMs);
  for (const [field, value] of Object.entries({ token, container })) {
    if (value === undefined || /^[!-~]+$/.test(value)) continue;
    throw new GyreError('bad_input', `the ${field} has characters that are invalid in a header`, {
      field,
      fix: `use the ${field} that the server was started with`,
    });
  }
  const headers: Record<string, string> = {};
  if (token !== undefined) Object.assign(headers, { authorization: `Bearer ${token}`, 'x-api-key': token });
  if (container !== undefined) headers['x-container-name'] = container;
  return new Http({ url, headers, timeoutMs });
}

async function explained(error: unknown, options: RemoteOptions): Promise<unknown> {
  const speaksAnother =
    error instanceof GyreError && error.code === 'infra' && !(error instanceof HttpFailure && !error.answered);
  if (!speaksAnother) return error;
  for (const protocol of remoteProtocols.filter((name) => name !== options.protocol)) {
    const speaks = await new servers[protocol](connection({ ...options, timeoutMs: 3_000 })).probe().then(
      () => true,
      () => false,
    );
    if (!speaks) continue;
    return new GyreError('bad_input', `${options.url} does not speak ${options.protocol}`, {
      field: 'protocol',
      fix: `use '${protocol}', which it speaks`,
      cause: error,
    });
  }
  return new GyreError('bad_input', `${options.url} does not speak ${options.protocol}: ${error.message}`, {
    field: 'protocol',
    fix: `use the address of a server that speaks one of ${remoteProtocols.join(', ')}`,
    cause: error,
  });
}

function known(protocol: string): RemoteProtocol {
  if (Object.hasOwn(servers, protocol)) return protocol as RemoteProtocol;
  throw new GyreError('bad_input', `unknown protocol "${protocol}"`, {
    field: 'protocol',
    fix: `use one of ${remoteProtocols.join(', ')}`,
  });
}

function checkTime(field: string, ms: number): void {
  if (ms >= 1 && ms <= 2 ** 31 - 10_000) return;
  throw new GyreError('bad_input', `invalid ${field}: ${ms}`, { field, fix: 'use 1 ms or more' });
}

function checkedPath(path: string): string {
  if (path !== '' && !path.includes('\0')) return path;
  throw new GyreError('bad_input', `${JSON.stringify(path)} is not a path`, {
    field: 'path',
    fix: 'use a path on the machine',
  });
}
