import { GyreError, type Action, type Size } from '@gyre/protocol';
import PQueue from 'p-queue';
import { checkBounds } from '../input/actionBounds.js';
import { checkAction } from '../input/checkAction.js';
import { performAction } from '../input/performAction.js';
import type { Frame } from '../recording/frame.js';
import type { Screen } from '../lease/session.js';
import { checkedSettle, settled, type Settle } from '../browser/tab/settle.js';
import { adbServer, type AdbServerOptions } from './adbServer.js';
import { Apps } from './apps.js';
import { PhoneInput, phoneLimits } from './input.js';
import { Link, type PhoneFile, type PhoneRunOptions, type PhoneRunResult } from './link.js';
import { connectNetworkPhone } from './network.js';
import { choosePhone } from './phones.js';
import { frameOfPicture, pixelsOfPicture, PhoneScreen, type Capture, type Geometry, type Picture } from './screen.js';
import { readTree, type PhoneNode } from './tree.js';
import { Typing } from './typing.js';

export interface PhoneOptions extends AdbServerOptions {
  /** Required if there are several. A network phone (`host:port`) is connected if necessary. */
  readonly serial?: string;
  /** False: an action is done once the phone has accepted it. */
  readonly settle?: Partial<Settle> | false;
  /** Default: the faster one, measured first. */
  readonly capture?: Capture;
  /** Additional packages by app name, for `open_app`. */
  readonly names?: Readonly<Record<string, string>>;
  /** Limit per reply, in ms. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Captures take tenths of a second; apps respond faster but animate longer. */
const defaultSettle: Settle = { firstChangeMs: 500, stableReads: 2, gapMs: 50, boundMs: 3_000 };

const still: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

/**
 * An Android device by ADB, in real time. An action is done once the screen has changed and settled, within bounds.
 * Calls that look or act are serialised. Every call throws `infra` once the device is gone.
 */
export class Phone implements Screen {
  readonly serial: string;
  readonly ended: Promise<void>;
  readonly #link: Link;
  readonly #screen: PhoneScreen;
  readonly #apps: Apps;
  readonly #typing: Typing;
  readonly #input: PhoneInput;
  readonly #settle: Settle | undefined;
  #size: Size;
  #shown: { readonly picture: Picture; readonly frame: Frame } | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });
  #closed: Promise<void> | undefined;
  readonly #over = new AbortController();
  readonly #leave: () => Promise<void>;

  private constructor(link: Link, options: PhoneOptions, { size }: Geometry, leave: () => Promise<void>) {
    this.#link = link;
    this.#leave = leave;
    this.serial = link.serial;
    this.ended = link.ended;
    void link.ended.then(() => this.#over.abort());
    this.#size = size;
    this.#settle = settleOf(options);
    this.#screen = new PhoneScreen(link, options.capture);
    this.#apps = new Apps(link, options.names ?? {});
    this.#typing = new Typing(link);
    this.#input = new PhoneInput(link, this.#screen, this.#apps, this.#typing, this.#over.signal);
  }

  /**
   * Resolves when the phone is ready. Throws `missing` for missing programs, `infra` for a missing server or unusable
   * phone, `bad_input` for invalid options.
   */
  static async connect(options: PhoneOptions = {}): Promise<Phone> {
    settleOf(options);
    const client = await adbServer(options);
    const timeoutMs = options.timeoutMs ?? 30_000;
    const leave = await connectNetworkPhone(client, options.serial, timeoutMs);
    let link: Link | undefined;
    try {
      link = await Link.open(client, await choosePhone(client, options.serial), timeoutMs);
      return new Phone(link, options, await new PhoneScreen(link, options.capture).geometry(), leave);
    } catch (error) {
      link?.close();
      await leave();
      throw error;
    }
  }

  get size(): Size {
    return this.#size;
  }

  geometry(): Promise<Geometry> {
    return this.#next(async () => {
      const geometry = await this.#screen.geometry();
      this.#size = geometry.size;
      return geometry;
    });
  }

