import type { Box } from '../../input/box.js';
import type { Screen } from '../../lease/session.js';

/** In fractions of the screen; may extend beyond it. */
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

/** Absent optional members are refused to clients. */
export interface CompatDesktop extends Screen {
  /** Lets programs open windows. */
  readonly env?: Readonly<Record<string, string>>;
  launch?(program: string, args: readonly string[]): Promise<unknown>;
  open?(file: string): Promise<unknown>;
  windows?(): Promise<readonly CompatWindow[]>;
  activate?(window: { readonly id: number }): Promise<unknown>;
  closeWindow?(window: { readonly id: number }): Promise<unknown>;
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
  /** Paths are relative to the home. */
  list(
    path: string,
    options?: { depth?: number; limit?: number },
  ): Promise<{ readonly entries: readonly { readonly path: string; readonly type: string; readonly size?: number }[] }>;
}

export interface CompatRecorder {
  start(): Promise<void>;
  /** Returns an MP4. */
  stop(): Promise<Uint8Array>;
}

export interface CompatMachine {
  readonly desktop: CompatDesktop;
  readonly shell?: CompatShell;
  readonly files?: CompatFiles;
  readonly recorder?: CompatRecorder;
  /** Default: /home/user. */
  readonly home?: string;
  /** Folder inside of Python modules for clients' programs. */
  readonly pythonPath?: string | undefined;
}
