import type { Size } from '@gyre/protocol';
import type { ActionDriver } from '../../input/performAction.js';

/** What came of a command on a machine of the user's. */
export interface RemoteRun {
  /** Undefined for a command that was ended for its time. A signal shows as 128 + its number. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether its time was up. What it had written by then is lost where the server does not tell. */
  readonly timedOut: boolean;
  /** From the request to the answer. */
  readonly ms: number;
}

/** Something in a folder of the machine. */
export interface RemoteEntry {
  readonly name: string;
  /** Undefined where the server does not say. */
  readonly type: 'file' | 'folder' | undefined;
}

/** What programs say that they show, as the server tells it: each has a form of its own. */
export type RemoteAccessibility =
  { readonly format: 'xml'; readonly xml: string } | { readonly format: 'json'; readonly tree: unknown };

/**
 * A server on the machine, by its protocol. Each method throws `infra` where the server fails or answers what the protocol
 * does not know, and `bad_input` for what it has no way to do; then nothing has happened.
 */
export interface RemoteServer {
  /** Asks whether the server speaks this protocol and how large its screen is, in the px that its pointer is moved in. */
  probe(): Promise<Size>;
  /** Returns what takes actions on a screen of `size`. Time passes here as everywhere. */
  input(size: Size): Omit<ActionDriver, 'wait'>;
  /** The screen, as a PNG. */
  screenshot(): Promise<Uint8Array>;
  run(command: string, timeoutMs: number): Promise<RemoteRun>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  list(path: string): Promise<RemoteEntry[]>;
  accessibility(): Promise<RemoteAccessibility>;
  launch(program: string, args: readonly string[]): Promise<void>;
}
