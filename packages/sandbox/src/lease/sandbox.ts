import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { GyreError } from '@gyre/protocol';
import { type Checkpoint, readCheckpoint } from './checkpoint.js';
import { hostWeakness } from '../isolation/browser/confinement.js';
import { deviceOf, type DeviceTerms, isDevice, openDevice } from './device/deviceLease.js';
import type { RemoteTerms } from './device/remoteDevice.js';
import type { PhoneTerms } from './device/phoneDevice.js';
import { LentSession } from './device/deviceSession.js';
import { type EnclosureOptions, createEnclosure } from '../isolation/createEnclosure.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { collectOrphans, defaultBase } from '../isolation/sessionDirectory.js';
import { proxyUrl } from '../isolation/sessionEnv.js';
import { checkedUser } from '../isolation/wallOptions.js';
import { downloadsFolder } from './driver.js';
import type { EndReason, SandboxEvent } from '../events/event.js';
import { checkedNumber } from '../checkedNumber.js';
import { EventStream, type EventsOptions } from '../events/eventStream.js';
import type { Network } from '../browser/flags.js';
import { checkHomeFiles } from '../files/homeFiles.js';
import { kinds, type SandboxKind } from './kind.js';
import { Machine } from './machine.js';
import { LeaseBounds, type Maxima, reserved, reservedByDevice, type Totals } from './maxima.js';
import { MachineSession } from './machineSession.js';
import type { MachineTerms } from './machineTerms.js';
import type { AdbServerOptions } from '../phone/adbServer.js';
import { type Bytes, type Claim, type QuotaLimits, QuotaReached, Quotas, type WaitOptions } from './quotas.js';
import type { CommonSession, SandboxSession } from './sandboxSession.js';
import { checkedSize } from '../input/screenSize.js';
import { Turns } from './turns.js';
import { kvmDevice } from '../vm/kvm.js';
import { WarmPool, type WarmPoolStats } from './warmPool.js';
import { checkWarm, defaultSize, machineKey, type WarmTerms } from './warmTerms.js';

export interface SandboxOptions {
  /** Walls of the sessions. Default `auto`: the best that works here, never none. */
  readonly isolation?: EnclosureOptions['isolation'];
  /** The system of the sessions, for walls by podman. Default: that of the host. */
  readonly image?: EnclosureOptions['image'];
  /** Where sessions have their files on the host. Default: a folder of this user's among the temporary files. */
  readonly directory?: string;
  /** Machines that are kept ready, so that a lease with the same terms has one at once. Default: none. */
  readonly warm?: readonly WarmTerms[];
  /** Leases at once. Default: as many as the machine bears. */
  readonly quotas?: QuotaLimits;
  /** The most that one lease may ask for. Default: what the host has. */
  readonly maxima?: Partial<Maxima>;
  /** What all leases take together. Default: nine tenths of the host's memory, and of what is free of its disk. */
  readonly totals?: Partial<Totals>;
  /** Where the adb server is that phones are connected to, unless their lease says it. Default: where adb looks for it. */
  readonly adb?: AdbServerOptions;
}

/** How a warm pool does, and what it is for. */
export interface WarmState extends WarmPoolStats {
  readonly terms: WarmTerms;
}

/** How long a lease holds, and whose it is. */
export interface LeaseTime extends WaitOptions {
  /** The lease ends when nothing of the session is used for this long. Default 10 minutes. */
  readonly ttlMs?: number;
  /** Whose quota the lease counts against. Default: nobody's. */
  readonly owner?: string;
}

export interface MachineLease extends MachineTerms, LeaseTime {}
export interface PhoneLease extends PhoneTerms, LeaseTime {}
export interface RemoteLease extends RemoteTerms, LeaseTime {}

/** What a session is asked for, by its kind. */
export type SandboxLease = MachineLease | PhoneLease | RemoteLease;

/** What a checkpoint does not say of the session that it becomes. */
export type RestoreOptions = Omit<MachineLease, Exclude<keyof MachineTerms, 'readable' | 'env'>>;

