import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { GyreError, type Action, type Size } from '@gyre/protocol';
import PQueue from 'p-queue';
import { checkBounds } from '../input/actionBounds.js';
import { checkedNumber, maxTimerMs } from '../checkedNumber.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { frameOf, noPicture, type Frame } from '../recording/frame.js';
import { FrameFeed, type FramesOptions, type CapturedFrame } from '../recording/frameFeed.js';
import { Accessibility, type AccessibleProgram } from './accessibility.js';
import { WindowPing } from './windowPing.js';
import { busEnv, startBus, startSessionBus } from './bus.js';
import type { BusConnection } from './busConnection.js';
import { Clipboard } from './clipboard.js';
import { XConnection } from './connection.js';
import { Folder } from './folder.js';
import { Framebuffer, toRgb } from './framebuffer.js';
import { DesktopInput } from './input.js';
import type { RootMenu } from './rootMenu.js';
import { openWith, programsFor } from './opener.js';
import { checkedSize } from '../input/screenSize.js';
import type { Screen } from '../lease/session.js';
import { Programs, type Program } from './programs.js';
import { checkedSettle, defaultSettle, settled, type Settle } from '../browser/tab/settle.js';
import { startWindowManager } from './windowManager.js';
import { backdropPicture, showBackdrop, showPicture } from './wallpaper.js';
import { Windows, type DesktopWindow } from './windows.js';
import { startXServer } from './xserver.js';

export interface DesktopOptions {
  /** In px; depth 24 bits. Default: 1280 x 720. */
  readonly size?: Size;
  /** Runs openbox. Default: true. */
  readonly windowManager?: boolean;
  /** Runs an accessibility bus. Default: true if dbus-daemon is installed. */
  readonly accessibility?: boolean;
  /** False: an action is done once the X server has processed it. */
  readonly settle?: Partial<Settle> | false;
  /** False: `observe` returns empty frames. Default: true. */
  readonly pictures?: boolean | undefined;
  /** Start-up limit per program, in ms. Default: 10,000. */
  readonly timeoutMs?: number;
}

const withoutManager = (): GyreError =>
  new GyreError('infra', 'the window manager has ended', { part: 'window_manager', fix: 'lease another session' });

/** Grace for the X server to exit before another part is blamed. */
const orderMs = 100;

interface Started {
  readonly folder: Folder;
  readonly programs: Programs;
  readonly connection?: XConnection;
  readonly framebuffer?: Framebuffer;
  readonly bus?: BusConnection | undefined;
  readonly menu?: RootMenu | undefined;
}

interface Parts extends Started {
  readonly connection: XConnection;
  readonly framebuffer: Framebuffer;
  readonly manager: Program | undefined;
  readonly settle: Settle | undefined;
  readonly pictures: boolean;
}

const still: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

/**
 * A virtual X screen with real applications, in real time. Actions are done once the front program has handled them and
 * the screen has settled, within bounds. Calls that look or act are serialised. Once a part has ended, every call
 * throws `infra` and names it.
 */
export class Desktop implements Screen {
  readonly size: Size;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves with the reason if the X server, window manager or bus ends unexpectedly. */
  readonly broken: Promise<GyreError>;
  readonly ended: Promise<void>;
  readonly #parts: Parts;
  readonly #input: DesktopInput;
  readonly #windows: Windows;
  readonly #clipboard: Clipboard;
  readonly #windowPing: WindowPing | undefined;
  readonly #accessibility: Accessibility;
  readonly #changed: () => boolean;
  readonly #settle: Settle | undefined;
  #wallpaper: Uint8Array | undefined;
  #break: (reason: GyreError) => void = () => undefined;
  #over: GyreError | undefined;
  #closed: Promise<void> | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #feed = new FrameFeed(() => this.look());
  #screen: Buffer;
  #shown: { readonly screen: Buffer; readonly frame: Promise<Frame> } | undefined;
  /** Undefined while in use. Reused: allocating costs more than reading. */
  #rgb: Buffer | undefined;

