import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, type Size } from '@gyre/protocol';
import type { Desktop } from './desktop/desktop.js';
import { type Driver, type SandboxKind, type ScreenTerms, drivers } from './driver.js';
import { type EnclosureOptions, createEnclosure } from './enclosure/createEnclosure.js';
import type { Enclosure } from './enclosure/enclosure.js';
import { collectOrphans } from './enclosure/sessionDirectory.js';
import { proxyUrl } from './enclosure/sessionEnv.js';
import { Files } from './files/files.js';
import type { Frame } from './frame.js';
import type { Network } from './flags.js';
import { Lease } from './lease.js';
import type { BrowserSurface, Screen, Session } from './session.js';
import { Shell } from './shell/shell.js';
import type { SessionState } from './state.js';
import { Tools } from './tools/tools.js';
import { kvmDevice } from './vm/kvm.js';
import type { Vm } from './vm/vm.js';

export interface SandboxOptions {
  /** Walls of the sessions. Default `auto`: the best that works here, never none. */
  readonly isolation?: EnclosureOptions['isolation'];
  /** Where sessions have their files on the host. Default: a folder of this user's among the temporary files. */
  readonly directory?: string;
}

export interface SandboxLease
  extends Pick<EnclosureOptions, 'limits' | 'network' | 'readable' | 'env'>, Omit<Partial<ScreenTerms>, 'network'> {
  readonly kind: SandboxKind;
  /** Of the screen, in px. Default 1280 x 720. */
  readonly size?: Size;
  /** The lease ends when nothing of the session is used for this long. Default 10 minutes. */
  readonly ttlMs?: number;
}

export interface FramesOptions {
  /** At most. Default 10. */
  readonly perSecond?: number;
  readonly signal?: AbortSignal;
}

/** A session with everything: its screen, shell and files are of one machine. */
export interface SandboxSession extends Session {
  readonly kind: SandboxKind;
  /** Where its programs have their files, as they see it. */
  readonly home: string;
  readonly shell: Shell;
  readonly files: Files;
  /** MCP servers that are started in it. */
  readonly tools: Tools;
  /** Of kind `desktop`: programs, windows and the clipboard, for set-ups and verifiers. */
  readonly desktop?: Desktop;
  /** Of kind `vm`: snapshots and the serial port. `shell` and `files` are those of the enclosure around QEMU, not of the guest. */
  readonly vm?: Vm;
  /** What the screen shows, at first and then whenever it has changed, until the session ends or `signal` is aborted. Watching does not renew the lease. */
  frames(options?: FramesOptions): AsyncGenerator<Frame, void>;
  /** Keeps the lease without using the session. Throws `infra` once it has ended. */
  renew(): void;
}

