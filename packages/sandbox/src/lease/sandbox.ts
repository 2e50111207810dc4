import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { GyreError, traced } from '@gyre/protocol';
import PQueue from 'p-queue';
import { type Checkpoint, readCheckpoint } from './checkpoint.js';
import { hostWeakness } from '../isolation/browser/confinement.js';
import { deviceOf, type DeviceTerms, isDevice, openDevice } from './device/deviceLease.js';
import type { RemoteTerms } from './device/remoteDevice.js';
import type { PhoneTerms } from './device/phoneDevice.js';
import { DeviceSession } from './device/deviceSession.js';
import { type EnclosureOptions, createEnclosure } from '../isolation/createEnclosure.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { collectOrphans, defaultBase } from '../isolation/sessionDirectory.js';
import { proxyUrl } from '../isolation/sessionEnv.js';
import { checkedRoot, checkedUser } from '../isolation/isolationOptions.js';
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
import { type Bytes, type Claim, type QuotaLimits, QuotaReached, Quotas } from './quotas.js';
import type { CommonSession, SandboxSession } from './sandboxSession.js';
import { checkedSize } from '../input/screenSize.js';
import { kvmDevice } from '../vm/kvm.js';
import type { WaitOptions } from './waitingLine.js';
import { WarmPool, type WarmPoolStats } from './warmPool.js';
import { checkWarm, defaultSize, machineKey, type WarmTerms } from './warmTerms.js';

export interface SandboxOptions {
  /** Default `auto`: the strongest available, never none. */
  readonly isolation?: EnclosureOptions['isolation'];
  /** Root file system under podman. Default: the host's. */
  readonly image?: EnclosureOptions['image'];
  /** Folder of the sessions' files on the host. Default: a temporary one. */
  readonly directory?: string;
  /** Machines ready for leases with the same terms. */
  readonly warm?: readonly WarmTerms[];
  /** Default: unlimited, within `totals`. */
  readonly quotas?: QuotaLimits;
  /** Limits per lease. Default: the host's resources. */
  readonly maxima?: Partial<Maxima>;
  /** Limits of all leases together. Default: 90 % of the host's memory and free disk. */
  readonly totals?: Partial<Totals>;
  /** Default server of phones. */
  readonly adb?: AdbServerOptions;
  /** Prefix of session ids. Default: `sandbox`. */
  readonly name?: string;
}

export interface WarmState extends WarmPoolStats {
  readonly terms: WarmTerms;
}

export interface LeaseTime extends WaitOptions {
  /** Time unused until the lease expires. Default 10 minutes. */
  readonly ttlMs?: number;
  /** Owner whose quota counts the lease. Default: none. */
  readonly owner?: string;
}

export interface MachineLease extends MachineTerms, LeaseTime {}
export interface PhoneLease extends PhoneTerms, LeaseTime {}
export interface RemoteLease extends RemoteTerms, LeaseTime {}

export type SandboxLease = MachineLease | PhoneLease | RemoteLease;

export type RestoreOptions = Omit<MachineLease, Exclude<keyof MachineTerms, 'readable' | 'env'>>;

export type AnySession = SandboxSession<SandboxKind>;

type Started = MachineSession | DeviceSession;

interface Ready {
  /** Whether it comes from a warm pool. */
  readonly warm: boolean;
  session(lease: { id: string; ttlMs: number; onEnd: () => void; restore: Sandbox['restore'] }): Started;
  close(): Promise<void>;
}

