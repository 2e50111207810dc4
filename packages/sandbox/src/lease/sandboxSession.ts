import type { ListenOptions, Server, Socket } from 'node:net';
import type { Checkpoint, CheckpointOptions } from './checkpoint.js';
import type { Control } from './control.js';
import type { Desktop } from '../desktop/desktop.js';
import type { Files } from '../files/files.js';
import type { Frame } from '../recording/frame.js';
import type { FramesOptions } from '../recording/frameFeed.js';
import type { MachineKind } from './kind.js';
import type { RecordOptions, Recording } from '../recording/recording.js';
import type { Session } from './session.js';
import type { SessionLogs } from '../events/sessionLog.js';
import type { Shell } from '../shell/shell.js';
import type { Tools } from '../tools/tools.js';
import type { Vm } from '../vm/vm.js';

/** A session with everything: its screen, shell and files are of one machine. */
export interface SandboxSession extends Session {
  readonly kind: MachineKind;
  /** Where its programs have their files, as they see it. */
  readonly home: string;
  /**
   * Whether its browser or screen runs as another user than its shell. Without, a program of the shell can reach them, and
   * verdicts about the session can be forged.
   */
  readonly apart: boolean;
  readonly shell: Shell;
  readonly files: Files;
  /** Resolves when the session has ended, however that came, and nothing is left of its machine. */
  readonly ended: Promise<void>;
  /** What happened in it, as much as is kept: also when it has ended. Nothing of what was typed, but what pages and browsers write. */
  logs(): SessionLogs;
  /**
   * What another session like this one can be made from, by `Sandbox.restore`: the files of its home, and what was done to its page
   * since it was opened. Programs that run are not in it. Throws `bad_input` for a page on a free clock, a page on which too much was
   * done, and a home that is too large.
   */
  checkpoint(options?: CheckpointOptions): Promise<Checkpoint>;
  /** MCP servers that are started in it. */
  readonly tools: Tools;
  /** Of kind `desktop`: programs, windows and the clipboard, for set-ups and verifiers. */
  readonly desktop?: Desktop;
  /** Of kind `vm`: snapshots and the serial port. `shell` and `files` are those of the enclosure around QEMU, not of the guest. */
  readonly vm?: Vm;
  /** By which a person takes the mouse and the keys over. */
  readonly control: Control;
  /**
   * What the screen shows, at first and then whenever it has changed, until the session ends or `signal` is aborted. All who watch
   * share one look at the screen, which takes a tenth of the session's time at most. Watching does not renew the lease.
   */
  frames(options?: FramesOptions): AsyncGenerator<Frame, void>;
  /**
   * A connection to a server that listens on the session's loopback. It does not renew the lease. Throws `infra` where nobody listens,
   * and `bad_input` without walls: the loopback is the host's then.
   */
  connect(port: number): Promise<Socket>;
  /**
   * Shows a server of the session on the host, until the session ends or it is closed.
   *
   * @param at where to listen. Default: 127.0.0.1, at any port that is free.
   */
  forward(port: number, at?: Pick<ListenOptions, 'path' | 'host' | 'port'>): Promise<Server>;
  /**
   * Begins a video of what the screen shows, which ends with the session if it is not stopped before. Needs ffmpeg. Throws `missing`
   * without it, `bad_input` for options that do not fit, and `infra` once the session has ended.
   */
  record(options: RecordOptions): Promise<Recording>;
  /** Keeps the lease without using the session. Throws `infra` once it has ended. */
  renew(): void;
}
