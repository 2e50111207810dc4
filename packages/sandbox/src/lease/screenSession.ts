import type { GyreError } from '@gyre/protocol';
import { callLog } from '../events/callLog.js';
import { SessionControl } from './control.js';
import type { Frame } from '../recording/frame.js';
import { FrameFeed, type FramesOptions, type CapturedFrame } from '../recording/frameFeed.js';
import type { SandboxKind } from './kind.js';
import { type CallListener, Lease } from './lease.js';
import { record, type RecordOptions, type Recording } from '../recording/recording.js';
import type { Screen } from './session.js';
import type { SessionLog, SessionLogs } from '../events/sessionLog.js';
import type { SessionState } from './state.js';

export interface Leased {
  readonly screen: Screen;
  readonly log: SessionLog;
  /** Captures the screen for viewers; undefined if nothing can be seen. */
  look(): Promise<CapturedFrame | undefined>;
  /** Resolves with the reason if it ends by itself. */
  readonly broken: Promise<GyreError>;
  close(): Promise<void>;
}

export interface SessionTerms<Kind extends SandboxKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly ttlMs: number;
  /** Called once, between the ends of lease and machine. */
  readonly onEnd: () => void;
}

/** Captures' share of a session's time; `heldShare` while a person is in control. */
const watchedShare = 1 / 10;
const heldShare = 1 / 2;

/** Implements the state, capture and recording that sessions of all kinds share. */
export class ScreenSession<Kind extends SandboxKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly screen: Screen;
  readonly control: SessionControl;
  readonly ended: Promise<void>;
  protected readonly lease: Lease;
  protected readonly log: SessionLog;
  readonly #feed: FrameFeed;
  readonly #recordings = new Set<Recording>();

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
        log.add('lease', 'ended; its machine was removed');
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
      // Ended during a capture.
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

  /** Logs calls and renews the lease. */
  protected surface<Surface extends object>(
    name: string,
    inner: Surface,
    { heard, instead }: { heard?: CallListener; instead?: Partial<Surface> } = {},
  ): Surface {
    const log = callLog(this.log, name);
    const both: CallListener = (...call) => {
      log(...call);
      heard?.(...call);
    };
    return this.lease.surface(inner, { heard: both, instead });
  }
}
