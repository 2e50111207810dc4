import type { ListenOptions, Server, Socket } from 'node:net';
import type { Checkpoint, CheckpointOptions } from './checkpoint.js';
import type { SessionControl } from './control.js';
import type { Desktop } from '../desktop/desktop.js';
import type { Files } from '../files/files.js';
import type { Frame } from '../recording/frame.js';
import type { FramesOptions } from '../recording/frameFeed.js';
import type { DeviceKind, MachineKind, SandboxKind } from './kind.js';
import type { DeviceFiles, DeviceShell } from './device/device.js';
import type { RecordOptions, Recording } from '../recording/recording.js';
import type { BrowserSurface, Session } from './session.js';
import type { Phone } from '../phone/phone.js';
import type { Remote } from '../foreign/driven/remote.js';
import type { SessionLogs } from '../events/sessionLog.js';
import type { Shell } from '../shell/shell.js';
import type { Tools } from '../tools/tools.js';
import type { Vm } from '../vm/vm.js';

/** A session of any kind. Every call of a surface renews the lease; all throw `infra` once the session has ended. */
export interface CommonSession extends Session {
  readonly kind: SandboxKind;
  /** Lets a person take over mouse and keyboard. */
  readonly control: SessionControl;
  /** Resolves once the session has ended and nothing is left of its machine. */
  readonly ended: Promise<void>;
  /** Returns the log, also after the end. It holds what pages and browsers write, and nothing that was typed. */
  logs(): SessionLogs;
  /**
   * Yields what the screen shows, at first and at each change, until the session ends or `signal` aborts. All viewers share one capture
   * of the screen, which takes at most a tenth of the session's time. Viewing does not renew the lease.
   */
  frames(options?: FramesOptions): AsyncGenerator<Frame, void>;
  /**
   * Begins a video of the screen, which ends with the session at the latest. Throws `missing` without ffmpeg and `bad_input` for
   * options that do not fit.
   */
  record(options: RecordOptions): Promise<Recording>;
  /** Renews the lease. */
  renew(): void;
}

/** A session of a machine that gyre has started, of whatever kind. */
export interface MachineSurfaces extends CommonSession {
  readonly kind: MachineKind;
  /** The home folder, as programs inside see it. */
  readonly home: string;
  /** Do browser and screen run as another user than the shell? If not, a program of the shell can forge verdicts. */
  readonly apart: boolean;
  readonly shell: Shell;
  readonly files: Files;
  /** MCP servers inside the session. */
  readonly tools: Tools;
  /** Programs, windows and the clipboard, for set-ups and verifiers. */
  readonly desktop?: Desktop;
  /** Snapshots and the serial port. `shell` and `files` belong to the enclosure around QEMU, not to the guest. */
  readonly vm?: Vm;
  /**
   * Returns what `Sandbox.restore` makes another session from: the files of the home, and the actions on the page since it was opened,
   * but no running programs. Throws `bad_input` for a page on a free clock or with too many actions, and for a home that is too large.
   */
  checkpoint(options?: CheckpointOptions): Promise<Checkpoint>;
  /** Connects to a server on the session's loopback. Throws `infra` where none listens, and `bad_input` without isolation. */
  connect(port: number): Promise<Socket>;
  /**
   * Forwards a port of the host to a server of the session, until the session ends or the forward is closed.
   *
   * @param at where to listen. Default: 127.0.0.1, at a free port.
   */
  forward(port: number, at?: Pick<ListenOptions, 'path' | 'host' | 'port'>): Promise<Server>;
}

/** A session of a phone or a remote machine. Shell and files are the device's own. */
export interface DeviceSurfaces extends CommonSession {
  readonly kind: DeviceKind;
  readonly shell: DeviceShell;
  readonly files: DeviceFiles;
  readonly phone?: Phone;
  readonly remote?: Remote;
}

interface Sessions {
  browser: MachineSurfaces & { readonly kind: 'browser'; readonly browser: BrowserSurface };
  desktop: MachineSurfaces & { readonly kind: 'desktop'; readonly desktop: Desktop };
  vm: MachineSurfaces & { readonly kind: 'vm'; readonly vm: Vm };
  phone: DeviceSurfaces & { readonly kind: 'phone'; readonly phone: Phone };
  remote: DeviceSurfaces & { readonly kind: 'remote'; readonly remote: Remote };
}

/** A leased session by its kind: `SandboxSession<'browser'>` has a `browser`, `SandboxSession<'phone'>` a `phone`. */
export type SandboxSession<Kind extends SandboxKind = MachineKind> = Sessions[Kind];
