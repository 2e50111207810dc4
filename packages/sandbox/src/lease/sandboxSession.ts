import type { ListenOptions, Server, Socket } from 'node:net';
import type { Checkpoint, CheckpointOptions } from './checkpoint.js';
import type { SessionControl } from './control.js';
import type { Desktop } from '../desktop/desktop.js';
import type { Files } from '../files/files.js';
import type { ForkOptions } from './fork.js';
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

/** Every call of a surface renews the lease, and throws `infra` once the session has ended. */
export interface CommonSession extends Session {
  readonly kind: SandboxKind;
  /** Lets a person take over mouse and keyboard. */
  readonly control: SessionControl;
  /** Resolves once the machine is cleaned up. */
  readonly ended: Promise<void>;
  /** Returns the output of pages and browsers, but nothing that was typed; also after the end. */
  logs(): SessionLogs;
  /**
   * Yields the screen at once and at each change, until the session ends or `signal` aborts. Viewers share one capture,
   * at most a tenth of the session's time. Viewing does not renew the lease.
   */
  frames(options?: FramesOptions): AsyncGenerator<Frame, void>;
  /** Records a video, at most until the session ends. Throws `missing` without ffmpeg, and `bad_input`. */
  record(options: RecordOptions): Promise<Recording>;
  renew(): void;
}

export interface MachineSurfaces extends CommonSession {
  readonly kind: MachineKind;
  /** Path inside. */
  readonly home: string;
  /** Whether browser and screen have their own user. If not, the shell's programs can forge verdicts. */
  readonly apart: boolean;
  readonly shell: Shell;
  readonly files: Files;
  /** MCP servers inside the session. */
  readonly tools: Tools;
  /** For set-up and verifiers. */
  readonly desktop?: Desktop;
  /** `shell` and `files` belong to the enclosure around QEMU, not the guest. */
  readonly vm?: Vm;
  /**
   * Stores the home and the actions on the page, but no programs, for `Sandbox.restore`. Throws `bad_input` for a free
   * clock, too many actions, or a home that is too large.
   */
  checkpoint(options?: CheckpointOptions): Promise<Checkpoint>;
  /**
   * Leases sessions in the state of this one, from one checkpoint: pages by replay, others with a copy of the home. Same owner,
   * `readable` and `env`. Throws the errors of `checkpoint` and `Sandbox.restore`, and then leaves no fork behind.
   */
  fork(options: ForkOptions): Promise<this[]>;
  /** Throws `infra` if nothing listens, `bad_input` without isolation. */
  connect(port: number): Promise<Socket>;
  /**
   * Forwards a host port to the session, until the session or the forward ends.
   *
   * @param address Default: any free port of 127.0.0.1.
   */
  forward(port: number, address?: Pick<ListenOptions, 'path' | 'host' | 'port'>): Promise<Server>;
}

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
  shell: MachineSurfaces & { readonly kind: 'shell' };
  vm: MachineSurfaces & { readonly kind: 'vm'; readonly vm: Vm };
  phone: DeviceSurfaces & { readonly kind: 'phone'; readonly phone: Phone };
  remote: DeviceSurfaces & { readonly kind: 'remote'; readonly remote: Remote };
}

/** `SandboxSession<'browser'>` has a `browser`, `SandboxSession<'phone'>` a `phone`. */
export type SandboxSession<Kind extends SandboxKind = MachineKind> = Sessions[Kind];
