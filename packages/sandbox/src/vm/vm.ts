import { join } from 'node:path';
import { execFile } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { GyreError, type Action, type Size } from '@gyre/protocol';
import { z } from 'zod';
import { checkBounds } from '../input/actionBounds.js';
import { Folder } from '../desktop/folder.js';
import type { Enclosure } from '../isolation/enclosure.js';
import type { Frame } from '../recording/frame.js';
import { ScreenSize } from '../input/screenSize.js';
import type { Screen } from '../lease/session.js';
import { checkedSettle, settled, type Settle } from '../browser/tab/settle.js';
import { Turns } from '../lease/turns.js';
import { descriptor, firstVncPort, machineArguments, serialBuffer, serialBytes } from './arguments.js';
import { imageFormats, openImage, type BaseImage, type ImageFormat } from './image.js';
import { checkVmAction, VmInput } from './input.js';
import { probeKvm, type VmAcceleration } from './kvm.js';
import { Qemu } from './qemu.js';
import { checkVmRequirements, qemuImg } from './requirement.js';
import { frameOfPicture, samePicture, screenFile, VmScreen, type Picture } from './screen.js';
import { Snapshots } from './snapshots.js';

export interface VmOptions {
  /** Path of the guest's disk on the host. It is read and never written: what the guest writes is kept apart, and gone at the end. */
  readonly image: string;
  /** Of the image. Default: taken from it. */
  readonly format?: ImageFormat;
  /** Of the guest. Default 512 MiB. The session needs some 400 MiB more, and what is on its disk where that is in memory. */
  readonly memoryBytes?: number;
  /** Of the guest. Default 1. */
  readonly cpus?: number;
  /** What the guest is told that its screen should have, in px; it decides. Default 1280 x 720. */
  readonly size?: Size;
  /**
   * `none`: a network with nobody in it. `user`: the guest reaches what programs of its enclosure reach, whose loopback is 10.0.2.2 to it;
   * without walls that is all that this machine reaches. Default `none`.
   */
  readonly network?: 'none' | 'user';
  /**
   * `auto`: KVM where a guest was seen to boot on it, else TCG. An enclosure that is not a lease's needs `devices: ['/dev/kvm']` for it.
   * Default `auto`.
   */
  readonly acceleration?: 'auto' | 'kvm' | 'tcg';
  /**
   * Shows the screen by VNC too, and takes input there, from whoever has the password (1 to 8 characters, as VNC has it). On a socket in
   * the session's system files, see `vncSocket`; or on a port (5900 or more) of the loopback of the enclosure.
   */
  readonly vnc?: { readonly password: string; readonly port?: number };
  /** When an action counts as done; false: as soon as QEMU has taken it. */
  readonly settle?: Partial<Settle> | false;
  /** Time between two keys of a text, in ms. A guest that is slower loses some. Default 20. */
  readonly keyMs?: number;
  /** How long each answer of QEMU may take, in ms: after that it is taken for hung. Default 30,000. */
  readonly timeoutMs?: number;
}

const defaultSettle: Settle = { firstChangeMs: 150, stableReads: 2, gapMs: 25, boundMs: 1_500 };

/** What the pointer changes by being moved: seen when it stands still, or passed over. */
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
 * A virtual machine with any system that runs on a PC, by QEMU. Time does not stand still here: an action is over when the screen has
 * changed and stands still again, within bounds. Calls run one after another. Every call throws `infra` once the machine has ended, also
 * because the guest has shut itself down or panicked. Nobody can tell a guest that hangs from one that waits.
 */
