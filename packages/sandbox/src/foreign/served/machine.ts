import type { Box } from '../../input/box.js';
import type { Screen } from '../../lease/session.js';

/** An element of an accessibility tree, in fractions of the screen; it may reach beyond the screen. */
export interface CompatNode {
  readonly role: string;
  readonly name: string;
  readonly text: string | undefined;
  readonly states: readonly string[];
  readonly box: Box | undefined;
  readonly children: readonly CompatNode[];
}

export interface CompatWindow {
  readonly id: number;
  readonly title: string;
  readonly program: string;
  readonly box: Box;
}

/** The screen that a handler serves. Clients are refused what it lacks. */
export interface CompatDesktop extends Screen {
  /** The environment that programs need to show windows. */
  readonly env?: Readonly<Record<string, string>>;
  launch?(program: string, args: readonly string[]): Promise<unknown>;
  open?(file: string): Promise<unknown>;
  windows?(): Promise<readonly CompatWindow[]>;
  activate?(window: { readonly id: number }): Promise<unknown>;
  closeWindow?(window: { readonly id: number }): Promise<unknown>;
  /** Returns the wallpaper's file. */
  wallpaper?(): Promise<Uint8Array>;
  setWallpaper?(picture: Uint8Array): Promise<void>;
  accessibility?(): Promise<readonly { readonly program: string; readonly tree: CompatNode | undefined }[]>;
}

export interface CompatRun {
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface CompatShell {
  /** Runs a command of bash. */
  run(
    command: string,
    options: {
      timeoutMs?: number;
      cwd?: string;
      env?: Readonly<Record<string, string>>;
      stdin?: Uint8Array;
      maxOutput?: number;
      profile?: boolean;
    },
  ): Promise<CompatRun>;
}

export interface CompatFiles {
  readBytes(path: string, options?: { offset?: number; length?: number }): Promise<Uint8Array>;
  write(path: string, data: Uint8Array, options?: { mode?: 'replace' | 'append'; folders?: boolean }): Promise<unknown>;
  /** Paths of entries are relative to the home. */
  list(
    path: string,
    options?: { depth?: number; limit?: number },
  ): Promise<{ readonly entries: readonly { readonly path: string; readonly type: string; readonly size?: number }[] }>;
}

/** Records the screen, one video at a time. */
export interface CompatRecorder {
  start(): Promise<void>;
  /** Returns the video, as MP4. */
  stop(): Promise<Uint8Array>;
}

/** The session that a handler serves. */
export interface CompatMachine {
  readonly desktop: CompatDesktop;
  readonly shell?: CompatShell;
  readonly files?: CompatFiles;
  readonly recorder?: CompatRecorder;
  /** The home of the session's programs. Default: /home/user. */
  readonly home?: string;
  /** A folder of Python modules for clients' programs, as seen in the session. Default: only the system's. */
  readonly pythonPath?: string | undefined;
}
