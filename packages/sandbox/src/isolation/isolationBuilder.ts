import { GyreError } from '@gyre/protocol';
import type { Limits } from './enclosure.js';
import type { Restrictions } from './namespaceEntry.js';
import type { NamespaceBuilder } from './firstProcess.js';
import type { OwnRoot } from './ownRoot.js';
import type { SessionDirectory } from './sessionDirectory.js';

/** Isolation is missing or does not work. */
export class IsolationUnavailable extends GyreError {}

export interface IsolationPlan {
  readonly directory: SessionDirectory;
  /** Unique on this machine. */
  readonly name: string;
  readonly user: string;
  readonly limits: Limits;
  readonly restrictions: Restrictions;
  /** Readable at the same path inside. */
  readonly readable: readonly string[];
  readonly nestedNamespaces: boolean;
  readonly devices: readonly string[];
  /** Absent: the host's system, read-only. */
  readonly root?: OwnRoot | undefined;
}

/** Makes a session's namespaces and view. Limits, entry, network and shutdown do not depend on it. */
export interface IsolationBuilder {
  readonly kind: 'bubblewrap' | 'podman';
  /** Time for the builder to end after the first process. */
  readonly buryMs: number;
  /** Throws 'missing', 'infra' or 'bad_input'. */
  start(plan: IsolationPlan): Promise<NamespaceBuilder>;
  /** Completes the isolation; returns the first process's PID. Throws 'missing' or 'infra'. */
  finish(builder: NamespaceBuilder, plan: IsolationPlan): Promise<number>;
}