  private constructor(parts: Parts) {
    const { connection, framebuffer, programs } = parts;
    this.#parts = parts;
    this.size = framebuffer.size;
    this.#screen = Buffer.alloc(framebuffer.bytes);
    this.env = programs.env;
    this.#settle = parts.settle;
    this.#changed = framebuffer.watch();
    const onAim = parts.settle === undefined ? undefined : () => void this.#changed();
    this.#input = new DesktopInput(connection, this.size, this.#changed, onAim);
    this.#windows = new Windows(connection, this.size, parts.manager !== undefined);
    this.#clipboard = new Clipboard(connection);
    if (parts.manager && parts.settle) this.#windowPing = new WindowPing(connection);
    this.#accessibility = new Accessibility(parts.bus, this.size);
    this.broken = new Promise((resolve) => (this.#break = resolve));
    this.ended = Promise.race([connection.ended, this.broken]).then(() => undefined);
    void connection.ended.then((reason) => this.#lose(reason));
    // If the X server ends, both end with it; only the first end is reported.
    void parts.manager?.ended.then(() => this.#loseLater(withoutManager()));
    void parts.bus?.ended.then((reason) => this.#loseLater(reason));
  }

  /**
   * Resolves when the screen is ready. Throws `missing` for programs not installed, `infra` if one does not start,
   * `bad_input` for invalid options.
   */
  static async start(enclosure: Enclosure, options: DesktopOptions = {}): Promise<Desktop> {
    const { windowManager = true, accessibility = true, pictures = true, timeoutMs = 10_000 } = options;
    const size = checkedSize(options.size ?? { width: 1_280, height: 720 });
    const settle = options.settle === false ? undefined : checkedSettle({ ...defaultSettle, ...options.settle });
    const folder = await Folder.create(enclosure);
    const programs = new Programs(enclosure);
    const open: { -readonly [Part in keyof Started]?: Started[Part] } = {};
    try {
      const server = await startXServer(programs, folder, size, timeoutMs);
      await folder.makeFolder('run', 'agent');
      const screen = {
        DISPLAY: server.display,
        XAUTHORITY: join(folder.inside, 'xauthority'),
        // Programs would read compose sequences at start; `Keymap` needs none.
        XCOMPOSEFILE: '/dev/null',
      };
      const buses = busEnv(folder);
      const session = { ...screen, XDG_RUNTIME_DIR: join(folder.inside, 'run') };
      programs.env = { ...session, ...buses.agent };
      programs.systemEnv = { ...screen, ...buses.system };
      const connection = (open.connection = await XConnection.open(server.socket, server.cookie));
      const framebuffer = (open.framebuffer = new Framebuffer(server.screen, size));
      showBackdrop(connection);
      let manager: Program | undefined;
      const starting: Promise<void>[] = [];
      if (accessibility) {
        const bus = startBus(programs, folder, enclosure.apart);
        starting.push(
          bus.then((started) => {
            open.bus = started;
          }),
        );
      }
      if (windowManager) {
        const managing = startWindowManager(programs, folder, connection, timeoutMs);
        starting.push(
          managing.then(({ menu, program }) => {
            open.menu = menu;
            manager = program;
          }),
        );
      }
      await Promise.all(starting).finally(() => Promise.allSettled(starting));
      const { bus } = open;
      if (bus) await startSessionBus(programs, folder);
      // Otherwise programs look for a bus that does not exist.
      else [programs.env, programs.systemEnv] = [session, screen];
      const { menu } = open;
      return new Desktop({ folder, programs, connection, framebuffer, settle, manager, pictures, bus, menu });
    } catch (error) {
      await end({ ...open, folder, programs });
      throw error;
    }
  }

  /** Returns a PNG, or an empty frame without `pictures`. */
  observe(): Promise<Frame> {
    return this.#next(async () => (this.#parts.pictures ? this.#frame() : frameOf(noPicture, this.size)));
  }

  /**
   * Returns the raw screen: RGB `[height, width, 3]`, or, faster, BGRX `[height, width, 4]`. Allocating `into` takes
   * longer than reading.
   */
  pixels(layout: 'rgb' | 'bgrx' = 'rgb', into?: Uint8Array): Promise<Uint8Array> {
    return this.#next(async () => {
      const bytes = this.size.width * this.size.height * (layout === 'rgb' ? 3 : 4);
      if (into !== undefined && into.length !== bytes) {
        throw new GyreError('bad_input', `the pixels need ${bytes} bytes, but the buffer has ${into.length}`, {
          field: 'into',
          fix: `pass a buffer of ${bytes} bytes, or none`,
        });
      }
      const pixels = into ?? new Uint8Array(bytes);
      const { framebuffer } = this.#parts;
      return layout === 'rgb' ? toRgb(framebuffer.read(this.#screen), pixels) : framebuffer.read(pixels);
    });
  }

  /** Performs an action and waits for its effect (`settle`). Throws `bad_input` for an unsupported one. */
  act(action: Action): Promise<void> {
    return this.#next(async () => {
      if (still.has(action.type)) return;
      checkBounds(action);
      if (this.#settle !== undefined) this.#changed();
      await this.#input.perform(action);
      if (this.#settle === undefined || action.type === 'wait') return;
      await this.#windowPing?.handled();
      await settled(this.#changed, this.#settle);
      this.#check();
    });
  }

  /** Captures even during an action, for viewers. */
  async look(): Promise<CapturedFrame> {
    this.#check();
    const begin = performance.now();
    const frame = await this.#frame();
    return { frame, costMs: performance.now() - begin };
  }

  /** Yields the screen now and on changes, at most `perSecond` times a second. Throws `infra` if the desktop fails. */
  frames(options: FramesOptions = {}): AsyncGenerator<Frame, void> {
    return this.#feed.frames(options);
  }

  /** Throws `bad_input` for an unknown program. */
  async launch(program: string, args: readonly string[] = []): Promise<Program> {
    this.#check();
    return this.#parts.programs.launch(program, args);
  }

  /**
   * @param file path inside. Throws `bad_input` for an unknown extension, `missing` if no program for it is installed.
   */
  async open(file: string): Promise<Program> {
    this.#check();
    return openWith(programsFor(file), file, (program, args) => this.#parts.programs.launch(program, args));
  }

  async windows(): Promise<DesktopWindow[]> {
    this.#check();
    return this.#windows.list();
  }

  /** Asks the X server only: programs can forge titles and window lists. */
  async windowFacts(ids: readonly number[]): Promise<{ there: readonly boolean[]; keysTo: number }> {
    this.#check();
    const there = await Promise.all(ids.map((id) => this.#windows.exists(id)));
    return { there, keysTo: await this.#windows.keysTo() };
  }

  async waitForWindow(fits: (window: DesktopWindow) => boolean, timeoutMs = 10_000): Promise<DesktopWindow> {
    this.#check();
    return this.#windows.wait(fits, checkedNumber('timeoutMs', timeoutMs, { min: 0, max: maxTimerMs }));
  }

  async activate({ id }: Pick<DesktopWindow, 'id'>): Promise<void> {
    this.#check();
    return this.#windows.activate(id);
  }

  /** Resolves with false if the window is still open after a second: the application may ask something first. */
  async closeWindow({ id }: Pick<DesktopWindow, 'id'>): Promise<boolean> {
    this.#check();
    return this.#windows.close(id);
  }

  async wallpaper(): Promise<Uint8Array> {
    this.#check();
    return this.#wallpaper ?? backdropPicture(this.size);
  }

  /** Throws `bad_input` for anything but PNG, JPEG and WebP. */
  async setWallpaper(picture: Uint8Array): Promise<void> {
    this.#check();
    await showPicture(this.#parts.connection, this.size, picture);
    this.#wallpaper = picture;
  }

  /** Returns '' if nothing or no text was copied. */
  async readClipboard(): Promise<string> {
    this.#check();
    return this.#clipboard.read();
  }

  async writeClipboard(text: string): Promise<void> {
    this.#check();
    return this.#clipboard.write(text);
  }

  /**
   * Returns the AT-SPI trees of all programs.
   *
   * @param hidden includes invisible elements, such as items of closed menus.
   */
  async accessibility({ hidden = false }: { hidden?: boolean } = {}): Promise<AccessibleProgram[]> {
    this.#check();
    return this.#accessibility.programs(await this.#windows.list(), hidden);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#over ??= new GyreError('infra', 'the desktop was closed', { part: 'lease', fix: 'start another desktop' });
    this.#feed.end();
    // Running calls must fail before their screen is unmapped.
    this.#parts.connection.close();
    await this.#queue.onIdle();
    await end(this.#parts);
  }

  #frame(): Promise<Frame> {
    const { framebuffer } = this.#parts;
    const screen = framebuffer.read(this.#screen);
    if (this.#shown?.screen.equals(screen)) return this.#shown.frame;
    const latest = { screen, frame: this.#encoded(screen) };
    this.#screen = this.#shown?.screen ?? Buffer.alloc(framebuffer.bytes);
    this.#shown = latest;
    latest.frame.catch(() => {
      if (this.#shown === latest) this.#shown = undefined;
    });
    return latest.frame;
  }

  async #encoded(screen: Buffer): Promise<Frame> {
    const rgb = this.#rgb ?? Buffer.alloc(this.size.width * this.size.height * 3);
    this.#rgb = undefined;
    const png = await sharp(toRgb(screen, rgb), { raw: { ...this.size, channels: 3 } })
      .png({ compressionLevel: 1 })
      .toBuffer();
    this.#rgb = rgb;
    return frameOf(png, this.size);
  }

  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#queue.add(() => {
      this.#check();
      return call();
    });
  }

  #check(): void {
    if (this.#over) throw this.#over;
  }

  #lose(reason: GyreError): void {
    if (this.#over) return;
    this.#over = reason;
    this.#break(reason);
  }

  async #loseLater(reason: GyreError): Promise<void> {
    await pause(orderMs, undefined, { ref: false });
    this.#lose(reason);
  }
}

async function end({ folder, programs, connection, framebuffer, bus, menu }: Started): Promise<void> {
  bus?.close();
  menu?.close();
  connection?.close();
  framebuffer?.close();
  await programs.end();
  await folder.remove();
}