/** Leases isolated machines, phones and remote machines. */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #sessions = new Map<string, AnySession>();
  readonly #warm = new Map<string, { readonly terms: WarmTerms; readonly pool: WarmPool<Machine> }>();
  /** One at a time, since sessions in use need the cores more. */
  readonly #warming = new PQueue({ concurrency: 1 });
  readonly #quotas: Quotas;
  readonly #bounds: LeaseBounds;
  readonly #events = new EventStream();
  /** Enclosures are set once they exist. */
  readonly #starting = new Map<Promise<Machine>, Enclosure | undefined>();
  #leases = 0;
  #closed = false;

  private constructor(options: SandboxOptions) {
    this.#options = options;
    this.#bounds = new LeaseBounds(placeOf(options.directory), options.maxima, options.totals);
    this.#quotas = new Quotas({ ...this.#bounds.totals, ...options.quotas });
  }

  /** Removes what dead processes have left; fills the warm pools. Throws `bad_input`, and the errors of `lease`. */
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

  get warm(): WarmState[] {
    return [...this.#warm.values()].map(({ terms, pool }) => ({ terms, ...pool.stats }));
  }

  get sessions(): AnySession[] {
    return [...this.#sessions.values()];
  }

  /**
   * Leases a machine, phone or remote machine. Throws `missing` if something is not installed or no isolation works,
   * `bad_input` for invalid terms, `QuotaReached` if no place is free or the device is leased, `infra` if it does not
   * start or answer.
   */
  async lease<Kind extends SandboxKind>(lease: SandboxLease & { readonly kind: Kind }): Promise<SandboxSession<Kind>> {
    return published(await this.#lease(lease)) as SandboxSession<Kind>;
  }

  async #lease(lease: SandboxLease): Promise<Started> {
    this.#checkOpen();
    const { ttlMs = this.#bounds.defaultTtlMs, owner, waitMs, signal, ...terms } = lease;
    const { kind } = terms;
    checkKind(kind);
    this.#bounds.checkTime({ ttlMs, waitMs });
    const device = isDevice(terms) ? deviceOf(terms, this.#options.adb) : undefined;
    const takes = isDevice(terms) ? reservedByDevice : this.#takenBy(terms);
    const giveBack = await this.#place({ kind, owner, device, takes }, { waitMs, signal });
    const start = performance.now();
    let ready: Ready | undefined;
    try {
      ready = await traced('start session', { attributes: { 'gyre.kind': kind }, joins: true }, async (span) => {
        const started = await this.#ready(terms, signal);
        span.setAttribute('gyre.warm', started.warm);
        return started;
      });
      this.#checkOpen();
      if (signal?.aborted) throw disconnected();
    } catch (error) {
      // No session owns it yet.
      await ready?.close();
      giveBack();
      throw error;
    }
    const id = `${this.#options.name ?? 'sandbox'}-${++this.#leases}`;
    const { readable, env } = terms as Partial<MachineTerms>;
    const session = ready.session({
      ...{ id, ttlMs, onEnd: () => this.#sessions.delete(id) },
      restore: (checkpoint, fork) => this.restore(checkpoint, { ...fork, owner, readable, env }),
    });
    this.#sessions.set(id, published(session));
    void session.ended.then(giveBack);
    this.#emitEvents(session, { owner, warm: ready.warm, ms: performance.now() - start });
    return session;
  }

  /**
   * Leases a session with a checkpoint's files and page. Throws the errors of `lease`, and `corrupt` for a malformed
   * checkpoint or a replay that shows another frame.
   */
  async restore(checkpoint: Checkpoint, lease: RestoreOptions = {}): Promise<SandboxSession> {
    const { terms, page, home, at: createdAt } = readCheckpoint(checkpoint);
    const { signal } = lease;
    const session = (await this.#lease({ ...lease, ...(terms as MachineTerms) })) as MachineSession;
    const leave = () => void session.release().catch(() => undefined);
    signal?.addEventListener('abort', leave);
    try {
      await session.restore({ page, home }, createdAt);
      if (signal?.aborted) throw disconnected();
      return published(session) as SandboxSession;
    } catch (error) {
      // A call that the end of its session cut off does not know the reason.
      const reason = session.state === 'broken' ? await session.broken : error;
      await session.release();
      throw reason;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Yields future events until `close`. */
  events(options: EventsOptions = {}): AsyncIterableIterator<SandboxEvent, void> {
    return this.#events.read(options);
  }

  /** Ends all sessions, starting ones included. */
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

  #emitEvents(session: Started, { owner, warm, ms }: { owner: string | undefined; warm: boolean; ms: number }): void {
    const events = this.#events;
    const sessionFields = { session: session.id, ...owned({ kind: session.kind, owner }) };
    const start = performance.now();
    let reason: EndReason = 'released';
    events.emit({ type: 'session.created', ...sessionFields, warm, ms });
    const weakness = session.kind === 'browser' && this.#options.isolation === 'none' ? hostWeakness() : undefined;
    if (weakness) events.emit({ type: 'browser.weak', ...sessionFields, message: weakness.message });
    void session.broken.then(({ message, detail: { part } }) => {
      reason = part === 'lease' ? 'expired' : part === 'page' ? 'page' : 'machine';
      const type = ({ expired: 'session.expired', page: 'page.crashed', machine: 'machine.died' } as const)[reason];
      events.emit({ type, ...sessionFields, message, part });
    });
    void session.ended.then(() => {
      if (reason === 'released' && this.#closed) reason = 'closed';
      events.emit({ type: 'session.ended', ...sessionFields, reason, ms: performance.now() - start });
    });
  }

  async #ready(terms: MachineTerms | DeviceTerms, signal: AbortSignal | undefined): Promise<Ready> {
    if (isDevice(terms)) {
      const device = await openDevice(terms, this.#options.adb);
      const { kind } = terms;
      return {
        warm: false,
        session: (lease) => new DeviceSession({ ...lease, kind }, device),
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

  /** Throws `bad_input` for invalid terms. */
  #takenBy(terms: MachineTerms): Bytes {
    if (terms.size !== undefined) checkedSize(terms.size);
    if (terms.user !== undefined) checkedUser(terms.user);
    if (terms.root !== undefined) checkedRoot(terms.root);
    if (terms.files !== undefined) checkHomeFiles(terms.files);
    if (terms.stepMs !== undefined) checkedNumber('stepMs', terms.stepMs, { min: 1, max: 60_000 });
    return reserved(this.#bounds.limitsOf(terms), terms.limits);
  }

  async #keepWarm(warm: WarmTerms): Promise<void> {
    const { count, ...terms } = warm;
    // Leased machines are replaced.
    const { memoryBytes, diskBytes } = this.#takenBy(terms);
    this.#quotas.reserve({ memoryBytes: count * memoryBytes, diskBytes: count * diskBytes });
    const start = () =>
      this.#warming.add(async () => {
        const machine = await this.#startMachine(terms);
        // Makes the slow first call early. A failure shows again when it matters.
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
      throw new GyreError('bad_input', `a ${kind} does not support Wine`, { field: 'wine', fix: 'lease a desktop' });
    }
    if (rest.root !== undefined && kind !== 'shell') {
      // The screen's programs would be the agent's.
      throw new GyreError('bad_input', `a ${kind} cannot have a root of its own`, {
        field: 'root',
        fix: "lease({ kind: 'shell', root })",
      });
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
      // For Chromium's sandbox.
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

/** Returns the nearest existing folder. */
function placeOf(directory = defaultBase()): string {
  for (let place = directory; ; place = dirname(place)) if (existsSync(place)) return place;
}

/** Sound, because each kind's sessions have its surfaces. */
const published = (session: CommonSession): AnySession => session as AnySession;

const owned = ({ kind, owner }: Claim): Pick<Claim, 'kind' | 'owner'> => ({ kind, owner });

function checkKind(kind: string): void {
  if (kinds.some((known) => known === kind)) return;
  throw new GyreError('bad_input', `there is no sandbox of kind ${kind}`, {
    field: 'kind',
    fix: `choose one of ${kinds.join(', ')}`,
  });
}

const disconnected = (): GyreError =>
  new GyreError('infra', 'the client that asked for the session disconnected', { part: 'lease', field: 'signal' });

const ended = (): GyreError =>
  new GyreError('infra', 'the sandbox was closed', { part: 'lease', fix: 'start another sandbox' });

/** Returns the browser's flag; the enclosure enforces its own rules. */
function reach({ kind }: Enclosure, network: NonNullable<MachineTerms['network']>): Network {
  if (network !== 'none') return { proxy: proxyUrl };
  return kind === 'none' ? 'none' : 'any';
}