/** Leases of isolated machines, each with a screen, a shell and files of its own. */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #sessions = new Map<string, SandboxSession>();
  #leases = 0;
  #closed = false;

  private constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Removes what earlier processes have left behind, and is ready. */
  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    await collectOrphans(options.directory);
    return new Sandbox(options);
  }

  /** Those that are leased now. */
  get sessions(): SandboxSession[] {
    return [...this.#sessions.values()];
  }

  /**
   * Starts a machine. Throws `missing` for what is not installed here or where no walls can be built, `bad_input` for terms that do
   * not fit, and `infra` for what does not start.
   */
  async lease(terms: SandboxLease): Promise<SandboxSession> {
    if (this.#closed) throw ended();
    const { kind, size = { width: 1280, height: 720 }, ttlMs = 600_000, network = 'none', ...rest } = terms;
    if (!Object.hasOwn(drivers, kind)) {
      const kinds = Object.keys(drivers).join(', ');
      throw new GyreError('bad_input', `there is no sandbox of kind ${String(kind)}`, {
        field: 'kind',
        fix: `choose one of ${kinds}`,
      });
    }
    if (!(ttlMs > 0))
      throw new GyreError('bad_input', `ttlMs is ${ttlMs}`, { field: 'ttlMs', fix: 'give a number above 0' });
    const enclosure = await createEnclosure({
      ...this.#options,
      ...rest,
      network,
      // Chromium's own sandbox stands within the walls.
      nestedNamespaces: kind === 'browser',
      devices: kind === 'vm' ? [kvmDevice] : [],
    });
    const machine = await Machine.start(enclosure, kind, { ...rest, size, network: reach(enclosure, network) });
    if (this.#closed) {
      // Nobody would end it any more.
      await machine.close();
      throw ended();
    }
    const id = `sandbox-${++this.#leases}`;
    const session = new MachineSession(id, kind, machine, ttlMs, () => this.#sessions.delete(id));
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends all sessions; resolves when nothing is left of them. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.sessions.map((session) => session.release()));
  }
}

const ended = (): GyreError => new GyreError('infra', 'the sandbox was closed', { fix: 'start another' });

/** What the flags of a browser say of the network: walls hold by themselves. */
function reach({ kind }: Enclosure, network: NonNullable<SandboxLease['network']>): Network {
  if (network !== 'none') return { proxy: proxyUrl };
  return kind === 'none' ? 'none' : 'any';
}

/** What a session consists of, from its start to its end. */
class Machine {
  private constructor(
    readonly enclosure: Enclosure,
    readonly driver: Driver,
    readonly shell: Shell,
    readonly files: Files,
    readonly tools: Tools,
  ) {}

  /** Owns the enclosure: where the rest does not start, it is closed. */
  static async start(enclosure: Enclosure, kind: SandboxKind, terms: ScreenTerms): Promise<Machine> {
    let driver: Driver | undefined;
    try {
      driver = await drivers[kind](enclosure, terms);
      const files = await Files.open(enclosure.homeOnHost, {
        home: enclosure.home,
        hardLinks: enclosure.kind !== 'none',
      });
      return new Machine(enclosure, driver, new Shell(enclosure), files, new Tools(enclosure));
    } catch (error) {
      await driver?.close();
      await enclosure.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { driver, shell, files, tools, enclosure } = this;
    await Promise.allSettled([driver.close(), shell.close(), files.close(), tools.close()]);
    await enclosure.close();
  }
}

class MachineSession implements SandboxSession {
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  readonly vm?: Vm;
  readonly home: string;
  readonly shell: Shell;
  readonly files: Files;
  readonly tools: Tools;
  readonly #lease: Lease;
  readonly #seen: Screen;

  constructor(
    readonly id: string,
    readonly kind: SandboxKind,
    machine: Machine,
    ttlMs: number,
    onEnd: () => void,
  ) {
    const { driver, enclosure } = machine;
    const lease = new Lease(ttlMs, async () => {
      onEnd();
      await machine.close();
    });
    this.#lease = lease;
    this.#seen = driver.screen;
    this.home = enclosure.home;
    this.screen = lease.surface(driver.screen);
    if (driver.browser) this.browser = lease.surface(driver.browser);
    if (driver.desktop) this.desktop = lease.surface(driver.desktop);
    if (driver.vm) this.vm = lease.surface(driver.vm);
    this.shell = lease.surface(machine.shell);
    this.files = lease.surface(machine.files);
    // A server that runs is used through the server, not through the surface that has started it.
    this.tools = machine.tools;
    this.tools.use = (work) => lease.use(work);
    void driver.broken.then((reason) => lease.break(reason));
    void enclosure.ended.then(() =>
      lease.break(new GyreError('infra', 'the machine of the session has ended', { fix: 'lease another session' })),
    );
  }

  get state(): SessionState {
    return this.#lease.state;
  }

  get broken(): Promise<GyreError> {
    return this.#lease.broken;
  }

  async *frames({ perSecond = 10, signal }: FramesOptions = {}): AsyncGenerator<Frame, void> {
    for (let last = ''; this.state === 'leased' && !signal?.aborted;) {
      const frame = await this.#seen.observe().catch((error: unknown) => {
        // It ended while it was looked at.
        if (this.state === 'leased') throw error;
      });
      if (frame && frame.hash !== last) {
        last = frame.hash;
        yield frame;
      }
      await Promise.race([pause(1_000 / perSecond, undefined, { ref: false }), this.broken]);
    }
  }

  renew(): void {
    this.#lease.renew();
  }

  release(): Promise<void> {
    return this.#lease.release();
  }
}