/** A session of any kind. */
export type AnySession = SandboxSession<SandboxKind>;

type Started = MachineSession | LentSession;

/** What a lease is for, once it is there and before anybody has it. */
interface Ready {
  /** Was it there before it was asked for? */
  readonly warm: boolean;
  session(lease: { id: string; ttlMs: number; onEnd: () => void }): Started;
  close(): Promise<void>;
}

/**
 * Leases of isolated machines, each with a screen, a shell and files of its own, and of phones and machines elsewhere, each to one at a
 * time.
 */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #sessions = new Map<string, AnySession>();
  readonly #warm = new Map<string, { readonly terms: WarmTerms; readonly pool: WarmPool<Machine> }>();
  /** Machines that are to be warm start one after another: whoever uses a session needs the cores more. */
  readonly #warming = new Turns();
  readonly #quotas: Quotas;
  readonly #bounds: LeaseBounds;
  readonly #events = new EventStream();
  /** Machines that are being started, and their enclosures where these stand already. */
  readonly #starting = new Map<Promise<Machine>, Enclosure | undefined>();
  #leases = 0;
  #closed = false;

  private constructor(options: SandboxOptions) {
    this.#options = options;
    this.#bounds = new LeaseBounds(placeOf(options.directory), options.maxima, options.totals);
    this.#quotas = new Quotas({ ...this.#bounds.totals, ...options.quotas });
  }

  /**
   * Removes what earlier processes have left behind, and is ready when all that is to be warm is. Throws `bad_input` for options that
   * do not fit, and what `lease` throws for machines that cannot be kept warm.
   */
  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    const { warm = [], directory } = options;
    checkWarm(warm);
    await collectOrphans(directory);
    const sandbox = new Sandbox(options);
    try {
      for (const terms of warm) await sandbox.#keepWarm(terms);
    } catch (error) {
      await sandbox.close();
      throw error;
    }
    return sandbox;
  }

  /** What is kept ready, and how that does. */
  get warm(): WarmState[] {
    return [...this.#warm.values()].map(({ terms, pool }) => ({ terms, ...pool.stats }));
  }

  /** Those that are leased now. */
  get sessions(): AnySession[] {
    return [...this.#sessions.values()];
  }

  /**
   * Leases a session of the kind that the lease names: a new or warm machine, a phone, or a remote machine. Throws `missing` where
   * something is not installed or no isolation works, `bad_input` for terms that do not fit, `QuotaReached` where no place is free or
   * the device is leased, and `infra` where the machine does not start or the device does not answer.
   */
  async lease<Kind extends SandboxKind>(lease: SandboxLease & { readonly kind: Kind }): Promise<SandboxSession<Kind>> {
    return published(await this.#lease(lease)) as SandboxSession<Kind>;
  }

  async #lease(lease: SandboxLease): Promise<Started> {
    this.#checkOpen();
    const { ttlMs = this.#bounds.usualTtlMs, owner, waitMs, signal, ...terms } = lease;
    const { kind } = terms;
    checkKind(kind);
    this.#bounds.checkTime({ ttlMs, waitMs });
    const device = isDevice(terms) ? deviceOf(terms, this.#options.adb) : undefined;
    const takes = isDevice(terms) ? reservedByDevice : this.#takenBy(terms);
    const giveBack = await this.#place({ kind, owner, device, takes }, { waitMs, signal });
    const start = performance.now();
    let ready: Ready | undefined;
    try {
      ready = await this.#ready(terms, signal);
      this.#checkOpen();
      if (signal?.aborted)
        throw new GyreError('infra', 'who asked for the session has gone', { part: 'lease', field: 'signal' });
    } catch (error) {
      // Nobody would end it any more.
      await ready?.close();
      giveBack();
      throw error;
    }
    const id = `sandbox-${++this.#leases}`;
    const session = ready.session({ id, ttlMs, onEnd: () => this.#sessions.delete(id) });
    this.#sessions.set(id, published(session));
    void session.ended.then(giveBack);
    this.#tell(session, { owner, warm: ready.warm, ms: performance.now() - start });
    return session;
  }

  /**
   * A new session, as the checkpointed one was: the same files, and a page that shows the same frame. Throws what `lease` throws, and
   * `corrupt` for what is no checkpoint or leads to another frame; then nothing is left.
   */
  async restore(checkpoint: Checkpoint, lease: RestoreOptions = {}): Promise<SandboxSession> {
    const { terms, page, home, at } = readCheckpoint(checkpoint);
    const session = (await this.#lease({ ...lease, ...(terms as MachineTerms) })) as MachineSession;
    try {
      await session.restore({ page, home }, at);
      return published(session) as SandboxSession;
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** What happens from now on, until `close`. */
  events(options: EventsOptions = {}): AsyncIterableIterator<SandboxEvent, void> {
    return this.#events.read(options);
  }

  /** Ends all sessions, also those that are being started; resolves when nothing is left of them. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#quotas.close(ended());
    await Promise.all([
      ...[...this.#starting].map(async ([start, enclosure]) => {
        await enclosure?.close().catch(() => undefined);
        await start.catch(() => undefined);
      }),
      ...[...this.#warm.values()].map(({ pool }) => pool.close()),
      ...this.sessions.map((session) => session.release()),
    ]);
    this.#events.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw ended();
  }

  /** Throws `QuotaReached`. */
  async #place(claim: Claim, wait: WaitOptions): Promise<() => void> {
    try {
      return await this.#quotas.take(claim, wait);
    } catch (error) {
      if (error instanceof QuotaReached) {
        this.#events.emit({ type: 'quota.reached', ...owned(claim), limit: error.limit });
      }
      throw error;
    }
  }

  /** Tells of a session, from its beginning to its end. */
  #tell(session: Started, { owner, warm, ms }: { owner: string | undefined; warm: boolean; ms: number }): void {
    const events = this.#events;
    const of = { session: session.id, ...owned({ kind: session.kind, owner }) };
    const start = performance.now();
    let reason: EndReason = 'released';
    events.emit({ type: 'session.created', ...of, warm, ms });
    const weakness = session.kind === 'browser' && this.#options.isolation === 'none' ? hostWeakness() : undefined;
    if (weakness) events.emit({ type: 'browser.weak', ...of, message: weakness.message });
    void session.broken.then(({ message, detail: { part } }) => {
      reason = part === 'lease' ? 'expired' : part === 'page' ? 'page' : 'machine';
      const type = ({ expired: 'session.expired', page: 'page.crashed', machine: 'machine.died' } as const)[reason];
      events.emit({ type, ...of, message, part });
    });
    void session.ended.then(() => {
      if (reason === 'released' && this.#closed) reason = 'closed';
      events.emit({ type: 'session.ended', ...of, reason, ms: performance.now() - start });
    });
  }

  async #ready(terms: MachineTerms | DeviceTerms, signal: AbortSignal | undefined): Promise<Ready> {
    if (isDevice(terms)) {
      const device = await openDevice(terms, this.#options.adb);
      const { kind } = terms;
      return {
        warm: false,
        session: (lease) => new LentSession({ ...lease, kind }, device),
        close: () => device.close(),
      };
    }
    const warm = await this.#warm.get(machineKey(terms))?.pool.take();
    const machine = warm ?? (await this.#startMachine(terms, signal));
    return {
      warm: warm !== undefined,
      session: (lease) => new MachineSession(lease, terms, machine),
      close: () => machine.close(),
    };
  }

  /** What a machine takes of the totals. Throws `bad_input` for terms that do not fit, before anything is started for them. */
  #takenBy(terms: MachineTerms): Bytes {
    if (terms.size !== undefined) checkedSize(terms.size);
    if (terms.user !== undefined) checkedUser(terms.user);
    if (terms.files !== undefined) checkHomeFiles(terms.files);
    if (terms.stepMs !== undefined) checkedNumber('stepMs', terms.stepMs, { least: 1, most: 60_000 });
    return reserved(this.#bounds.limitsOf(terms), terms.limits);
  }

  async #keepWarm(warm: WarmTerms): Promise<void> {
    const { count, ...terms } = warm;
    // For good: what is leased is replaced.
    const { memoryBytes, diskBytes } = this.#takenBy(terms);
    this.#quotas.reserve({ memoryBytes: count * memoryBytes, diskBytes: count * diskBytes });
    const start = () =>
      this.#warming.next(async () => {
        const machine = await this.#startMachine(terms);
        // What the first question costs is paid before anybody waits; where it fails, it fails again when it matters.
        await machine.answers().catch(() => undefined);
        return machine;
      });
    const { kind } = terms;
    const pool = await WarmPool.fill(count, start, {
      refilled: (ready) => this.#events.emit({ type: 'pool.refilled', kind, ready }),
      died: ({ message }) => this.#events.emit({ type: 'machine.died', kind, message }),
      failed: ({ message }) => this.#events.emit({ type: 'pool.failed', kind, message }),
    });
    this.#warm.set(machineKey(terms), { terms: warm, pool });
  }

  /** @param signal ends the start. */
  #startMachine(terms: MachineTerms, signal?: AbortSignal): Promise<Machine> {
    const start = this.#newMachine(terms, signal, (enclosure) => this.#starting.set(start, enclosure));
    this.#starting.set(start, undefined);
    const over = () => void this.#starting.delete(start);
    start.then(over, over);
    return start;
  }

  async #newMachine(
    terms: MachineTerms,
    signal: AbortSignal | undefined,
    onEnclosure: (enclosure: Enclosure) => void,
  ): Promise<Machine> {
    const { kind, size = defaultSize, network = 'none', ...rest } = terms;
    checkKind(kind);
    if (rest.wine && kind !== 'desktop') {
      throw new GyreError('bad_input', `a ${kind} has no Wine`, { field: 'wine', fix: 'lease a desktop' });
    }
    const { outputBytes, ...limits } = this.#bounds.limitsOf(terms);
    const { isolation, image, directory } = this.#options;
    const enclosure = await createEnclosure({
      isolation,
      image,
      directory,
      ...rest,
      limits,
      network,
      // Chromium's own sandbox stands within the walls.
      nestedNamespaces: kind === 'browser',
      pinned: kind === 'browser' ? [downloadsFolder] : [],
      devices: kind === 'vm' ? [kvmDevice] : [],
    });
    const stop = (): void => void enclosure.close().catch(() => undefined);
    if (this.#closed || signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    onEnclosure(enclosure);
    try {
      return await Machine.start(enclosure, kind, { ...rest, size, outputBytes, network: reach(enclosure, network) });
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }
}

/** The folder of sessions, or the nearest above it that there is. */
function placeOf(directory = defaultBase()): string {
  for (let place = directory; ; place = dirname(place)) if (existsSync(place)) return place;
}

/** Types a session by its kind: what starts a kind gives its session the surfaces of that kind. */
const published = (session: CommonSession): AnySession => session as AnySession;

const owned = ({ kind, owner }: Claim): Pick<Claim, 'kind' | 'owner'> => ({ kind, owner });

function checkKind(kind: string): void {
  if (kinds.some((known) => known === kind)) return;
  throw new GyreError('bad_input', `there is no sandbox of kind ${kind}`, {
    field: 'kind',
    fix: `choose one of ${kinds.join(', ')}`,
  });
}

const ended = (): GyreError =>
  new GyreError('infra', 'the sandbox was closed', { part: 'lease', fix: 'start another' });

/** What the flags of a browser say of the network: walls hold by themselves. */
function reach({ kind }: Enclosure, network: NonNullable<MachineTerms['network']>): Network {
  if (network !== 'none') return { proxy: proxyUrl };
  return kind === 'none' ? 'none' : 'any';
}
