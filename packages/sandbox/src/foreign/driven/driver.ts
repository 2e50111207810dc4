import type { Size } from '@gyre/protocol';
import type { ActionDriver } from '../../input/performAction.js';

/** The result of a command on a remote machine. */
export interface RemoteRun {
  /** Undefined after a timeout. A signal shows as 128 + its number. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** After a timeout, the output may be lost: some servers do not return it. */
  readonly timedOut: boolean;
  /** From request to answer. */
  readonly ms: number;
}

export interface RemoteEntry {
  readonly name: string;
  /** Undefined where the server does not tell. */
  readonly type: 'file' | 'folder' | undefined;
}

/** The accessibility tree, in the form of its server. */
export type RemoteAccessibility =
  { readonly format: 'xml'; readonly xml: string } | { readonly format: 'json'; readonly tree: unknown };

/**
 * Drives a server by its protocol. Every method throws `infra` where the server fails or its answer does not fit the protocol, and
 * `bad_input`, before anything happens, for what the server cannot do.
 */
export interface RemoteDriver {
  /** Checks that the server speaks this protocol. Resolves to the size of its screen, in px of the pointer. */
  probe(): Promise<Size>;
  /** Returns the driver of actions on a screen of `size`. */
  input(size: Size): Omit<ActionDriver, 'wait'>;
  /** Returns the screen as a PNG. */
  screenshot(): Promise<Uint8Array>;
  run(command: string, timeoutMs: number): Promise<RemoteRun>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  list(path: string): Promise<RemoteEntry[]>;
  accessibility(): Promise<RemoteAccessibility>;
  launch(program: string, args: readonly string[]): Promise<void>;
}
