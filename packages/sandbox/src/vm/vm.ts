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
  /** Host path of the disk image. It is never written: the guest's writes are discarded at the end. */
  readonly image: string;
  /** Default: detected. */
  readonly format?: ImageFormat;
  /** Default: 512 MiB. The session needs some 400 MiB more, and the guest's writes if its disk is in memory. */
  readonly memoryBytes?: number;
  /** Default: 1. */
  readonly cpus?: number;
  /** Preferred by the guest. Default: 1280 x 720. */
  readonly size?: Size;
  /**
   * `none`: an empty network. `user`: whatever the enclosure reaches, with its loopback at 10.0.2.2; without isolation,
   * whatever this machine reaches. Default: `none`.
   */
  readonly network?: 'none' | 'user';
  /**
   * `auto`: KVM if a test guest booted on it, else TCG. Outside of leases, KVM needs `devices: ['/dev/kvm']`. Default:
   * `auto`.
   */
  readonly acceleration?: 'auto' | 'kvm' | 'tcg';
  /** Passwords have 1 to 8 characters. Serves on `vncSocket`, or on a loopback port of 5900 or more. */
  readonly vnc?: { readonly password: string; readonly port?: number };
  /** False: an action is done once QEMU accepted it. */
  readonly settle?: Partial<Settle> | false;
  /** Slow guests lose fast keys. Default: 20. */
  readonly keyMs?: number;
  /** Per answer; QEMU then counts as hung. Default: 30,000. */
  readonly timeoutMs?: number;
}

const defaultSettle: Settle = { firstChangeMs: 150, stableReads: 2, gapMs: 25, boundMs: 1_500 };

/** Absorbs changes caused by the pointer's move. */
const aimed: Settle = { firstChangeMs: 50, stableReads: 2, gapMs: 15, boundMs: 200 };

const inert: ReadonlySet<Action['type']> = new Set(['screenshot', 'finished', 'call_user']);

interface Parts {
  readonly folder: Folder;
  readonly pictures: FileHandle;
  readonly qemu: Qemu;
  readonly options: Checked;
  readonly acceleration: VmAcceleration;
}

/**
 * A QEMU machine with any PC system, in real time: an action is over when the screen changed and settled, within
 * bounds. Calls are serialized, and throw `infra` after a shutdown or panic. A hung guest looks like a waiting one.
 */
export class Vm implements Screen {
  readonly acceleration: VmAcceleration;
  /** Resolves with the reason. */
  readonly ended: Promise<GyreError>;
  /** Host path. The agent's programs can reach it, but not replace it if `apart` is true. */
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

  /** Resolves when the machine begins to boot. Throws `missing`, `infra`, or `bad_input`. */
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
      // Without a password, nobody can connect.
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

  /** As last seen: the guest may change it. */
  get size(): Size {
    return this.#last.size;
  }

  observe(): Promise<Frame> {
    return this.#next(async () => {
      await this.#changed();
      if (this.#shown?.picture !== this.#last) {
        this.#shown = { picture: this.#last, frame: await frameOfPicture(this.#last) };
      }
      return this.#shown.frame;
    });
  }

  /** RGB `[height, width, 3]`. */
  pixels(): Promise<Uint8Array> {
    return this.#next(async () => {
      await this.#changed();
      return this.#last.pixels;
    });
  }

  /** Waits for the effect (`settle`). Throws `bad_input` before doing anything. */
  act(action: Action): Promise<void> {
    return this.#next(async () => {
      checkAction(action, vmLimits);
      checkBounds(action);
      if (inert.has(action.type)) return;
      await this.#changed();
      await performAction(action, this.#input);
      if (this.#settle === undefined || action.type === 'wait') return;
      await settled(() => this.#changed(), this.#settle);
    });
  }

  /**
   * Pauses the guest. States last as long as the machine; names have letters, digits, _ . and -. Throws `infra` if the
   * disk is full.
   */
  snapshot(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.save(name));
  }

  /** Throws `bad_input` for an unknown name. */
  restore(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.load(name));
  }

  /** Oldest first. */
  snapshots(): Promise<string[]> {
    return this.#next(() => this.#snapshots.names());
  }

  /** Throws `bad_input` for an unknown name. */
  deleteSnapshot(name: string): Promise<void> {
    return this.#next(() => this.#snapshots.delete(name));
  }

  /** The guest reboots from its disk. */
  reset(): Promise<void> {
    return this.#next(async () => {
      await this.#parts.qemu.qmp.ask('system_reset');
    });
  }

  /** Returns at most 64 KiB of output since the last call. */
  serial(): Promise<string> {
    return this.#next(async () => {
      const read = await this.#parts.qemu.qmp.ask('ringbuf-read', { device: serialBuffer, size: serialBytes });
      return z.string().parse(read);
    });
  }

  /** Kills the guest, and removes its disk. Idempotent. */
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

  async #changed(): Promise<boolean> {
    const picture = await this.#screen.picture();
    if (samePicture(picture, this.#last)) return false;
    this.#last = picture;
    return true;
  }

  /** Serializes calls. Errors caused by the machine's end become its reason. */
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
      fix: 'check VmOptions for the valid values',
      cause: parsed.error,
    });
  }
  const whole = settle === false ? undefined : checkedSettle({ ...defaultSettle, ...settle });
  return { ...(parsed.data as Omit<Checked, 'settle'>), settle: whole };
}

async function accelerationFor(enclosure: Enclosure, wish: Checked['acceleration']): Promise<VmAcceleration> {
  if (wish === 'tcg') return { kind: 'tcg', why: 'it was requested' };
  const probed = await probeKvm(enclosure);
  if (wish === 'auto' || probed.kind === 'kvm') return probed;
  throw new GyreError('missing', `KVM does not work here: ${probed.why}`, {
    field: 'acceleration',
    fix: `${probed.fix ? `${probed.fix}; or ` : ''}use 'auto' or 'tcg'`,
  });
}

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
