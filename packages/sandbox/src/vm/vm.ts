import { join } from 'node:path';
import { execFile } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { GyreError, type Action, type Size } from '@gyre/protocol';
import { z } from 'zod';
import PQueue from 'p-queue';
import { checkBounds } from '../input/actionBounds.js';
import { checkAction } from '../input/checkAction.js';
import { performAction } from '../input/performAction.js';
import { Folder } from '../desktop/folder.js';
import type { Enclosure } from '../isolation/enclosure.js';
import type { Frame } from '../recording/frame.js';
import { ScreenSize } from '../input/screenSize.js';
import type { Screen } from '../lease/session.js';
import { checkedSettle, settled, type Settle } from '../browser/tab/settle.js';
import { descriptor, firstVncPort, machineArguments, serialBuffer, serialBytes } from './arguments.js';
import { imageFormats, openImage, type BaseImage, type ImageFormat } from './image.js';
import { VmInput, vmLimits } from './input.js';
import { probeKvm, type VmAcceleration } from './kvm.js';
import { Qemu } from './qemu.js';
import { checkVmRequirements, qemuImg } from './requirement.js';
import { frameOfPicture, samePicture, screenFile, VmScreen, type Picture } from './screen.js';
import { Snapshots } from './snapshots.js';

export interface VmOptions {
  /**
   * Path of the disk image on the host. It is never written: the guest's writes are kept apart and vanish at the end.
   */
  readonly image: string;
  /** Default: detected. */
  readonly format?: ImageFormat;
  /**
   * Guest memory. Default 512 MiB. The session needs some 400 MiB more, and the guest's writes where its disk is in
   * memory.
   */
  readonly memoryBytes?: number;
  /** Guest processors. Default 1. */
  readonly cpus?: number;
  /** Preferred screen size that the guest is told, in px. Default 1280 x 720. */
  readonly size?: Size;
  /**
   * `none`: an empty network. `user`: what programs of the enclosure reach, whose loopback is 10.0.2.2 to the guest;
   * without isolation that is all that this machine reaches. Default `none`.
   */
  readonly network?: 'none' | 'user';
  /**
   * `auto`: KVM where a guest was seen to boot on it, else TCG. Outside of leases, KVM needs an enclosure with
   * `devices: ['/dev/kvm']`. Default `auto`.
   */
  readonly acceleration?: 'auto' | 'kvm' | 'tcg';
  /**
   * Serves the screen and input by VNC, with a password of 1 to 8 characters: on a socket among the session's system
   * files (`vncSocket`), or on a port (5900 or more) of the enclosure's loopback.
   */
  readonly vnc?: { readonly password: string; readonly port?: number };
  /** When an action counts as done. False: as soon as QEMU has taken it. */
  readonly settle?: Partial<Settle> | false;
  /** Time between two keys of a text, in ms. Slower guests lose keys. Default 20. */
  readonly keyMs?: number;
  /** Limit of each of QEMU's answers, in ms, after which it counts as hung. Default 30,000. */
  readonly timeoutMs?: number;
}

const defaultSettle: Settle = { firstChangeMs: 150, stableReads: 2, gapMs: 25, boundMs: 1_500 };

/** Waits out what the move of the pointer itself changes. */
const aimed: Settle = { firstChangeMs: 50, stableReads: 2, gapMs: 15, boundMs: 200 };

/** Actions that leave the screen alone. */
const still: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

interface Parts {
  readonly folder: Folder;
  readonly pictures: FileHandle;
  readonly qemu: Qemu;
  readonly options: Checked;
  readonly acceleration: VmAcceleration;
}

/**
 * A virtual machine with any PC system, by QEMU. Time passes by itself: an action is over when the screen has changed
 * and come to rest, within bounds. Calls run one after another. Every call throws `infra` once the machine has ended,
 * also by a shutdown or a panic of the guest. A guest that hangs cannot be told from one that waits.
 */
export class Vm implements Screen {
  readonly acceleration: VmAcceleration;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<GyreError>;
  /** Path of the VNC socket on the host. The agent's programs reach it, and cannot replace it where `apart` is true. */
  readonly vncSocket?: string;
  readonly #parts: Parts;
  readonly #screen: VmScreen;
  readonly #input: VmInput;
  readonly #snapshots: Snapshots;
  readonly #settle: Settle | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });
  #last: Picture;
  #shown: { readonly picture: Picture; readonly frame: Frame } | undefined;
  #closed: Promise<void> | undefined;

