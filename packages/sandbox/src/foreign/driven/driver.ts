import type { Size } from '@gyre/protocol';
import type { ActionDriver } from '../../input/performAction.js';

export interface RemoteRun {
  /** Undefined after a timeout; 128 + number for a signal. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Some servers then lose the output. */
  readonly timedOut: boolean;
  readonly ms: number;
}

export interface RemoteEntry {
  readonly name: string;
  readonly type: 'file' | 'folder' | undefined;
}

export type RemoteAccessibility =
  { readonly format: 'xml'; readonly xml: string } | { readonly format: 'json'; readonly tree: unknown };

/**
 * Methods throw `infra` if the server fails or breaks the protocol, and `bad_input`, before anything happens, for
 * unsupported requests.
 */
export interface RemoteDriver {
  /** Checks the protocol. Returns the screen size in pointer px. */
  probe(): Promise<Size>;
  input(size: Size): Omit<ActionDriver, 'wait'>;
  screenshot(): Promise<Uint8Array>;
  run(command: string, timeoutMs: number): Promise<RemoteRun>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  list(path: string): Promise<RemoteEntry[]>;
  accessibility(): Promise<RemoteAccessibility>;
  launch(program: string, args: readonly string[]): Promise<void>;
}
