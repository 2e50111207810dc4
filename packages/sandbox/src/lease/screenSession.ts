import type { GyreError } from '@gyre/protocol';
import { callLog } from '../events/callLog.js';
import { SessionControl } from './control.js';
import type { Frame } from '../recording/frame.js';
import { FrameFeed, type FramesOptions, type Look } from '../recording/frameFeed.js';
import type { SandboxKind } from './kind.js';
import { type CallListener, Lease } from './lease.js';
import { record, type RecordOptions, type Recording } from '../recording/recording.js';
import type { Screen } from './session.js';
import type { SessionLog, SessionLogs } from '../events/sessionLog.js';
import type { SessionState } from './state.js';

/** What a session is leased of: a machine that was started for it, or a device that is lent. */
export interface Leased {
  readonly screen: Screen;
  /** What happened to it, from its start. */
  readonly log: SessionLog;
  /** For those who watch; undefined where nothing can be seen just now. */
  look(): Promise<Look | undefined>;
  /** Resolves with the reason when it has ended by itself. */
  readonly broken: Promise<GyreError>;
  close(): Promise<void>;
}

export interface SessionTerms<Kind extends SandboxKind> {
  readonly id: string;
  readonly kind: Kind;
  /** The lease ends when nothing of the session is used for this long. */
  readonly ttlMs: number;
  /** Called once, when the lease has ended and before what was leased is closed. */
  readonly onEnd: () => void;
}

/** Shares of a session's time that being watched may take: while it is used, and while who watches is who uses it. */
const watchedShare = 1 / 10;
const heldShare = 1 / 2;

/** What sessions of all kinds have: a lease, a screen that is acted on, watched, taken over and recorded, and a log. */
export class ScreenSession<Kind extends SandboxKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly screen: Screen;
  readonly control: SessionControl;
  /** Resolves when the session has ended, however that came, and nothing is left of what it was leased. */
  readonly ended: Promise<void>;
  protected readonly lease: Lease;
  protected readonly log: SessionLog;
  readonly #feed: FrameFeed;
  readonly #recordings = new Set<Recording>();

  /** @param heard is told of every call of the screen. */
  constructor({ id, kind, ttlMs, onEnd }: SessionTerms<Kind>, leased: Leased, heard: CallListener = () => undefined) {
    const { log, screen } = leased;
    this.id = id;
    this.kind = kind;
    this.log = log;
    let closed: () => void = () => undefined;
    this.ended = new Promise((resolve) => (closed = resolve));
    this.lease = new Lease(ttlMs, async () => {
      onEnd();
      this.#feed.end();
      this.control.close();
      const recorded = [...this.#recordings].map((recording) => recording.ended);
      await Promise.all([leased.close(), ...recorded]).finally(() => {
        log.add('lease', 'ended, and nothing is left of its machine');
        closed();
      });
    });
    log.add('lease', `leased as ${id}: ${kind}, ${screen.size.width} x ${screen.size.height} px`);
    const used = this.surface('screen', screen, { heard });
    this.control = new SessionControl(used);
    this.#feed = new FrameFeed(
      () => leased.look(),
      () => (this.control.holder === undefined ? watchedShare : heldShare),
    );
    this.screen = this.control.guard(used);
    void leased.broken.then((reason) => this.lease.break(reason));
    void this.lease.broken.then(({ message }) => log.add('lease', `broken: ${message}`));
  }

  get state(): SessionState {
    return this.lease.state;
  }

  get broken(): Promise<GyreError> {
    return this.lease.broken;
  }

  async *frames(options: FramesOptions = {}): AsyncGenerator<Frame, void> {
    try {
      yield* this.#feed.frames(options);
    } catch (error) {
      // It ended while it was looked at.
      if (this.state === 'leased') throw error;
    }
  }

  async record(options: RecordOptions): Promise<Recording> {
    this.lease.check();
    const recording = await record(options, (watch) => this.frames(watch));
    this.#recordings.add(recording);
    void recording.ended.then(() => this.#recordings.delete(recording));
    return recording;
  }

  logs(): SessionLogs {
    return this.log.read();
  }

  renew(): void {
    this.lease.renew();
  }

  release(): Promise<void> {
    if (this.state === 'leased') this.log.add('lease', 'released');
    return this.lease.release();
  }

  /** The same surface, whose calls renew the lease, and are logged and heard. */
  protected surface<Surface extends object>(
    name: string,
    of: Surface,
    { heard, instead }: { heard?: CallListener; instead?: Partial<Surface> } = {},
  ): Surface {
    const log = callLog(this.log, name);
    const both: CallListener = (...call) => {
      log(...call);
      heard?.(...call);
    };
    return this.lease.surface(of, { heard: both, instead });
  }
}
