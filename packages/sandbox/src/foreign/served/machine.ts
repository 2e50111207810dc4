import type { Box } from '../../input/box.js';
import type { Screen } from '../../lease/session.js';

/** Something that a program shows, in shares of the screen; it may reach beyond it. */
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

/** What a handler shows and moves. What is not there is refused to the client. */
export interface CompatDesktop extends Screen {
  /** What programs need in their environment to show themselves. */
  readonly env?: Readonly<Record<string, string>>;
  launch?(program: string, args: readonly string[]): Promise<unknown>;
  open?(file: string): Promise<unknown>;
  windows?(): Promise<readonly CompatWindow[]>;
  activate?(window: { readonly id: number }): Promise<unknown>;
  closeWindow?(window: { readonly id: number }): Promise<unknown>;
  /** Returns the file of the picture behind all windows. */
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
  /** Paths of entries are from the home on. */
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

/** The session behind a handler: a desktop, and what there is beside it. */
export interface CompatMachine {
  readonly desktop: CompatDesktop;
  readonly shell?: CompatShell;
  readonly files?: CompatFiles;
  readonly recorder?: CompatRecorder;
  /** The folder that is home to programs of the session. Default: /home/user. */
  readonly home?: string;
  /** A folder of Python modules that clients' programs import, as programs of the session see it. Default: the system's alone. */
  readonly pythonPath?: string | undefined;
}