export class Vm implements Screen {
  /** What its processor is. */
  readonly acceleration: VmAcceleration;
  /** Resolves with the reason when it has ended, whoever ended it. */
  readonly ended: Promise<GyreError>;
  /** Path on the host of the socket that VNC is spoken on. The agent's programs pass to it, and cannot replace it where `apart` is true. */
  readonly vncSocket?: string;
  readonly #parts: Parts;
  readonly #screen: VmScreen;
  readonly #input: VmInput;
  readonly #snapshots: Snapshots;
  readonly #settle: Settle | undefined;
  readonly #turns = new Turns();
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
   * Starts a machine in an enclosure; resolves when it has begun to boot. Throws `missing` for what is not installed, `infra` for what
   * does not start, and `bad_input` for options that do not fit.
   */
  static async start(enclosure: Enclosure, given: VmOptions): Promise<Vm> {
    checkVmRequirements();
    const options = checked(given);
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
      // Until there is a password nobody gets in.
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

  /** Of the screen in px, as it was last seen: the guest may change it at any time. */
  get size(): Size {
    return this.#last.size;
  }

  /** What the screen shows, as a PNG. */
  observe(): Promise<Frame> {
    return this.#next(async () => {
      await this.#changed();
      if (this.#shown?.picture !== this.#last) {
        this.#shown = { picture: this.#last, frame: await frameOfPicture(this.#last) };
      }
      return this.#shown.frame;
    });
  }

  /** What the screen shows, as RGB `[height, width, 3]`. */
  pixels(): Promise<Uint8Array> {
    return this.#next(async () => {
      await this.#changed();
      return this.#last.pixels;
    });
  }

  /**
   * Takes an action and waits until it has had its effect (`settle`). `screenshot`, `finished` and `call_user` do nothing. Throws
   * `bad_input` for an action that a machine cannot take; then nothing has happened.
   */
  act(action: Action): Promise<void> {
    return this.#next(async () => {
      checkVmAction(action);
      checkBounds(action);
      if (still.has(action.type)) return;
      await this.#changed();
      await this.#input.perform(action);
      if (this.#settle === undefined || action.type === 'wait') return;
      await settled(() => this.#changed(), this.#settle);
    });
  }

  /**
   * Keeps the whole state of the machine under a name (letters, digits, _ . -), in place of what had it, as long as the machine lives.
   * The guest stands still meanwhile. Throws `infra` where the session's disk does not hold it.
   */
  snapshot(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.save(name));
  }

  /** Goes back to a state: what the guest has done since has not happened. Throws `bad_input` where there is none of that name. */
  restore(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.load(name));
  }

  /** Names of the states that are kept, the oldest first. */
  snapshots(): Promise<string[]> {
    return this.#next(() => this.#snapshots.names());
  }

  /** Forgets a state. Throws `bad_input` where there is none of that name. */
  deleteSnapshot(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.delete(name));
  }

  /** Presses the reset button: the guest boots anew from what is on its disk. */
  reset(): Promise<void> {
    return this.#next(async () => {
      await this.#parts.qemu.qmp.ask('system_reset');
    });
  }

  /** What the guest has written to its serial port since the last time that it was asked: of that the last 64 KiB. */
  serial(): Promise<string> {
    return this.#next(async () => {
      const read = await this.#parts.qemu.qmp.ask('ringbuf-read', { device: serialBuffer, size: serialBytes });
      return z.string().parse(read);
    });
  }

  /** Ends it, without a word to the guest, and removes its disk. Twice is once. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    const { qemu, pictures, folder } = this.#parts;
    await qemu.close();
    await this.#turns.over;
    await pictures.close();
    await folder.remove();
  }

  /** Looks; says whether the screen shows something else than at the last look. */
  async #changed(): Promise<boolean> {
    const picture = await this.#screen.picture();
    if (samePicture(picture, this.#last)) return false;
    this.#last = picture;
    return true;
  }

  /** Runs a call after those before it. One that fails because the machine has ended says why that has. */
  #next<Result>(call: () => Promise<Result>): Promise<Result> {
    const { qmp } = this.#parts.qemu;
    return this.#turns.next(async () => {
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

function checked({ settle, ...given }: VmOptions): Checked {
  const parsed = OptionsShape.safeParse(given);
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
  const found = await probeKvm(enclosure);
  if (wish === 'auto' || found.kind === 'kvm') return found;
  throw new GyreError('missing', `KVM does not work here: ${found.why}`, {
    field: 'acceleration',
    fix: `${found.fix ? `${found.fix}; or ` : ''}ask for 'auto' or 'tcg'`,
  });
}

/** Makes an empty disk, over which nothing has been written. */
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