  private constructor(parts: Parts, screen: VmScreen, first: Picture) {
    const { folder, qemu, options } = parts;
    this.#parts = parts;
    this.acceleration = parts.acceleration;
    this.ended = qemu.ended;
    if (options.vnc && options.vnc.port === undefined) this.vncSocket = join(folder.onHost, 'vnc');
    this.#settle = options.settle;
    this.#screen = screen;
    this.#last = first;
    const onAim = async () => {
      if (this.#settle) await settled(() => this.#changed(), aimed);
    };
    this.#input = new VmInput(qemu.qmp, () => this.size, options.keyMs, onAim);
    this.#snapshots = new Snapshots(qemu.qmp);
  }

  /**
   * Starts a machine in an enclosure; resolves when it begins to boot. Throws `missing` for what is not installed,
   * `infra` for what does not start, and `bad_input` for invalid options.
   */
  static async start(enclosure: Enclosure, chosen: VmOptions): Promise<Vm> {
    checkVmRequirements();
    const options = checked(chosen);
    const image = await openImage(options.image, options.format);
    const open: { folder?: Folder; pictures?: FileHandle; qemu?: Qemu } = {};
    try {
      const folder = (open.folder = await Folder.create(enclosure, 'vm'));
      const pictures = (open.pictures = await screenFile());
      const overlay = join(folder.inside, 'overlay.qcow2');
      await createDisk(enclosure, overlay, image.bytes);
      const acceleration = await accelerationFor(enclosure, options.acceleration);
      const { memoryBytes, cpus, size, network, vnc } = options;
      const args = machineArguments({
        ...{ image, overlay, memoryBytes, cpus, size },
        accelerated: acceleration.kind === 'kvm',
        connected: network === 'user',
        ...(vnc && { vnc: vnc.port ?? join(folder.inside, 'vnc') }),
      });
      const files = { image: image.file.fd, screen: pictures.fd };
      const qemu = (open.qemu = await Qemu.start(enclosure, args, files, options.timeoutMs));
      // Nobody gets in before there is a password.
      if (vnc) await qemu.qmp.ask('set_password', { protocol: 'vnc', password: vnc.password });
      const screen = new VmScreen(qemu.qmp, pictures, descriptor.screen);
      const first = await screen.picture();
      return new Vm({ folder, pictures, qemu, options, acceleration }, screen, first);
    } catch (error) {
      await open.qemu?.close();
      await open.pictures?.close();
      await open.folder?.remove();
      throw error;
    } finally {
      await image.file.close();
    }
  }

  /** Screen size in px, as last seen: the guest may change it at any time. */
  get size(): Size {
    return this.#last.size;
  }

  /** Returns the screen as a PNG. */
  observe(): Promise<Frame> {
    return this.#next(async () => {
      await this.#changed();
      if (this.#shown?.picture !== this.#last) {
        this.#shown = { picture: this.#last, frame: await frameOfPicture(this.#last) };
      }
      return this.#shown.frame;
    });
  }

  /** Returns the screen as RGB `[height, width, 3]`. */
  pixels(): Promise<Uint8Array> {
    return this.#next(async () => {
      await this.#changed();
      return this.#last.pixels;
    });
  }

  /**
   * Carries out an action and waits for its effect (`settle`). `screenshot`, `finished` and `call_user` do nothing.
   * Throws `bad_input` for an action that a machine does not take, before anything is done.
   */
  act(action: Action): Promise<void> {
    return this.#next(async () => {
      checkAction(action, vmLimits);
      checkBounds(action);
      if (still.has(action.type)) return;
      await this.#changed();
      await performAction(action, this.#input);
      if (this.#settle === undefined || action.type === 'wait') return;
      await settled(() => this.#changed(), this.#settle);
    });
  }

  /**
   * Saves the machine's state under a name (letters, digits, _ . -), over an earlier one, while it lives. The guest
   * stops meanwhile. Throws `infra` where the session's disk is full.
   */
  snapshot(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.save(name));
  }

  /** Restores a state. Throws `bad_input` for an unknown name. */
  restore(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.load(name));
  }

  /** Lists the saved states, the oldest first. */
  snapshots(): Promise<string[]> {
    return this.#next(() => this.#snapshots.names());
  }

  /** Deletes a state. Throws `bad_input` for an unknown name. */
  deleteSnapshot(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.delete(name));
  }

  /** Presses the reset button: the guest reboots from its disk. */
  reset(): Promise<void> {
    return this.#next(async () => {
      await this.#parts.qemu.qmp.ask('system_reset');
    });
  }

  /** Returns what the guest has written to its serial port since the last call, at most 64 KiB. */
  serial(): Promise<string> {
    return this.#next(async () => {
      const read = await this.#parts.qemu.qmp.ask('ringbuf-read', { device: serialBuffer, size: serialBytes });
      return z.string().parse(read);
    });
  }

  /** Ends it without telling the guest, and removes its disk. Idempotent. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    const { qemu, pictures, folder } = this.#parts;
    await qemu.close();
    await this.#queue.onIdle();
    await pictures.close();
    await folder.remove();
  }

  /** Looks at the screen and returns whether it has changed since the last look. */
  async #changed(): Promise<boolean> {
    const picture = await this.#screen.picture();
    if (samePicture(picture, this.#last)) return false;
    this.#last = picture;
    return true;
  }

  /** Runs a call after earlier ones. A failure because the machine has ended throws that reason. */
  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    const { qmp } = this.#parts.qemu;
    return this.#queue.add(async () => {
      try {
        return await call();
      } catch (error) {
        throw qmp.over ? await this.ended : error;
      }
    });
  }
}