  observe(): Promise<Frame> {
    return this.#next(async () => {
      const picture = await this.#look();
      if (this.#shown !== undefined && same(this.#shown.picture, picture)) return this.#shown.frame;
      const frame = await frameOfPicture(picture);
      this.#shown = { picture, frame };
      return frame;
    });
  }

  /** Returns RGB `[height, width, 3]`. */
  pixels(): Promise<Uint8Array> {
    return this.#next(async () => pixelsOfPicture(await this.#look()));
  }

  /**
   * Performs an action and waits for its effect (`settle`). Points refer to the current rotation. Throws `bad_input`,
   * before anything is done, for an unsupported one.
   */
  act(action: Action): Promise<void> {
    return this.#next(async () => {
      checkAction(action, phoneLimits);
      checkBounds(action);
      if (still.has(action.type)) return;
      if (this.#settle === undefined || action.type === 'wait') return performAction(action, this.#input);
      let last = await this.#look();
      await performAction(action, this.#input);
      await settled(async () => {
        const picture = await this.#look();
        const changed = !same(last, picture);
        last = picture;
        return changed;
      }, this.#settle);
    });
  }

  get apps(): Pick<Apps, 'list' | 'launch' | 'stop' | 'install' | 'current'> {
    return {
      list: () => this.#next(() => this.#apps.list()),
      launch: (name) => this.#next(() => this.#apps.launch(name)),
      stop: (name) => this.#next(() => this.#apps.stop(name)),
      install: (file) => this.#next(() => this.#apps.install(file)),
      current: () => this.#next(() => this.#apps.current()),
    };
  }

  /** Returns the uiautomator tree. Throws `infra` while the screen is moving. */
  tree(): Promise<PhoneNode[]> {
    return this.#next(() => readTree(this.#link, this.#screen));
  }

  /** Runs concurrently with other calls. Throws `bad_input` for a line that no phone accepts. */
  async run(command: string, options: PhoneRunOptions = {}): Promise<PhoneRunResult> {
    this.#check();
    return this.#link.run(command, options);
  }

  /**
   * @param path absolute, such as `/sdcard/Download/a.txt`; folders are created. Throws `bad_input` if the phone
   * refuses the file.
   */
  async push(path: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
    this.#check();
    return this.#link.push(checkedPath(path), bytes, mode);
  }

  /** Throws `bad_input` if unreadable. */
  async pull(path: string): Promise<Uint8Array> {
    this.#check();
    return this.#link.pull(checkedPath(path));
  }

  /** Throws `bad_input` if unreadable. */
  async list(path: string): Promise<PhoneFile[]> {
    this.#check();
    return this.#link.list(checkedPath(path));
  }

  /** Disconnects and restores the phone's keyboard. Idempotent. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#over.abort();
    await this.#queue.onIdle();
    await this.#typing.restore().catch(() => {});
    this.#link.close();
    await this.ended;
    await this.#leave();
  }

  async #look(): Promise<Picture> {
    const picture = await this.#screen.picture();
    this.#size = picture.size;
    return picture;
  }

  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#queue.add(() => {
      this.#check();
      return call();
    });
  }

  #check(): void {
    if (this.#closed === undefined) return;
    throw new GyreError('infra', 'the phone was closed', { part: 'phone', field: 'phone', fix: 'connect to it again' });
  }
}

const same = (a: Picture, b: Picture) => a.capture === b.capture && a.bytes.equals(b.bytes);

function settleOf({ settle }: PhoneOptions): Settle | undefined {
  return settle === false ? undefined : checkedSettle({ ...defaultSettle, ...settle });
}

function checkedPath(path: string): string {
  if (path.startsWith('/') && !path.includes('\0') && Buffer.byteLength(path) <= 1_000) return path;
  throw new GyreError('bad_input', `"${path}" is not a path of a phone`, {
    field: 'path',
    fix: 'use an absolute path of up to 1000 bytes, such as /sdcard/Download/a.txt',
  });
}
