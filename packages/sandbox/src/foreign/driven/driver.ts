import type { Size } from '@gyre/protocol';
import type { ActionDriver } from '../../input/performAction.js';

export interface RemoteRun {
  /** Undefined after a timeout; 128 + number for a signal. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Some servers lose the output of a timed-out command. */
  readonly timedOut: boolean;
  /** From request to reply. */
  readonly ms: number;
}

export interface RemoteEntry {
  readonly name: string;
  /** Undefined if the server does not say. */
  readonly type: 'file' | 'folder' | undefined;
}

/** The accessibility tree in its server's format. */
export type RemoteAccessibility =
  { readonly format: 'xml'; readonly xml: string } | { readonly format: 'json'; readonly tree: unknown };

/**
 * Drives a server by its protocol. Methods throw `infra` if the server fails or breaks the protocol. They throw
 * `bad_input`, before anything happens, for unsupported requests.
 */
export interface RemoteDriver {
  /** Checks that the server speaks this protocol. Returns its screen size in pointer px. */
  probe(): Promise<Size>;
  /** Returns the action driver for a screen of `size`. */
  input(size: Size): Omit<ActionDriver, 'wait'>;
  screenshot(): Promise<Uint8Array>;
  run(command: string, timeoutMs: number): Promise<RemoteRun>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  list(path: string): Promise<RemoteEntry[]>;
  accessibility(): Promise<RemoteAccessibility>;
  launch(program: string, args: readonly string[]): Promise<void>;
}