type Checked = Required<Omit<VmOptions, 'format' | 'vnc' | 'settle'>> &
  Pick<VmOptions, 'format' | 'vnc'> & { readonly settle: Settle | undefined };

const OptionsShape = z.strictObject({
  image: z.string().min(1),
  format: z.enum(imageFormats).optional(),
  memoryBytes: z
    .number()
    .min(2 ** 24)
    .default(2 ** 29),
  cpus: z.int().min(1).max(64).default(1),
  size: ScreenSize.default({ width: 1_280, height: 720 }),
  network: z.enum(['none', 'user']).default('none'),
  acceleration: z.enum(['auto', 'kvm', 'tcg']).default('auto'),
  vnc: z
    .strictObject({
      password: z.string().regex(/^[\x20-\x7e]{1,8}$/),
      port: z.int().min(firstVncPort).max(65_535).optional(),
    })
    .optional(),
  keyMs: z.number().min(0).max(10_000).default(20),
  timeoutMs: z.number().positive().max(600_000).default(30_000),
});

function checked({ settle, ...options }: VmOptions): Checked {
  const parsed = OptionsShape.safeParse(options);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new GyreError('bad_input', `${path.join('.')}: ${message}`, {
      field: `vm.${path.join('.')}`,
      fix: 'see VmOptions for what it may be',
      cause: parsed.error,
    });
  }
  const whole = settle === false ? undefined : checkedSettle({ ...defaultSettle, ...settle });
  return { ...(parsed.data as Omit<Checked, 'settle'>), settle: whole };
}

async function accelerationFor(enclosure: Enclosure, wish: Checked['acceleration']): Promise<VmAcceleration> {
  if (wish === 'tcg') return { kind: 'tcg', why: 'it was asked for' };
  const probed = await probeKvm(enclosure);
  if (wish === 'auto' || probed.kind === 'kvm') return probed;
  throw new GyreError('missing', `KVM does not work here: ${probed.why}`, {
    field: 'acceleration',
    fix: `${probed.fix ? `${probed.fix}; or ` : ''}ask for 'auto' or 'tcg'`,
  });
}

/** Creates an empty overlay. */
async function createDisk(enclosure: Enclosure, path: string, bytes: BaseImage['bytes']): Promise<void> {
  const create = ['create', '-q', '-f', 'qcow2', path, String(bytes)];
  const { file, args, env, cwd } = enclosure.command(qemuImg.name, create, { as: 'system' });
  await new Promise<void>((resolve, reject) => {
    execFile(file, [...args], { env: { ...env }, cwd, timeout: 60_000 }, (cause, _stdout, stderr) => {
      if (!cause) return resolve();
      const why = stderr.trim() || cause.message;
      reject(
        new GyreError('infra', `the machine has no disk: ${why}`, {
          part: 'vm',
          field: 'vm',
          fix: 'give the session more disk',
          cause,
        }),
      );
    });
  });
}
